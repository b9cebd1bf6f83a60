import Motion
import Wire

/// The time of frames that have no number, by the device's own clock: one that lies in it was counted before, however many
/// came since.
///
/// A clock that was set back goes through the same time once more, at the pace of arrivals. A broker delivers again as fast
/// as it can.
struct CoveredTime: Sendable, Equatable {
    /// The most stretches that are remembered. The shortest gap is closed where there would be more.
    static let maximumStretches = 64
    /// Frames of one sample lie no further apart where they follow each other, in microseconds.
    static let sampleGapMicroseconds: Int64 = 100_000

    private var covered = RangeSet<Int64>()
    /// The first of the frames in a row that lie in covered time: its time and its arrival.
    private var again: Again?

    private struct Again: Sendable, Equatable {
        var time: Int64 = 0
        var arrival: Int64 = 0
    }

    /// Takes the time of a frame; false where the frame lies in time that was covered before.
    mutating func take(_ start: Int64, duration: Int64, arrival: Int64) -> Bool {
        let isOlder = covered.ranges.last.map { start < $0.upperBound - duration - ClockLimits.jitterMicroseconds }
        if isOlder ?? false, covered.contains(start + duration / 2) {
            guard isSetBack(start, arrival: arrival) else { return false }
            covered.remove(contentsOf: start..<Int64.max)
        }
        again = nil
        insert(start, duration: duration)
        return true
    }

    /// Whether the device's clock was set back: frames in covered time have come as fast as their times advance.
    private mutating func isSetBack(_ start: Int64, arrival: Int64) -> Bool {
        guard let first = again, start >= first.time, arrival >= first.arrival else {
            again = Again(time: start, arrival: arrival)
            return false
        }
        let elapsed = arrival - first.arrival
        return elapsed >= ClockLimits.confirmationMicroseconds && start - first.time <= elapsed * 3 / 2
    }

    private mutating func insert(_ start: Int64, duration: Int64) {
        let end = start + max(duration, 1)
        let gap = duration > 0 ? duration / 2 : Self.sampleGapMicroseconds
        let before = covered.ranges.last { $0.lowerBound <= start }
        let follows = before.map { start - $0.upperBound <= gap } ?? false
        covered.insert(contentsOf: min(start, follows ? before?.upperBound ?? start : start)..<end)
        guard covered.ranges.count > Self.maximumStretches else { return }
        let gaps = zip(covered.ranges, covered.ranges.dropFirst()).map { $0.upperBound..<$1.lowerBound }
        if let shortest = gaps.min(by: { $0.count < $1.count }) { covered.insert(contentsOf: shortest) }
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&covered, maximum: Self.maximumStretches)
        coder.code(optional: &again, empty: Again()) {
            $0.code(&$1.time)
            $0.code(&$1.arrival)
        }
    }
}

/// The seconds that came in recordings of other devices, by the time that they are of: one that comes again is known.
struct RecordedTime: Sendable, Equatable {
    /// The most stretches of a device that are remembered. What would be one more is refused, because it could be counted
    /// twice.
    static let maximumStretches = 1_024

    private var seconds = RangeSet<Int64>()
    /// Millionths of a step or revolution beyond the whole ones.
    private var partMicros: Int64 = 0

    /// Takes the seconds of a recording; those that are new, or `nil` where there is no room.
    mutating func take(_ range: Range<Int64>) -> RangeSet<Int64>? {
        var all = seconds
        all.insert(contentsOf: range)
        guard all.ranges.count <= Self.maximumStretches else { return nil }
        let new = RangeSet(range).subtracting(seconds)
        seconds = all
        return new
    }

    /// The whole steps or revolutions that one more second of a cadence makes.
    mutating func count(perMinute cadence: Int) -> Int64 {
        // In sixtieths, of which an hour's add up to whole ones.
        let sixtieths = (partMicros * 60 + 500_000) / 1_000_000 + Int64(cadence)
        partMicros = sixtieths % 60 * 1_000_000 / 60
        return sixtieths / 60
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&seconds, maximum: Self.maximumStretches)
        coder.code(&partMicros)
        if !(0..<1_000_000).contains(partMicros) { coder.reject() }
    }
}

extension DeviceCounter {
    /// Takes what another device recorded. Seconds that came before add nothing.
    mutating func accept(_ recorded: RecordedSeconds, arrival: Int64) {
        let end = recorded.start + Int64(recorded.count)
        guard end <= (arrival + ClockLimits.aheadMicroseconds) / 1_000_000 else {
            sequence.counts.stale &+= 1
            return health.refuse(.absurdTime, count: 1)
        }
        guard let new = recordedTime.take(recorded.start..<end) else {
            sequence.counts.accepted &+= 1
            return health.refuseImplausible(
                "a recording is of a time apart from \(RecordedTime.maximumStretches) others, and is left out: it could be counted twice"
            )
        }
        guard !new.isEmpty else { return sequence.counts.duplicate &+= 1 }
        sequence.counts.accepted &+= 1
        for second in new.ranges.lazy.flatMap(\.self) { take(second, of: recorded) }
    }

    private mutating func take(_ second: Int64, of recorded: RecordedSeconds) {
        let (place, time) = (Int(second - recorded.start), second * 1_000_000)
        let readings: [(kind: Reading.Kind, numbers: [Int?])] = [(.power, recorded.watts), (.heart, recorded.bpm)]
        for reading in readings where reading.numbers.indices.contains(place) {
            guard let number = reading.numbers[place] else { continue }
            guard reading.kind.range.contains(Float(number)) else {
                health.refuse(reading.kind.refusal, count: 1)
                continue
            }
            ledger.note(reading.kind, Float(number), seconds: second...second, by: .recording)
        }
        guard recorded.cadence.indices.contains(place), let cadence = recorded.cadence[place] else { return }
        guard Float(cadence) <= CrankCadence.maximumRPM else {
            return health.refuse(Reading.Kind.cadence.refusal, count: 1)
        }
        cover(
            from: time, to: time + 1_000_000, perMinute: Float(cadence), as: recorded.activity(cadence),
            isOfSteps: recorded.isOfSteps, by: .recording)
        let made = Quantity(recordedTime.count(perMinute: cadence))
        let each =
            recorded.isOfSteps
            ? settings.stepLength.micrometres(rateHz: Double(cadence) / 60) : settings.micrometresPerRevolution
        ledger.change(at: time, by: .recording) {
            $0.add(recorded.isOfSteps ? .steps : .revolutions, made)
            $0.add(.distance, made * each)
        }
        // Of a recording beside the device's own counts the minute's row takes a part, which the live totals do not know.
        guard selfCountings == SelfCounting.unused else { return }
        if recorded.isOfSteps {
            reports.add(steps: made, micrometresPerStep: each, at: time, isLive: false)
        } else {
            reports.add(revolutions: made, distanceMicrometres: made * each, at: time)
        }
    }
}

extension RecordedSeconds {
    /// Walkers and runners part at some 140 steps a minute (Tudor-Locke et al., International Journal of Behavioral
    /// Nutrition and Physical Activity 2019: 130 steps a minute are a vigorous walk).
    fileprivate func activity(_ cadence: Int) -> Amount {
        !isOfSteps ? .cycling : cadence >= 140 ? .running : .walking
    }
}
