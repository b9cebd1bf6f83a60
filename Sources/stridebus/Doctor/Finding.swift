/// One thing that the doctor tried, what it showed, and the remedy.
struct Finding: Sendable, Equatable {
    /// The grade of the finding.
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
