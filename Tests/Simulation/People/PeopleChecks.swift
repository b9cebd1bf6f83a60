import History
import Wire

/// What holds of people, of sums, and of what is retained.
extension Simulation {
    /// A person has of a minute what a device of the person counted in it, and all of that where it was one device.
    func checkPeople() async throws {
        let store = core.historyStore
        var owned: [String: [Int64: [PersonSource]]] = [:]
        for record in try await store.devices(after: nil, limit: .max) {
            guard let device = record.device else { continue }
            let assignments = try await store.assignments(of: device)
            for (key, numbers) in try await store.minutes(of: device) {
                let owner = Self.owner(at: key.minute, assignments, .checkin)
                if let wants = said.owner(of: device, at: key.minute), wants != owner {
                    throw failure(
                        "\(device) is \(owner ?? "nobody")'s in minute \(key.minute), not \(wants ?? "nobody")'s")
                }
                guard let person = owner ?? Self.owner(at: key.minute, assignments, .config) else { continue }
                owned[person, default: [:]][key.minute, default: []].append(
                    PersonSource(isBike: record.settings.kind == "bike", numbers: numbers))
            }
        }
        var people = Set(owned.keys)
        for case .person(let name) in try await store.subjects() { people.insert(name) }
        for person in people.sorted() {
            let minutes = owned[person] ?? [:]
            var has: [Int64: MinuteNumbers] = [:]
            for record in try await store.tracedMinutes(of: .person(person), in: [.min ..< .max])[0] {
                has[record.minute] = MinuteNumbers(record.sum)
            }
            for minute in Set(minutes.keys).union(has.keys).sorted() {
                let numbers = has[minute] ?? MinuteNumbers()
                guard PersonSource.isRight(numbers, minutes[minute] ?? []) else {
                    throw failure("\(person) has \(numbers) in minute \(minute), of \(minutes[minute] ?? [])")
                }
            }
        }
    }

    private static func owner(
        at minute: Int64, _ assignments: [Assignment], _ origin: Assignment.Origin
    ) -> String? {
        assignments.last { $0.origin == origin && $0.minutes.contains(minute) }?.person
    }

    /// What is known in total of each device and person.
    func sums() async throws -> [Subject: Counts] {
        var sums: [Subject: Counts] = [:]
        for subject in try await core.historyStore.subjects() {
            sums[subject] = try await snapshot(of: subject)?.record.counts
        }
        return sums
    }

    /// What each device counted while it was a person's.
    func ownedCounts(of person: String) async throws -> [DeviceID: Counts] {
        var owned: [DeviceID: Counts] = [:]
        for record in try await core.historyStore.devices(after: nil, limit: .max) {
            guard let device = record.device else { continue }
            let assignments = try await core.historyStore.assignments(of: device)
            for minute in try await core.historyStore.tracedMinutes(of: .device(device), in: [.min ..< .max])[0] {
                let owner =
                    Self.owner(at: minute.minute, assignments, .checkin)
                    ?? Self.owner(at: minute.minute, assignments, .config)
                if owner == person { owned[device, default: Counts()] += minute.sum.counts }
            }
        }
        return owned
    }

    /// The days of a device or person come to its totals, and nothing is kept of nobody.
    func checkSums() async throws {
        let owned = ["minutes": "subject", "days": "subject", "words": "device"]
        let nobodys = try await core.historyStore.database.read(isSnapshot: true) { session in
            try owned.keys.sorted().filter { table in
                let isOf = "\(owned[table] ?? "") NOT IN (SELECT id FROM subjects)"
                return try !session.query("SELECT 1 FROM \(table) WHERE \(isOf) LIMIT 1").isEmpty
            }
        }
        guard nobodys.isEmpty else { throw failure("rows of nobody are in \(nobodys)") }
        for subject in try await core.historyStore.subjects() {
            guard let snapshot = try await snapshot(of: subject) else { continue }
            let days = snapshot.days.reduce(into: Counts()) { $0 += $1.counts }
            guard days.isSame(as: snapshot.record.counts) else {
                throw failure("the days of \(subject) come to \(days), and its total is \(snapshot.record.counts)")
            }
        }
    }

    private func snapshot(of subject: Subject) async throws -> SubjectSnapshot? {
        try await core.historyStore.snapshot(of: subject, from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
    }

    /// What is retained is what history has, and of whom it does not know nothing is.
    func checkRetained() async throws {
        guard !mayLoseRetained else { return }
        let messages = try await core.historyStore.totalsMessages(
            of: try await core.historyStore.subjects(), nowSeconds: Double(core.now) / 1e6, topics: topics)
        let wanted = Dictionary(
            messages.values.flatMap(\.messages).filter { !$0.payload.isEmpty }.map { ($0.topic, $0.payload) },
            uniquingKeysWith: { $1 })
        for (topic, payload) in core.bus.retained {
            let name = String(decoding: topic, as: UTF8.self)
            guard let wants = wanted[topic] else { throw failure("\(name) is retained of nobody") }
            guard Self.withoutTime(payload) == Self.withoutTime(wants) || name.hasSuffix("/day") else {
                throw failure(
                    "\(name) is \(String(decoding: payload, as: UTF8.self)), not \(String(decoding: wants, as: UTF8.self))"
                )
            }
        }
        if let missing = wanted.keys.first(where: { core.bus.retained[$0] == nil }) {
            throw failure("\(String(decoding: missing, as: UTF8.self)) is not retained")
        }
    }
}

extension Simulation {
    /// What is said, but for the time at which it is.
    private static func withoutTime(_ payload: [UInt8]) -> Substring {
        let text = String(decoding: payload, as: UTF8.self)
        guard text.hasPrefix("{\"t\":"), let comma = text.firstIndex(of: ",") else { return text[...] }
        return text[comma...]
    }
}

/// What a device of a person counted in a minute.
private struct PersonSource {
    var isBike: Bool
    var numbers: MinuteNumbers

    /// Of one device a person has everything, but the steps of a bike; of several what one of them counted.
    static func isRight(_ has: MinuteNumbers, _ sources: [PersonSource]) -> Bool {
        let steps = sources.map { $0.isBike ? 0 : $0.numbers.steps }
        let revolutions = sources.map(\.numbers.revolutions)
        guard sources.count > 1 else {
            let numbers = sources.first?.numbers ?? MinuteNumbers()
            return has.steps == steps.first ?? 0 && has.revolutions == numbers.revolutions
                && has.coveredMilliseconds == numbers.coveredMilliseconds
        }
        return (steps + [0]).contains(has.steps) && (revolutions + [0]).contains(has.revolutions)
    }
}

extension Counts {
    /// Whether the counts that every device has are the same.
    func isSame(as other: Counts) -> Bool {
        (steps, revolutions, distanceMillimetres) == (other.steps, other.revolutions, other.distanceMillimetres)
            && (activeMilliseconds, coveredMilliseconds) == (other.activeMilliseconds, other.coveredMilliseconds)
    }
}

/// Whose each device is by what history has answered to check-ins and check-outs, without history.
struct SaidCheckIns {
    /// A stretch of time that was somebody's by one check-in, or nobody's; a later one lies over an earlier one.
    private struct Layer {
        var minutes: Range<Int64>
        var person: String?
    }

    private var layers: [DeviceID: [Layer]] = [:]
    /// Devices of which it is not known what history has taken: it died while it answered.
    private var unsure: Set<DeviceID> = []

    /// Whose a device is in a minute; `nil` where that is not known.
    func owner(of device: DeviceID, at minute: Int64) -> String?? {
        guard !unsure.contains(device) else { return nil }
        return .some(layers[device]?.last { $0.minutes.contains(minute) }?.person)
    }

    mutating func checkIn(_ data: AssignmentData) {
        layers[data.device, default: []].append(Layer(minutes: Self.minutes(of: data), person: data.person))
    }

    /// A check-in ends at a minute: of what goes on, as much as no later one lies over.
    mutating func checkOut(_ data: AssignmentData) {
        let end = Self.minutes(of: data).upperBound
        guard let known = layers[data.device], let index = known.lastIndex(where: { $0.minutes.contains(end) }) else {
            return
        }
        let later = known[(index + 1)...].map(\.minutes.lowerBound).filter { $0 > end }.min() ?? .max
        let rest = end..<min(known[index].minutes.upperBound, later)
        layers[data.device]?.append(Layer(minutes: rest, person: nil))
    }

    /// Nothing is a person's any more.
    mutating func forget(person: String) {
        for (device, known) in layers {
            layers[device] = known.map { Layer(minutes: $0.minutes, person: $0.person == person ? nil : $0.person) }
        }
    }

    mutating func doubt(_ devices: some Sequence<DeviceID>) { unsure.formUnion(devices) }

    private static func minutes(of data: AssignmentData) -> Range<Int64> {
        let start = data.from.map { Int64($0 / 60) } ?? .min
        return start..<max(start, data.to.map { Int64($0 / 60) } ?? .max)
    }
}
