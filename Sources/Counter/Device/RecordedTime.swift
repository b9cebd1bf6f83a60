import Wire

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
