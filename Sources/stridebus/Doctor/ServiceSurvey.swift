import MQTT
import ServiceKit
import Wire

/// The status and health of the services, with the difference of their clocks from ours.
struct ServiceSurvey {
    private struct Seen {
        var isOnline = false
        /// By how much its clock is ahead of ours, in seconds.
        var offsetSeconds: Double?
        /// Inputs that it has died of and set aside.
        var setAside: UInt64 = 0
    }

    private let topics: TopicTree
    private var seen: [ServiceName: Seen] = [:]

    /// A difference that puts frames without a time of their own into the wrong minute, in seconds.
    static let largestOffsetSeconds = 5.0

    init(topics: TopicTree) {
        self.topics = topics
    }

    /// What is listened to.
    var filters: [String] {
        ServiceName.allCases.flatMap {
            [
                topics.text(.serviceStatus($0)), topics.text(.serviceHealth($0)),
                "\(topics.root)/service/\($0.rawValue)/+/health",
            ]
        }
    }

    /// True if all services are online and have sent their health.
    var isComplete: Bool {
        ServiceName.allCases.allSatisfy { seen[$0].map { $0.isOnline && $0.offsetSeconds != nil } ?? false }
    }

    mutating func take(_ message: MQTTMessage, nowMicroseconds now: Int64) {
        guard let topic = try? topics.parse(message.topic) else { return }
        if case .serviceStatus(let service) = topic {
            seen[service, default: Seen()].isOnline = message.payload.elementsEqual("online".utf8)
            return
        }
        guard let health = try? ServiceHealth(json: message.payload) else { return }
        let offset = health.t - Double(now) / 1e6
        switch topic {
        case .serviceHealth(let service):
            seen[service, default: Seen()].setAside = health["set_aside"] ?? 0
            // A retained report is as old as it is.
            if !message.isRetained { seen[service, default: Seen()].offsetSeconds = offset }
        case .instanceHealth(let service, _) where !message.isRetained:
            // Of several instances one that reports is enough to be online.
            seen[service, default: Seen()].isOnline = true
            seen[service, default: Seen()].offsetSeconds = offset
        default: break
        }
    }

    var findings: [Finding] { ServiceName.allCases.flatMap { findings(of: $0, seen[$0] ?? Seen()) } }

    private func findings(of service: ServiceName, _ seen: Seen) -> [Finding] {
        let name = service.rawValue
        guard seen.isOnline else {
            return [
                .bad(
                    name, "is not online, or this user may not read it",
                    "start it ('stridebus \(name)', or all with 'stridebus up'), or allow this user to read "
                        + topics.text(.serviceStatus(service)))
            ]
        }
        let aside: [Finding] =
            seen.setAside == 0
            ? []
            : [
                .warning(
                    name, "died of \(seen.setAside) inputs, set them aside and goes on",
                    "send the files in set-aside/ of its data folder to whom SECURITY.md names, then take them away and restart"
                )
            ]
        guard let offset = seen.offsetSeconds else { return aside + [.good(name, "is online")] }
        guard abs(offset) > Self.largestOffsetSeconds else {
            return aside + [.good(name, "is online, its clock agrees with this machine's")]
        }
        return aside + [
            .warning(
                name, "is online, its clock is \(Int(offset.rounded())) s off this machine's",
                "set both by NTP (timedatectl set-ntp true)")
        ]
    }
}

/// One thing that the doctor tried, what it showed, and the remedy.
struct Finding: Sendable, Equatable {
    enum Grade: String, Sendable {
        /// Works.
        case good = "ok"
        /// Works, and something will not when there is more to do.
        case warning = "warn"
        /// Does not work.
        case bad = "FAIL"
    }

    let grade: Grade
    /// The subject of the attempt, such as `max_queued_messages`.
    let subject: String
    let observation: String
    /// The remedy; `nil` where none is needed.
    let remedy: String?

    var lines: [String] {
        let word = grade.rawValue + String(repeating: " ", count: 4 - grade.rawValue.count)
        return ["\(word)  \(subject): \(observation)"] + (remedy.map { ["      → \($0)"] } ?? [])
    }

    static func good(_ subject: String, _ observation: String) -> Finding {
        Finding(grade: .good, subject: subject, observation: observation, remedy: nil)
    }

    static func warning(_ subject: String, _ observation: String, _ remedy: String) -> Finding {
        Finding(grade: .warning, subject: subject, observation: observation, remedy: remedy)
    }

    static func bad(_ subject: String, _ observation: String, _ remedy: String) -> Finding {
        Finding(grade: .bad, subject: subject, observation: observation, remedy: remedy)
    }
}
