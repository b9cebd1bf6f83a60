import Foundation
import Wire

/// A JSON Schema of draft-07, with the keywords that `schemas/` uses; another keyword is an error, so that none is
/// passed over. `agree.py` holds it against Python's `jsonschema`.
package struct JSONSchema: Sendable {
    /// The schemas of the properties, by their names.
    package let properties: [String: JSONSchema]
    /// The properties that must be there.
    package let required: [String]
    /// The types that a value may have; any where there is none.
    package let types: [String]
    private let reference: String?
    /// The texts that a value may have; any where there are none.
    package let words: [String]?
    private let numbers: ClosedRange<Double>
    private let lengths: ClosedRange<Int>
    private let counts: ClosedRange<Int>
    private let pattern: String?
    private let items: [JSONSchema]
    private let others: [JSONSchema]
    private let anyOf: [JSONSchema]
    private let oneOf: [JSONSchema]
    private let dependencies: [String: [String]]

    /// A schema that cannot be read.
    package struct Unreadable: Error {
        let what: String
    }

    private static let all = Result {
        var schemas: [String: JSONSchema] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: Contract.folder.path) {
            guard file.hasSuffix(".schema.json") else { continue }
            let json = try JSONSerialization.jsonObject(with: Data(try Contract.bytes(file)))
            schemas[String(file.dropLast(".schema.json".count))] = try JSONSchema(json)
        }
        return schemas
    }

    /// The names of all schemas.
    package static func names() throws -> [String] { try all.get().keys.sorted() }

    /// The schema of a name.
    package init(name: String) throws {
        guard let schema = try Self.all.get()[name] else { throw Unreadable(what: "there is no schema \(name)") }
        self = schema
    }

    private static let keywords: Set<String> = [
        "$schema", "$id", "title", "description", "type", "properties", "required", "$ref", "enum", "const", "minimum",
        "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "items", "additionalProperties",
        "anyOf", "oneOf", "dependencies",
    ]

    init(_ json: Any) throws {
        guard let schema = json as? [String: Any] else { throw Unreadable(what: "a schema is no object") }
        for key in schema.keys where !Self.keywords.contains(key) { throw Unreadable(what: "keyword \(key)") }
        func list(_ key: String) throws -> [JSONSchema] {
            try (schema[key] as? [Any] ?? schema[key].map { [$0] } ?? []).map(JSONSchema.init)
        }
        properties = try (schema["properties"] as? [String: Any] ?? [:]).mapValues(JSONSchema.init)
        required = schema["required"] as? [String] ?? []
        types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        reference = (schema["$ref"] as? String).map { String($0.dropLast(".schema.json".count)) }
        words = schema["enum"] as? [String] ?? (schema["const"] as? String).map { [$0] }
        numbers = (schema["minimum"] as? Double ?? -.infinity)...(schema["maximum"] as? Double ?? .infinity)
        lengths = (schema["minLength"] as? Int ?? 0)...(schema["maxLength"] as? Int ?? .max)
        counts = (schema["minItems"] as? Int ?? 0)...(schema["maxItems"] as? Int ?? .max)
        pattern = schema["pattern"] as? String
        items = try list("items")
        others = try list("additionalProperties")
        anyOf = try list("anyOf")
        oneOf = try list("oneOf")
        dependencies = schema["dependencies"] as? [String: [String]] ?? [:]
    }

    /// What is wrong with a document, a line a fault; nothing if it keeps to the schema. A property that the schema
    /// does not know is a fault as well: what we send is described whole.
    package func problems(_ json: [UInt8]) throws -> [String] {
        try problems(JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed), at: "$")
    }

    private func problems(_ value: Any, at path: String) throws -> [String] {
        if let reference { return try JSONSchema(name: reference).problems(value, at: path) }
        guard types.isEmpty || types.contains(where: { Self.isType(value, $0) }) else {
            return ["\(path) is no \(types.joined(separator: " or "))"]
        }
        var problems: [String] = []
        switch value {
        case let text as String: problems = self.problems(text: text, at: path)
        case let object as [String: Any]: problems = try self.problems(object: object, at: path)
        case let array as [Any]:
            if !counts.contains(array.count) { problems.append("\(path) has \(array.count) elements") }
            for case (let element, let item?) in array.map({ ($0, items.first) }) {
                problems += try item.problems(element, at: path + "[]")
            }
        case let number as NSNumber where !Self.isBoolean(number):
            if !numbers.contains(number.doubleValue) { problems.append("\(path) is \(number)") }
        default: break
        }
        if !anyOf.isEmpty, try !anyOf.contains(where: { try $0.problems(value, at: path).isEmpty }) {
            problems.append("\(path) is none of what it may be")
        }
        if !oneOf.isEmpty, try oneOf.count(where: { try $0.problems(value, at: path).isEmpty }) != 1 {
            problems.append("\(path) is not exactly one of what it may be")
        }
        return problems
    }

    private func problems(text: String, at path: String) -> [String] {
        var problems: [String] = []
        if let words, !words.contains(text) { problems.append("\(path) is '\(text)'") }
        if !lengths.contains(text.unicodeScalars.count) { problems.append("\(path) is as long as '\(text)'") }
        if let pattern, text.range(of: pattern, options: .regularExpression) == nil {
            problems.append("\(path) is '\(text)'")
        }
        return problems
    }

    private func problems(object: [String: Any], at path: String) throws -> [String] {
        var problems = required.filter { object[$0] == nil }.map { "\(path).\($0) is missing" }
        for (key, value) in object {
            if let property = properties[key] ?? others.first {
                problems += try property.problems(value, at: "\(path).\(key)")
            } else if types == ["object"], !properties.isEmpty {
                problems.append("\(path).\(key) is not in the schema")
            }
            for other in dependencies[key] ?? [] where object[other] == nil {
                problems.append("\(path).\(other) is missing beside \(key)")
            }
        }
        return problems
    }

    private static func isType(_ value: Any, _ type: String) -> Bool {
        let number = value as? NSNumber
        return switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "null": value is NSNull
        case "boolean": number.map(isBoolean) ?? false
        case "number": number.map { !isBoolean($0) } ?? false
        case "integer": number.map { !isBoolean($0) && $0.doubleValue == $0.doubleValue.rounded() } ?? false
        default: false
        }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
