public import Wire

/// A device that is a person's for a stretch of time.
public struct Assignment: Sendable, Equatable {
    /// How it came about.
    public enum Origin: Int, Sendable {
        /// The device's config names the person.
        case config = 0
        /// Somebody has checked in.
        case checkin = 1
    }

    /// Whose.
    public var person: String
    /// What.
    public var device: DeviceID
    /// The minutes; from `always` where it has always been so, up to `forGood` where it goes on.
    public var minutes: Range<Int64>
    /// How it came about: a check-in counts before a config.
    public var origin: Origin
    /// Which of a person's devices is believed first; nil for the order of placements.
    public var priority: Int?

    /// An assignment from its parts.
    public init(
        person: String, device: DeviceID, minutes: Range<Int64>, origin: Origin = .checkin, priority: Int? = nil
    ) {
        self.person = person
        self.device = device
        self.minutes = minutes
        self.origin = origin
        self.priority = priority
    }

    /// The first minute of what has always been so.
    public static let always = DayCalendar.minutes.lowerBound
    /// The end of what goes on.
    public static let forGood = DayCalendar.minutes.upperBound
    /// The most assignments of one device or one person that are kept.
    public static let maximumKept = 5_000
}

/// Whose a device is when: check-ins cut earlier check-ins, and count before the device's config.
enum AssignmentBook {
    /// What becomes of a device's assignments when one more is made.
    static func adding(_ new: Assignment, to existing: [Assignment]) -> [Assignment] {
        existing.flatMap { old in old.origin == new.origin ? cut(old, by: new.minutes) : [old] } + [new]
    }

    /// What becomes of them when a device's config names a person: what was so ends now. The first one it ever names
    /// has always been its person.
    /// - Returns: The assignments to keep; nil if they stay as they are.
    static func naming(
        _ person: String?, for device: DeviceID, at nowMinute: Int64, in existing: [Assignment]
    ) -> [Assignment]? {
        var all = existing
        let named = all.filter { $0.origin == .config }
        let isOpen = named.last.map { $0.minutes.upperBound == Assignment.forGood } ?? false
        guard person != (isOpen ? named.last?.person : nil) else { return nil }
        for index in all.indices where all[index].origin == .config {
            let minutes = all[index].minutes
            all[index].minutes = minutes.lowerBound..<max(minutes.lowerBound, min(minutes.upperBound, nowMinute))
        }
        all.removeAll { $0.minutes.isEmpty }
        if let person, !person.isEmpty, all.count < Assignment.maximumKept {
            let start = named.isEmpty ? Assignment.always : min(nowMinute, Assignment.forGood - 1)
            all.append(
                Assignment(person: person, device: device, minutes: start..<Assignment.forGood, origin: .config))
        }
        return all
    }

    /// What becomes of them when the check-in of a minute ends there, whoever it is of, or only of a person.
    /// - Returns: The assignments to keep and the check-in as it is now; nil if there is none.
    static func ending(
        at minute: Int64, person: String?, in existing: [Assignment]
    ) -> (all: [Assignment], ended: Assignment)? {
        var all = existing
        let index = all.lastIndex { assignment in
            assignment.origin == .checkin && assignment.minutes.lowerBound < minute
                && minute < assignment.minutes.upperBound && person.map { $0 == assignment.person } ?? true
        }
        guard let index else { return nil }
        all[index].minutes = all[index].minutes.lowerBound..<minute
        return (all, all[index])
    }

    /// When a device is a person's, from all assignments of the device.
    static func minutes(of person: String, in assignments: [Assignment]) -> [Range<Int64>] {
        let checkins = assignments.filter { $0.origin == .checkin }
        let own = checkins.filter { $0.person == person }.map(\.minutes)
        let configured = assignments.filter { $0.origin == .config && $0.person == person }
        let rest = configured.flatMap { assignment in
            checkins.reduce([assignment]) { parts, checkin in parts.flatMap { cut($0, by: checkin.minutes) } }
        }
        return (own + rest.map(\.minutes)).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// What is left of an assignment outside a stretch of time.
    private static func cut(_ assignment: Assignment, by minutes: Range<Int64>) -> [Assignment] {
        guard assignment.minutes.overlaps(minutes) else { return [assignment] }
        return [
            assignment.minutes.clamped(to: Assignment.always..<max(Assignment.always, minutes.lowerBound)),
            assignment.minutes.clamped(to: minutes.upperBound..<max(minutes.upperBound, Assignment.forGood)),
        ].filter { !$0.isEmpty }.map { part in
            var left = assignment
            left.minutes = part
            return left
        }
    }
}
