/// One thing that the doctor looked at.
package struct Finding: Sendable, Equatable {
    /// The grade of the finding.
    package enum Grade: String, Sendable, Comparable {
        /// Works.
        case good = "ok"
        /// Works, and something will not when there is more to do.
        case warning = "warn"
        /// Does not work.
        case bad = "FAIL"

        package static func < (left: Grade, right: Grade) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .good: 0
            case .warning: 1
            case .bad: 2
            }
        }
    }

    package let grade: Grade
    /// The subject of the check, such as `max_queued_messages`.
    package let subject: String
    package let observation: String
    /// The remedy; `nil` where none is needed.
    package let remedy: String?

    /// The lines for a person.
    package var lines: [String] {
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
