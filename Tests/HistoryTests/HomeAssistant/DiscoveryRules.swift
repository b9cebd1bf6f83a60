import Foundation

/// What Home Assistant asks of a device discovery payload, as data beside this file.
struct DiscoveryRules {
    private let rules: [String: Any]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "discovery-rules.json")
        rules = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    }

    /// What Home Assistant would refuse; nothing if it takes all.
    func problems(topic: String, payload: [UInt8]) throws -> [String] {
        guard let root = try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] else {
            return ["no object"]
        }
        var problems = check(root, by: rule("root"), at: "root")
        if !matches(topic, "topic") { problems.append("topic is '\(topic)'") }
        problems += check(root["device"], by: rule("device"), at: "device")
        problems += check(root["origin"], by: rule("origin"), at: "origin")
        let components = root["components"] as? [String: [String: Any]] ?? [:]
        var ids: Set<String> = []
        for (id, component) in components where component.keys.sorted() != ["platform"] {
            problems += check(component, at: id)
            if !ids.insert(component["unique_id"] as? String ?? "").inserted { problems.append("\(id) is not unique") }
        }
        return problems
    }

    private func check(_ component: [String: Any], at id: String) -> [String] {
        let platforms = rules["platforms"] as? [String: [String: Any]] ?? [:]
        guard let platform = platforms[component["platform"] as? String ?? ""] else { return ["\(id) has no platform"] }
        let allowed = strings(platform["allowed"]) + strings(rules["common"])
        var problems = check(component, by: ["required": platform["required"] ?? [], "allowed": allowed], at: id)
        let text = component.compactMapValues { $0 as? String }
        if let stateClass = text["state_class"], !strings(rules["state_classes"]).contains(stateClass) {
            problems.append("\(id) has the state class '\(stateClass)'")
        }
        if let category = text["entity_category"], !strings(rules["entity_categories"]).contains(category) {
            problems.append("\(id) has the category '\(category)'")
        }
        if let icon = text["icon"], !matches(icon, "icon") { problems.append("\(id) has the icon '\(icon)'") }
        if let deviceClass = text["device_class"] {
            let classes = platform["device_classes"] as? [String: [String]] ?? [:]
            guard let units = classes[deviceClass] else { return problems + ["\(id) has the class '\(deviceClass)'"] }
            if !units.isEmpty, !units.contains(text["unit_of_measurement"] ?? "") {
                problems.append("\(id) has another unit")
            }
        }
        let isEnum = text["device_class"] == "enum"
        if isEnum != (component["options"] != nil) { problems.append("\(id): options belong to the class enum") }
        if isEnum, text["state_class"] != nil || text["unit_of_measurement"] != nil {
            problems.append("\(id): a word has no state class and no unit")
        }
        if component["availability"] != nil, component["availability_topic"] != nil {
            problems.append("\(id): availability and availability_topic exclude each other")
        }
        if let expiry = component["expire_after"], (expiry as? Int ?? 0) <= 0 {
            problems.append("\(id) expires at once")
        }
        for (key, value) in text
        where key.hasSuffix("topic") && (value.isEmpty || value.contains("+") || value.contains("#")) {
            problems.append("\(id).\(key) is no topic")
        }
        return problems
    }

    private func check(_ value: Any?, by rule: [String: Any], at path: String) -> [String] {
        guard let object = value as? [String: Any] else { return ["\(path) is missing"] }
        let oneOf = strings(rule["one_of"])
        var problems = strings(rule["required"]).filter { object[$0] == nil }.map { "\(path).\($0) is missing" }
        problems += object.keys.filter { !strings(rule["allowed"]).contains($0) }.map { "\(path).\($0) is not allowed" }
        if !oneOf.isEmpty, !oneOf.contains(where: { object[$0] != nil }) {
            problems.append("\(path) has none of \(oneOf)")
        }
        return problems
    }

    private func rule(_ name: String) -> [String: Any] { rules[name] as? [String: Any] ?? [:] }

    private func strings(_ value: Any?) -> [String] { value as? [String] ?? [] }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        guard let pattern = rules[pattern] as? String else { return false }
        return text.range(of: pattern, options: .regularExpression) != nil
    }
}
