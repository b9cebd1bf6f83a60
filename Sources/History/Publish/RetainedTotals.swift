import Logging
import MQTT
package import Wire

/// When the retained `day` and `total` of each device and person are published: soon after a change but at most once in
/// `minimumSeconds` a device, when a device's local day is over, and when the broker may have older values. A value
/// without clock.
///
/// A start and a midnight concern every device at once: they go a few devices at a time, behind what has changed, so
/// that answers do not wait for a thousand totals.
///
/// While messages of a counter are missing nothing is published, for some time: a store that has just begun has less than
/// was published before.
///
/// Only the fact that something changed is kept here. What is published is read from the store at that time, so it is
/// always the last value.
package struct RetainedTotals: Sendable {
    private struct Entry {
        /// When the device may be published again, in seconds since 1970.
        var earliestSeconds = 0.0
        /// The first minute after the day that was published last.
        var dayEndMinute = Int64.max
        var isChanged = false
        /// True if the broker may have older values, though nothing has changed.
        var isRecalled = false
    }

    private var entries: [Subject: Entry] = [:]
    /// When messages of counters began to be missing, in seconds since 1970; nil while none are.
    private var missingSinceSeconds: Double?

    /// Nothing to publish.
    package init() {}

    /// The shortest time between two publications of a device, in seconds.
    package static let minimumSeconds = 1.0
    /// The most devices that are read and published at once, so that answers find a broker that is not busy for long.
    package static let maximumDevices = 50
    /// The longest time for which missing messages hold totals up, in seconds: longer than counters take to send them again.
    package static let maximumHoldSeconds = 30.0

    /// Messages of counters are missing, or none are any more.
    package mutating func note(isMissing: Bool, nowSeconds: Double) {
        missingSinceSeconds = isMissing ? missingSinceSeconds ?? nowSeconds : nil
    }

    /// Something about these has changed.
    package mutating func change(_ subjects: some Sequence<Subject>) {
        for subject in subjects { entries[subject, default: Entry()].isChanged = true }
    }

    /// The broker may have older values of these.
    package mutating func recall(_ subjects: some Sequence<Subject>) {
        for subject in subjects { entries[subject, default: Entry()].isRecalled = true }
    }

    /// The devices and people to read and publish now, first those that have changed. What changes from now on is published
    /// again.
    package mutating func takeDue(nowSeconds: Double) -> [Subject] {
        // A clock that was set back must not hold anything up.
        if let missingSinceSeconds, (0..<Self.maximumHoldSeconds).contains(nowSeconds - missingSinceSeconds) {
            return []
        }
        let due = due(nowSeconds: nowSeconds)
        for subject in due {
            entries[subject]?.isChanged = false
            entries[subject]?.isRecalled = false
            entries[subject]?.earliestSeconds = nowSeconds + Self.minimumSeconds
        }
        return due
    }

    /// True if something has changed that was not published yet.
    package var hasChanges: Bool { entries.values.contains { $0.isChanged } }

    private func due(nowSeconds: Double) -> [Subject] {
        let nowMinute = Int64(exactly: (nowSeconds / 60).rounded(.down)) ?? 0
        var changed: [Subject] = []
        var unchanged: [Subject] = []
        // A clock that was set back must not hold anything up.
        for (subject, entry) in entries
        where nowSeconds >= entry.earliestSeconds || nowSeconds < entry.earliestSeconds - Self.minimumSeconds {
            if entry.isChanged {
                changed.append(subject)
                if changed.count == Self.maximumDevices { return changed }
            } else if entry.isRecalled || nowMinute >= entry.dayEndMinute, unchanged.count < Self.maximumDevices {
                unchanged.append(subject)
            }
        }
        return changed + unchanged.prefix(Self.maximumDevices - changed.count)
    }

    /// A device or person was published.
    /// - Parameter minute: The first minute after the day that was published.
    package mutating func published(_ subject: Subject, dayEndMinute minute: Int64) {
        entries[subject]?.dayEndMinute = minute
    }
}

/// A message that the broker keeps; an empty payload takes away what it has kept.
package struct RetainedMessage: Sendable, Equatable {
    package var topic: [UInt8]
    package var payload: [UInt8]
}

/// The retained `day` and `total` of one device or person.
package struct TotalsMessages: Sendable {
    package var messages: [RetainedMessage]
    /// Whether they take away what is retained.
    package var isClearing: Bool { messages.allSatisfy(\.payload.isEmpty) }
    /// The first minute after the day that they are about.
    var dayEndMinute: Int64
    /// The kind of the device; `nil` where nothing is kept of it, and of a person.
    var kind: DeviceKind?

    /// Retained days of devices never fall within a date, and totals never: a reader that takes a fall for a new
    /// beginning (Home Assistant's `total_increasing`) would count twice. The truth is in `history/days`. Those of people
    /// fall where a check-in was wrong.
    init(
        _ record: SubjectRecord, _ day: DayRecord, _ progress: GoalProgress, nowSeconds: Double, topics: TopicTree
    ) {
        var (record, day) = (record, day)
        day.counts = day.published ?? day.counts
        record.counts = record.published ?? record.counts
        var today = DayTotals(day, nowMinute: Int64(clampingSeconds: nowSeconds) / 60)
        today.t = nowSeconds
        today.end = Double(day.minutes.upperBound) * 60
        (today.person, today.progress) = (record.subject.person, progress)
        messages = zip(
            Self.topics(of: record.subject),
            [today.encodedJSON(), DeviceTotals(record, nowSeconds: nowSeconds).encodedJSON()]
        ).map { RetainedMessage(topic: topics.bytes($0), payload: $1) }
        dayEndMinute = day.minutes.upperBound
        kind = record.subject.isPerson ? nil : DeviceKind(rawValue: record.settings.kind) ?? .unknown
    }

    /// Clears the retained values of a device or person that the store does not have.
    init(clearing subject: Subject, topics: TopicTree) {
        messages = Self.topics(of: subject).map { RetainedMessage(topic: topics.bytes($0), payload: []) }
        dayEndMinute = .max
    }

    private static func topics(of subject: Subject) -> [Topic] {
        switch subject {
        case .device(let device): [.device(device, .day), .device(device, .total)]
        case .person(let name): [.person(DeviceID(person: name), .day), .person(DeviceID(person: name), .total)]
        }
    }
}

extension HistoryStore {
    /// The messages for each of some devices and people, as they are now.
    package func totalsMessages(
        of subjects: [Subject], nowSeconds: Double, topics: TopicTree
    ) async throws(HistoryError) -> [Subject: TotalsMessages] {
        let nowMinute = Int64(clampingSeconds: nowSeconds) / 60
        let dates = LocalDate.dates(near: nowMinute)
        let erased = try await erased(among: subjects.compactMap(\.device))
        let profiles = try await profiles(of: subjects.compactMap(\.person))
        var messages: [Subject: TotalsMessages] = [:]
        for snapshot in try await snapshots(of: subjects, from: dates.lowerBound, to: dates.upperBound) {
            let record = snapshot.record
            let subject = record.subject
            // A device that is erased has no totals until it counts again; its config alone makes none.
            if record.firstMinute == nil, let device = subject.device, erased.contains(device) { continue }
            let today = day(of: record, at: nowMinute, among: snapshot.days)
            var progress = GoalProgress()
            if let goals = subject.person.flatMap({ profiles[$0]?.goals }), goals != Goals() {
                progress = try await self.progress(of: goals, record, on: today, nowMinute: nowMinute)
            }
            messages[subject] = TotalsMessages(record, today, progress, nowSeconds: nowSeconds, topics: topics)
        }
        for subject in subjects where messages[subject] == nil {
            messages[subject] = TotalsMessages(clearing: subject, topics: topics)
        }
        return messages
    }

    /// Which of some devices something was ever erased of.
    private func erased(among names: [DeviceID]) async throws(HistoryError) -> Set<DeviceID> {
        guard !names.isEmpty else { return [] }
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                names.map { SQLStatement("SELECT id FROM erasures WHERE device = $1 LIMIT 1", [.text("\($0)")]) })
            return Set(zip(names, results).compactMap { device, result in result.rows.isEmpty ? nil : device })
        }
    }
}

/// Retained totals, and the announcements of their devices and people to Home Assistant.
extension HistoryPublisher {
    /// Publishes totals as they fall due, until it is cancelled.
    func publishTotals() async {
        for await _ in totalsDue.stream {
            while case let due = totals.takeDue(nowSeconds: now()), !due.isEmpty {
                guard await publish(due) else { break }
            }
        }
    }

    /// Publishes totals.
    /// - Returns: Whether the broker has them; else they stay due.
    @discardableResult
    func publish(_ subjects: [Subject]) async -> Bool {
        do {
            let messages = try await store.totalsMessages(of: subjects, nowSeconds: now(), topics: topics)
            try await retain(messages.values.flatMap(\.messages))
            for (subject, message) in messages { totals.published(subject, dayEndMinute: message.dayEndMinute) }
            health[.published] += UInt64(messages.count * 2)
            await announce(messages)
            try await store.noteCleared(messages.filter(\.value.isClearing).map(\.key))
            return true
        } catch {
            logger.debug("totals are published later", metadata: ["error": "\(error)"])
            totals.change(subjects)
            health[.publishFailures] += 1
            return false
        }
    }

    /// Announces devices and people to Home Assistant, and takes away those of which nothing is kept.
    private func announce(_ published: [Subject: TotalsMessages]) async {
        guard homeAssistant != nil else { return }
        var messages: [RetainedMessage] = []
        for (subject, totals) in published {
            if totals.isClearing {
                if let message = homeAssistant?.remove(subject) { messages.append(message) }
            } else {
                let model = totals.kind.map { HomeAssistantDiscovery.Model.device($0) } ?? .person
                messages += homeAssistant?.announce([(subject, model)]) ?? []
            }
        }
        guard !messages.isEmpty else { return }
        do { try await retain(messages) } catch { homeAssistant?.announceAgain() }
    }

    /// The broker may have lost what it retained, or Home Assistant has started.
    func publishEverythingAgain() { recallDue.continuation.yield() }

    /// Names every device and person, so that the retained totals are published again, or taken away.
    func recall() async {
        for await _ in recallDue.stream {
            homeAssistant?.announceAgain()
            wallShownSeconds = nil
            classDueSeconds = -.infinity
            do throws(HistoryError) {
                totals.recall(try await store.retainedSubjects())
            } catch {
                logger.warning("retained totals may be old until they change", metadata: ["error": "\(error)"])
            }
        }
    }
}
