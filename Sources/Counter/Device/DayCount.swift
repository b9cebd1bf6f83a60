import Motion
import Wire

/// A running count that begins anew with each day of the device: its first reading of a day counts from 0, whatever its
/// value is, and what was still counted of the day before may come late.
struct DayCount: Sendable, Equatable {
    typealias Reading = RunningCount.Reading
    typealias Change = RunningCount.Change

    /// The longest time between two readings of a count that goes on over midnight, in microseconds.
    static let overMidnightMicroseconds: Int64 = 3_600_000_000

    /// The day of the newest reading, and the last value of the day before it.
    struct Day: Sendable, Equatable {
        fileprivate var number: Int64 = 0
        fileprivate var before: RunningCount.Mark?
        fileprivate var beforeNumber: Int64 = 0

        mutating func transfer(_ coder: inout StateCoder) {
            coder.code(&number)
            coder.code(optional: &before, empty: RunningCount.Mark()) { $0.code(&$1) }
            coder.code(&beforeNumber)
        }
    }

    var count = RunningCount()
    private var day = Day()

    /// Takes a reading, and appends what it adds.
    ///
    /// - Parameter today: the device's day at the reading's time.
    mutating func take(
        _ reading: Reading, on today: DeviceDay, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        var reading = reading
        reading.countsFromZero = true
        guard count.isBegun else {
            day.number = today.number
            return count.take(reading, into: &changes)
        }
        count.settleIfOld(at: reading.arrival, into: &changes)
        switch count.age(of: reading) {
        case .newer where today.number > day.number: return begin(today, reading, into: &changes)
        case .newer where today.number < day.number, .older:
            if let before = day.before, today.number == day.beforeNumber {
                return add(reading, toDayBefore: before, into: &changes)
            }
            return today.number < day.number ? .uncounted(.older) : count.take(reading, into: &changes)
        default: return count.take(reading, into: &changes)
        }
    }

    private mutating func begin(
        _ today: DeviceDay, _ reading: Reading, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        count.settleIfDeep(into: &changes)
        let before = count.mark
        let goesOn = goesOnOverMidnight(reading)
        day = Day(number: today.number, before: before, beforeNumber: day.number)
        if goesOn { return count.add(Int64(clamping: reading.value - before.value), reading, into: &changes) }
        count.startAnew(at: reading, notBefore: today.startMicroseconds)
        return count.add(Int64(clamping: reading.value), reading, into: &changes)
    }

    /// A device whose midnight is not that of its config goes on over it: its next word comes soon and is only a little
    /// higher.
    private func goesOnOverMidnight(_ reading: Reading) -> Bool {
        let last = count.mark
        guard reading.value >= last.value, reading.time - last.time <= Self.overMidnightMicroseconds else {
            return false
        }
        let delta = reading.value - last.value
        return delta < reading.value / 2 && RunningCount.isPlausible(delta, from: last.time, to: reading.time)
    }

    private mutating func add(
        _ reading: Reading, toDayBefore before: RunningCount.Mark, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        guard reading.value > before.value, reading.time >= before.time else { return .uncounted(.older) }
        changes.append(
            Change(amount: Int64(clamping: reading.value - before.value), start: before.time, end: reading.time))
        day.before = RunningCount.Mark(value: reading.value, time: reading.time)
        return .takenEarlier
    }

    mutating func transfer(_ coder: inout StateCoder) {
        count.transferCount(&coder)
        day.transfer(&coder)
    }
}
