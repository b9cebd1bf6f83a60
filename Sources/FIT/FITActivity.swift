package import Wire

/// A workout, second by second, as a FIT file of the kind Activity has it.
package struct FITActivity: Sendable {
    /// What is written of the whole is what the workout says, not counted anew from its seconds.
    package let workout: Workout
    private let numbers: WorkoutData
    /// Local time at the start minus UTC, in seconds.
    let utcOffsetSeconds: Int64
    /// In seconds since 1970; the end is not included.
    package let start, end: Int64
    /// When the timer stood, in seconds since 1970.
    package let pauses: [Range<Int64>]

    /// - Parameter numbers: Those of every second of the workout, pauses too.
    package init(_ workout: Workout, _ numbers: WorkoutData, utcOffsetSeconds: Int64 = 0) {
        (self.workout, self.numbers, self.utcOffsetSeconds) = (workout, numbers, utcOffsetSeconds)
        func second(_ time: Double) -> Int64 { time > 0 ? Int64(min(time, Double(FITFormat.lastSecond))) : 0 }
        let lengths = [numbers.cadence, numbers.watts, numbers.bpm].map { $0?.count ?? 0 }
        let start = second(workout.start)
        let end = start + Int64(lengths.max() ?? 0)
        (self.start, self.end) = (start, end)
        pauses = workout.pauses.map { (second($0.lowerBound)..<second($0.upperBound)).clamped(to: start..<end) }
            .filter { !$0.isEmpty }
    }

    /// Whether the cadence is of steps. FIT counts strides then: two steps each.
    package var isOfSteps: Bool { workout.kind != .ride }

    /// The seconds in which the timer ran: all but the pauses.
    package var timerSeconds: Int { Int(end - start) - pauses.reduce(0) { $0 + $1.count } }

    /// A second while the timer ran, with the way at its end.
    package struct Record: Sendable, Equatable {
        /// In seconds since 1970.
        package var time: Int64
        /// Revolutions or steps a minute; nil where it is not known, as the others.
        package var cadence, watts, bpm: Int?
        package var distanceMetres: Double?
        package var speedMetresPerSecond: Double?
    }

    /// The seconds while the timer ran. The distance of the whole goes to them by their cadence, which is what it was
    /// counted from; where none is known, in equal parts.
    package var records: [Record] {
        func number(_ numbers: [Int?]?, _ time: Int64) -> Int? {
            guard let numbers, time - start < numbers.count else { return nil }
            return numbers[Int(time - start)]
        }
        let paused = RangeSet(pauses)
        var records = RangeSet(start..<end).subtracting(paused).ranges.joined().map { time in
            Record(
                time: time, cadence: number(numbers.cadence, time), watts: number(numbers.watts, time),
                bpm: number(numbers.bpm, time))
        }
        guard let distance = workout.distanceMetres, distance.isFinite else { return records }
        let cadences = records.map { Double(max($0.cadence ?? 0, 0)) }
        let whole = cadences.reduce(0, +)
        var sum = 0.0
        for index in records.indices {
            let share = whole > 0 ? cadences[index] / whole : 1 / Double(records.count)
            sum += share
            records[index].distanceMetres = distance * min(sum, 1)
            records[index].speedMetresPerSecond = distance * share
        }
        return records
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
