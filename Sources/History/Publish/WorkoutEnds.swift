import Logging
import MQTT
import Wire

/// Whose workouts are looked at for one that has ended, and when. A value without clock.
///
/// A workout has ended when nothing belongs to it any more: after its longest pause, or at an edge that somebody set. It is
/// told when two looks have seen it as it is, so that what a counter or a phone still had to send is in it.
struct WorkoutEnds: Sendable {
    /// The time between two looks that may tell of an end, in seconds.
    static let lookSeconds = 60.0
    /// What ended longer ago is not told, in seconds.
    static let maximumAgeSeconds: Int64 = 86_400
    /// The most devices and people that are looked at one after the other, so that the other loops go on.
    private static let looksAtOnce = 20

    private struct Entry {
        var dueSeconds: Double
        /// The workouts that had ended at the last look.
        var ended: [WorkoutSpan] = []
    }

    private var entries: [Subject: Entry] = [:]

    /// Something moved: a workout of it ends after the longest pause at the earliest.
    mutating func noteMovement(of subjects: some Sequence<Subject>, nowSeconds: Double) {
        for subject in subjects where entries[subject] == nil {
            entries[subject] = Entry(dueSeconds: nowSeconds + Double(Workouts.longestPauseSeconds))
        }
    }

    /// Somebody set an edge, or nobody knows what has been told.
    mutating func noteEdge(of subjects: some Sequence<Subject>, nowSeconds: Double) {
        for subject in subjects {
            let due = nowSeconds + Self.lookSeconds
            entries[subject, default: Entry(dueSeconds: due)].dueSeconds = min(due, entries[subject]?.dueSeconds ?? due)
        }
    }

    func due(nowSeconds: Double) -> [Subject] {
        // A clock that was set back must not hold anything up.
        let latest = nowSeconds + 2 * Double(Workouts.longestPauseSeconds)
        let due = entries.lazy.filter { $0.value.dueSeconds <= nowSeconds || $0.value.dueSeconds > latest }
        return due.prefix(Self.looksAtOnce).map(\.key)
    }

    /// Takes the workouts of a subject as they are now, and gives those that are to be told.
    mutating func look(at spans: [WorkoutSpan], of subject: Subject, nowSeconds: Double) -> [WorkoutSpan] {
        let now = Int64(clampingSeconds: nowSeconds)
        let untold = spans.filter { span in
            !span.isDeleted && !span.isEndTold && span.seconds.upperBound >= now - Self.maximumAgeSeconds
        }
        let ended = untold.filter { $0.endSeconds <= now }
        let told = ended.filter { entries[subject]?.ended.contains($0) ?? false }
        let open = untold.filter { $0.endSeconds > now }.map(\.endSeconds).min()
        if told.count < ended.count {
            entries[subject] = Entry(dueSeconds: nowSeconds + Self.lookSeconds, ended: ended)
        } else {
            entries[subject] = open.map { Entry(dueSeconds: max(Double($0), nowSeconds + Self.lookSeconds)) }
        }
        return told
    }
}

extension WorkoutSpan {
    /// When nothing belongs to it any more.
    fileprivate var endSeconds: Int64 { seconds.upperBound + (hasEdgeAtEnd ? 0 : Workouts.longestPauseSeconds) }
}

extension HistoryPublisher {
    /// The time between two looks around, in seconds.
    private static var lookAroundSeconds: Double { 1 }

    /// Tells of workouts that have ended, until it is cancelled: also of those that ended while no history ran.
    func publishWorkoutEnds() async {
        let start = (Int64(clampingSeconds: now()) - WorkoutEnds.maximumAgeSeconds) / 60
        var isBehind = true
        repeat {
            if isBehind, let subjects = try? await store.subjects(countedSince: start) {
                workoutEnds.noteEdge(of: subjects, nowSeconds: now())
                isBehind = false
            }
            for subject in workoutEnds.due(nowSeconds: now()) { await publishWorkoutEnds(of: subject) }
        } while (try? await Task.sleep(for: .seconds(Self.lookAroundSeconds))) != nil
    }

    /// A workout is noted as told when the broker has it: a process that dies in between tells it once more.
    private func publishWorkoutEnds(of subject: Subject) async {
        let (answers, nowSeconds) = (HistoryAnswers(store: store), now())
        do {
            guard let record = try await store.record(of: subject) else {
                _ = workoutEnds.look(at: [], of: subject, nowSeconds: nowSeconds)
                return
            }
            let second = Int64(clampingSeconds: nowSeconds)
            let spans = try await answers.spans(of: record, in: second - WorkoutEnds.maximumAgeSeconds..<second + 1)
            let ended = workoutEnds.look(at: spans, of: subject, nowSeconds: nowSeconds)
            guard !ended.isEmpty else { return }
            let messages = try await answers.workouts(ended, of: record).map { workout, _ in
                MQTTPublication(topic: topics.bytes(.ended(subject)), payload: workout.event(of: subject).encodedJSON())
            }
            // The ends that the broker has are noted though history stops meanwhile.
            try await Task { [producer, store] in
                try await producer.publish(messages)
                try await store.noteTold(ended, isEnd: true, of: subject)
            }.value
            health[.published] += UInt64(messages.count)
            // The rides of the week may have been counted before its last minute.
            totals.recall([subject])
        } catch {
            workoutEnds.noteEdge(of: [subject], nowSeconds: nowSeconds)
            logger.debug("ends of workouts are told later", metadata: ["error": "\(error)"])
        }
    }
}

extension Topic {
    fileprivate static func ended(_ subject: Subject) -> Topic {
        switch subject {
        case .device(let device): .device(device, .workout)
        case .person(let name): .person(DeviceID(person: name), .workout)
        }
    }
}

extension Workout {
    /// What is told of it at its end: its figures without its pauses. What a device may read names nobody.
    fileprivate func event(of subject: Subject) -> Workout {
        var event = self
        event.pauses = []
        if !subject.isPerson { (event.persons, event.title) = ([], nil) }
        return event
    }
}
