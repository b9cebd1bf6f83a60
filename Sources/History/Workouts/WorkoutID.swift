import Wire

/// What a workout is known by: whose it is, and a second of it. It means the workout that has the second, so that it stays
/// good when late data moves the beginning.
package struct WorkoutID: Sendable, Equatable, CustomStringConvertible {
    package var subject: Subject
    /// Since 1970.
    package var second: Int64

    init(_ subject: Subject, _ second: Int64) { (self.subject, self.second) = (subject, second) }

    /// Reads `d.bike-07.tf6z0w` or `p.Anna.tf6z0w`.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let dot = parts[1].lastIndex(of: ".") else { return nil }
        let (name, digits) = (parts[1][..<dot], parts[1][parts[1].index(after: dot)...])
        guard let second = Int64(digits, radix: Self.radix), (0..<DayCalendar.minutes.upperBound * 60).contains(second)
        else { return nil }
        switch parts[0] {
        case "d":
            guard let device = try? DeviceID(String(name)) else { return nil }
            subject = .device(device)
        case "p":
            guard let person = PersonName.normal(String(name)) else { return nil }
            subject = .person(person)
        default: return nil
        }
        self.second = second
    }

    package var description: String {
        "\(subject.isPerson ? "p" : "d").\(subject.name).\(String(second, radix: Self.radix))"
    }

    private static let radix = 36
}
