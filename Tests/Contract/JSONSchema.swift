import Foundation

/// As much of JSON Schema draft-07 as our schemas use: enough to say where a document differs from one.
package struct JSONSchema {
    let name: String
    /// The schema as JSON.
    package let root: [String: Any]

    /// Reads the schema of a name.
    package init(name: String) throws {
        self.name = name
        let data = try Data(contentsOf: Contract.folder.appendingPathComponent("\(name).schema.json"))
        root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// The names of all schemas.
    package static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Contract.folder.path)
            .filter { $0.hasSuffix(".schema.json") }.map { String($0.dropLast(".schema.json".count)) }.sorted()
    }

    /// What is wrong with a document; nothing if it keeps to the schema.
    package func problems(_ json: [UInt8]) throws -> [String] {
        let document = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
        return try Self.problems(document, root, at: name)
    }

    private static func problems(_ value: Any, _ schema: [String: Any], at path: String) throws -> [String] {
        if let reference = schema["$ref"] as? String {
            return try problems(
                value, JSONSchema(name: String(reference.dropLast(".schema.json".count))).root, at: path)
        }
        var problems: [String] = []
        if !isType(value, schema["type"]) { problems.append("\(path) has another type") }
        if let words = schema["enum"] as? [String], let word = value as? String, !words.contains(word) {
            problems.append("\(path) is '\(word)'")
        }
        if let object = value as? [String: Any] {
            problems += try Self.problems(object: object, schema, at: path)
        } else if let array = value as? [Any], let items = schema["items"] as? [String: Any] {
            for element in array { problems += try Self.problems(element, items, at: path + "[]") }
        } else if let number = value as? NSNumber {
            let isInside =
                number.doubleValue >= schema["minimum"] as? Double ?? -.infinity
                && number.doubleValue <= schema["maximum"] as? Double ?? .infinity
            if !isInside { problems.append("\(path) is \(number)") }
        }
        return problems
    }

    private static func problems(
        object: [String: Any], _ schema: [String: Any], at path: String
    ) throws -> [String] {
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        var problems = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }
            .map { "\(path).\($0) is missing" }
        for (key, value) in object {
            if let property = properties[key] {
                problems += try Self.problems(value, property, at: "\(path).\(key)")
            } else if schema["additionalProperties"] == nil && !properties.isEmpty {
                problems.append("\(path).\(key) is not in the schema")
            }
        }
        return problems
    }

    private static func isType(_ value: Any, _ type: Any?) -> Bool {
        guard let type else { return true }
        let names = type as? [String] ?? [type as? String ?? ""]
        return names.contains { name in
            switch name {
            case "object": value is [String: Any]
            case "array": value is [Any]
            case "string": value is String
            case "boolean": (value as? NSNumber).map(isBoolean) ?? false
            case "number": (value as? NSNumber).map { !isBoolean($0) } ?? false
            case "integer":
                (value as? NSNumber).map { !isBoolean($0) && $0.doubleValue == $0.doubleValue.rounded() } ?? false
            default: false
            }
        }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }
}
