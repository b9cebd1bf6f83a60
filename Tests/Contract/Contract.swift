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
    ///
    /// - Parameter verbs: What was asked with this reply topic; everything where that is not known.
    package static func problems(
        ofSent payload: [UInt8], on topic: Topic, verbs: Set<RequestVerb> = Set(RequestVerb.allCases)
    ) -> [String] {
        described(payload) {
            switch topic {
            case .device(_, let channel):
                // An empty retained message takes the one before it away.
                guard let name = sent[channel], !payload.isEmpty else { return [] }
                return try JSONSchema(name: name).problems(payload)
            case .person(_, let channel):
                guard let name = sent[channel], !payload.isEmpty else { return [] }
                return try JSONSchema(name: name).problems(payload)
            case .reply, .userReply: return try problems(ofReply: payload, to: verbs)
            case .audit: return try JSONSchema(name: "audit").problems(payload)
            case .wall: return try JSONSchema(name: "wall").problems(payload)
            case .runningClass: return payload.isEmpty ? [] : try JSONSchema(name: "class").problems(payload)
            case .serviceHealth, .instanceHealth: return try JSONSchema(name: "service-health").problems(payload)
            case .serviceStatus, .instanceStatus: return problems(ofStatus: payload)
            case .request, .userRequest, .userRole, .motion, .counts, .resend, .forget: return []
            }
        }
    }

    /// What is wrong with a message that stridebus reads: a device's, an operator's or an asker's. Only JSON and the
    /// word of a status are looked at.
    package static func problems(ofRead payload: [UInt8], on topic: Topic) -> [String] {
        described(payload) {
            switch topic {
            case .device(_, .status): return problems(ofStatus: payload)
            case .device(_, let channel):
                guard let names = read[channel], payload.first == UInt8(ascii: "{") else { return [] }
                let problems = try names.map { try JSONSchema(name: $0).problems(payload) }
                return problems.contains([]) ? [] : problems[0]
            case .request, .userRequest:
                return try JSONSchema(name: "request").problems(payload.isEmpty ? Array("{}".utf8) : payload)
            case .userRole: return payload.isEmpty ? [] : try JSONSchema(name: "user-role").problems(payload)
            default: return []
            }
        }
    }

    /// The schemas of the data of the replies to a verb.
    package static func replyData(of verb: RequestVerb) -> [String] {
        switch verb {
        case .historyDays: ["days-data"]
        case .historyInterval: ["interval-data"]
        case .historySeries: ["series-data"]
        case .historyActivity: ["activity-data"]
        case .historyWorkouts: ["workouts-data"]
        case .historyWorkout, .workoutsStart, .workoutsStop, .workoutsEdit: ["workout-data"]
        case .workoutsExport: ["workout-file-data"]
        case .devices: ["devices-data"]
        case .capabilities: ["capabilities-data"]
        case .people: ["people-data"]
        case .peopleCheckin, .peopleCheckout: ["assignment-data"]
        case .peopleConfigure: ["shown-person-data"]
        case .peopleForget, .devicesForget: ["forget-data"]
        case .devicesConfigure: ["config"]
        case .historyClasses: ["classes-data"]
        case .classesStart, .classesStop: ["class"]
        }
    }

    /// Whether stridebus sends on this channel of a device.
    static func isSent(on channel: DeviceChannel) -> Bool { sent[channel] != nil }

    private static let sent: [DeviceChannel: String] = [
        .cadence: "cadence", .steps: "steps", .activity: "activity", .day: "day", .total: "total",
        .health: "device-health", .heart: "heart", .power: "power", .workout: "workout",
    ]

    private static let read: [DeviceChannel: [String]] = [
        .imu: ["frame", "frame-compact"], .rev: ["rev"], .csc: ["bluetooth"], .ftms: ["bluetooth", "hr"],
        .hr: ["bluetooth", "hr"], .count: ["count"], .mark: ["mark"], .config: ["config"],
    ]

    private static func problems(ofStatus payload: [UInt8]) -> [String] {
        let word = String(decoding: payload, as: UTF8.self)
        return ["online", "offline", ""].contains(word) ? [] : ["a status is '\(word)'"]
    }

    private static func problems(ofReply payload: [UInt8], to verbs: Set<RequestVerb>) throws -> [String] {
        var problems = try JSONSchema(name: "reply").problems(payload)
        guard case .ok(_, let data) = try HistoryReply(json: payload) else { return problems }
        let forms = Set(verbs.flatMap(replyData(of:)))
        if try !forms.contains(where: { try JSONSchema(name: $0).problems(data).isEmpty }) {
            let asked = verbs.map(\.rawValue).sorted().joined(separator: ", ")
            problems.append("the data is no reply to \(asked)")
        }
        return problems
    }

    /// The problems with the beginning of the message that has them.
    private static func described(_ payload: [UInt8], _ problems: () throws -> [String]) -> [String] {
        let text = String(decoding: payload.prefix(300), as: UTF8.self)
        do { return try problems().map { "\($0) in \(text)" } } catch { return ["\(error) in \(text)"] }
    }
}
