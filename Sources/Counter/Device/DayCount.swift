import Foundation
import Motion
import ServiceKit
import Wire

/// A running count that begins anew with each day of the device: its first reading of a day counts from 0, whatever its
/// value is, and what was still counted of the day before may come late.
struct DayCount: Sendable, Equatable {
    typealias Reading = RunningCount.Reading
    typealias Change = RunningCount.Change

    /// The longest time between two readings of a count that goes on over midnight, in microseconds.
    static let overMidnightMicroseconds: Int64 = 3_600_000_000

    var count = RunningCount()
    /// The day of the newest reading, and the day before it with its last value.
    private var day: Int64 = 0
    private var dayBefore: Int64 = 0
    private var before: RunningCount.Mark?

    /// Takes a reading, and appends what it adds.
    ///
    /// - Parameter today: the device's day at the reading's time.
    mutating func take(
        _ reading: Reading, on today: DeviceDay, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        var reading = reading
        (reading.countsFromZero, reading.zeroAt) = (true, today.startMicroseconds)
        guard count.isBegun else {
            day = today.number
            return count.take(reading, into: &changes)
        }
        count.settleWhenOverdue(now: reading.arrival, into: &changes)
        switch count.age(of: reading) {
        case .newer where today.number > day: return begin(today, reading, into: &changes)
        case .newer where today.number < day, .older:
            if let before, today.number == dayBefore {
                return add(reading, toDayBefore: before, into: &changes)
            }
            return today.number < day ? .uncounted(.older) : count.take(reading, into: &changes)
        default: return count.take(reading, into: &changes)
        }
    }

    private mutating func begin(
        _ today: DeviceDay, _ reading: Reading, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        let isPossible = Allowance.allows(reading.value, from: today.startMicroseconds, to: reading.time)
        if isPossible { count.settleIfDeep(into: &changes) }
        let last = count.mark
        let goesOn = goesOnOverMidnight(reading, isCertain: !isPossible)
        guard isPossible || goesOn else {
            let elapsed = max(0, reading.time - today.startMicroseconds)
            return .implausible(RunningCount.Jump(value: reading.value, before: 0, elapsed: elapsed))
        }
        (day, dayBefore, before) = (today.number, day, last)
        if goesOn { return count.add(Int64(clamping: reading.value - last.value), reading, into: &changes) }
        count.startAnew(at: reading, notBefore: today.startMicroseconds)
        count.allowance.begin()
        return count.add(Int64(clamping: reading.value), reading, into: &changes)
    }

    /// A device whose midnight is not that of its config goes on over it: its next word comes soon and is only a little
    /// higher, or it is more than the day can have had so far. One that says what it said before, however long ago, has not
    /// seen the day yet.
    private func goesOnOverMidnight(_ reading: Reading, isCertain: Bool) -> Bool {
        let last = count.mark
        guard reading.value >= last.value else { return false }
        let delta = reading.value - last.value
        guard Allowance.allows(delta, from: last.time, to: reading.time) else { return false }
        let isSoon = reading.time - last.time <= Self.overMidnightMicroseconds
        return isCertain || delta == 0 || isSoon && delta < reading.value / 2
    }

    private mutating func add(
        _ reading: Reading, toDayBefore before: RunningCount.Mark, into changes: inout [Change]
    ) -> RunningCount.Verdict {
        guard reading.value > before.value, reading.time >= before.time else { return .uncounted(.older) }
        let elapsed = reading.time - before.time
        guard Allowance.allows(reading.value - before.value, from: before.time, to: reading.time) else {
            return .implausible(RunningCount.Jump(value: reading.value, before: before.value, elapsed: elapsed))
        }
        changes.append(
            Change(amount: Int64(clamping: reading.value - before.value), start: before.time, end: reading.time))
        self.before = RunningCount.Mark(value: reading.value, time: reading.time, arrival: reading.arrival)
        return .takenEarlier
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        count.transfer(&coder)
        coder.code(&day)
        coder.code(optional: &before, empty: RunningCount.Mark()) { $0.code(&$1) }
        coder.code(&dayBefore)
    }
}

/// A day of a device: it begins at the device's midnight, or later where its config says so.
struct DeviceDay: Sendable, Equatable {
    /// Days since 1970-01-01 on the device's wall clock.
    var number: Int64
    /// Its beginning, in microseconds since 1970, UTC.
    var startMicroseconds: Int64

    private static let daySeconds: Int64 = 86_400

    /// The day of a time.
    ///
    /// - Parameters:
    ///   - microseconds: the time, since 1970, UTC.
    ///   - zone: the IANA name of the device's zone; one that is not known counts as UTC.
    ///   - dayStartMinutes: minutes after midnight at which the day begins.
    init(of microseconds: Int64, zone: String, dayStartMinutes: Int) {
        let seconds = microseconds / 1_000_000
        let zone = TimeZoneName.zone(zone) ?? .gmt
        let start = Int64(dayStartMinutes) * 60
        let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        let local = seconds + offset - start
        number = local >= 0 ? local / Self.daySeconds : (local + 1) / Self.daySeconds - 1
        // The offset may have been another one when the day began.
        let begun = number * Self.daySeconds + start - offset
        let offsetThen = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(begun))))
        startMicroseconds = (begun + offset - offsetThen) * 1_000_000
    }
}
