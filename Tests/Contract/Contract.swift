package import Foundation
package import Wire

/// The contract of `schemas/`, for tests that hear messages of the bus.
package enum Contract {
    /// The folder of the schemas and their examples.
    package static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("schemas")

    /// The bytes of a file of the folder.
    package static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// What is wrong with a message that stridebus has sent; nothing if it keeps to the schema of its topic, or if its
    /// topic is one on which others send, or an internal one.
    package static func problems(_ payload: [UInt8], on topic: Topic) -> [String] {
        do {
            switch topic {
            case .device(_, let channel):
                guard let name = names[channel], !payload.isEmpty else { return [] }
                return try JSONSchema(name: name).problems(payload)
            case .reply: return try problems(ofReply: payload)
            case .serviceHealth: return try JSONSchema(name: "service-health").problems(payload)
            case .serviceStatus:
                let word = String(decoding: payload, as: UTF8.self)
                return ["online", "offline"].contains(word) ? [] : ["a service's status is '\(word)'"]
            case .request, .motion, .counts, .resend, .forget: return []
            }
        } catch {
            return ["\(String(decoding: payload.prefix(200), as: UTF8.self)): \(error)"]
        }
    }

    private static let names: [DeviceChannel: String] = [
        .cadence: "cadence", .steps: "steps", .activity: "activity", .day: "day", .total: "total",
        .health: "device-health",
    ]

    /// The data of a reply is that of one of the verbs.
    private static func problems(ofReply payload: [UInt8]) throws -> [String] {
        var problems = try JSONSchema(name: "reply").problems(payload)
        guard case .ok(_, let data) = try HistoryReply(json: payload) else { return problems }
        let forms = try JSONSchema.names().filter { $0.hasSuffix("-data") || $0 == "live-notice" }
        if try !forms.contains(where: { try JSONSchema(name: $0).problems(data).isEmpty }) {
            problems.append("no verb's data looks so: \(String(decoding: data.prefix(300), as: UTF8.self))")
        }
        return problems
    }
}
