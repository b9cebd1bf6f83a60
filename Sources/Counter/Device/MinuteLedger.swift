import Motion
package import Wire

/// The increments of one device since the last commit.
struct MinuteLedger: Sendable {
    typealias Origin = MinuteIncrement.Origin

    private let device: DeviceID
    /// One increment a minute and origin, in the order of their first change.
    private(set) var increments: [MinuteIncrement] = []
    private var places: [Place: Int] = [:]

    private struct Place: Hashable {
        var minute: Int64
        var origin: Origin
    }

    init(device: DeviceID) {
        self.device = device
    }

    mutating func change(
        at microseconds: Int64, by origin: Origin = .samples, _ body: (inout MinuteIncrement) -> Void
    ) {
        change(minute: MinuteIncrement.minute(of: microseconds), origin, body)
    }

    /// Adds a stretch of time with samples, minute by minute.
    mutating func cover(from start: Int64, to end: Int64, by origin: Origin = .samples) {
        forEachMinute(from: start, to: end) { minute, microseconds in
            change(minute: minute, origin) { $0.add(.covered, Quantity(microseconds)) }
        }
    }

    /// Spreads a whole number evenly over a stretch of time, so that the parts add up to it exactly. A stretch of no
    /// length, or longer than a day, gives all to its end.
    mutating func spread(
        _ amount: Int64, from start: Int64, to end: Int64, by origin: Origin,
        _ body: (inout MinuteIncrement, Quantity) -> Void
    ) {
        let length = end.subtractingReportingOverflow(start).partialValue
        guard length > 0, length <= ClockLimits.bridgeMicroseconds, amount.magnitude < 1 << 26 else {
            return change(at: end, by: origin) { body(&$0, Quantity(amount)) }
        }
        var given: Int64 = 0
        var passed: Int64 = 0
        forEachMinute(from: start, to: end) { minute, microseconds in
            passed += microseconds
            let due = amount * passed / length
            let share = due - given
            given = due
            if share != 0 { change(minute: minute, origin) { body(&$0, Quantity(share)) } }
        }
    }

    /// Notes a number for each of some seconds since 1970, of many the last.
    mutating func note(
        _ channel: Trace.Channel, _ value: Float, seconds: ClosedRange<Int64>, isOfSteps: Bool = false,
        by origin: Origin = .device
    ) {
        for second in max(seconds.lowerBound, seconds.upperBound - Self.maximumNoted)...seconds.upperBound {
            change(minute: second / Int64(Trace.seconds), origin) { increment in
                let second = Int(second % Int64(Trace.seconds))
                increment.note(channel, value, second: second, isOfSteps: isOfSteps)
            }
        }
    }

    /// The most seconds that are noted at once.
    private static let maximumNoted: Int64 = 66

    mutating func add(_ increment: MinuteIncrement) {
        change(minute: increment.minute, increment.origin) { $0.add(increment) }
    }

    /// Takes the seconds alone.
    mutating func addTrace(of increment: MinuteIncrement) {
        guard increment.trace != nil else { return }
        change(minute: increment.minute, increment.origin) { $0.addTrace(increment.trace) }
    }

    /// Takes off what stands in already for the same minute, from both.
    mutating func replace(_ standIn: inout MinuteIncrement) {
        guard let index = places[Place(minute: standIn.minute, origin: standIn.origin)] else { return }
        increments[index].takeOff(&standIn)
    }

    mutating func removeAll() {
        increments.removeAll(keepingCapacity: true)
        places = [:]
    }

    private mutating func change(minute: Int64, _ origin: Origin, _ body: (inout MinuteIncrement) -> Void) {
        let place = Place(minute: minute, origin: origin)
        if let index = places[place] { return body(&increments[index]) }
        var increment = MinuteIncrement(device: device, minute: minute, origin: origin)
        body(&increment)
        places[place] = increments.count
        increments.append(increment)
    }

    private func forEachMinute(from start: Int64, to end: Int64, _ body: (Int64, Int64) -> Void) {
        var position = start
        while position < end {
            let minute = MinuteIncrement.minute(of: position)
            let stop = min(end, (minute + 1) * MinuteIncrement.minuteMicroseconds)
            body(minute, stop - position)
            position = stop
        }
    }
}

/// The change of one minute of one device. Integers only, so that sums do not depend on how they are grouped.
package struct MinuteIncrement: Sendable, Equatable {
    package enum Origin: Sendable, Hashable {
        /// The counter, from samples.
        case samples
        /// The device itself.
        case device
        /// A recording of a ride or walk, second by second, that another device made.
        case recording
    }

    package var device: DeviceID
    /// Minutes since 1970, UTC.
    package var minute: Int64
    package var origin: Origin
    /// By `Amount`, in the counter's units: micrometres, microseconds, milliseconds. Steps are negative where a device
    /// corrects its own number.
    package internal(set) var sums = [Int64](repeating: 0, count: Amount.all.count)
    /// The lowest cadence above 0; 0 when there was none.
    package var cadenceMinimum: Float = 0
    package var cadenceMaximum: Float = 0
    /// The seconds that are known; `nil` where there are none.
    package internal(set) var trace: Trace?

    package init(device: DeviceID, minute: Int64, origin: Origin = .samples) {
        self.device = device
        self.minute = minute
        self.origin = origin
    }

    package subscript(amount: Amount) -> Int64 {
        get { sums[amount.rawValue] }
        set { sums[amount.rawValue] = newValue }
    }

    /// Adds to a sum, up to the ceiling of a quantity.
    package mutating func add(_ amount: Amount, _ quantity: Quantity) { add(at: amount.rawValue, quantity) }

    private mutating func add(at index: Int, _ quantity: Quantity) {
        sums[index] = (Quantity(sums[index]) + quantity).value
    }

    package mutating func add(_ other: MinuteIncrement) {
        for index in sums.indices { add(at: index, Quantity(other.sums[index])) }
        include(minimum: other.cadenceMinimum, maximum: other.cadenceMaximum)
        addTrace(other.trace)
    }

    mutating func addTrace(_ newer: Trace?) {
        guard let newer else { return }
        if trace == nil { trace = newer } else { trace?.merge(newer) }
    }

    mutating func note(_ channel: Trace.Channel, _ value: Float, second: Int, isOfSteps: Bool = false) {
        if trace == nil { trace = Trace() }
        trace?[channel, second] = Int(value.rounded())
        if channel == .cadence, value > 0 { trace?.isOfSteps = isOfSteps }
    }

    /// Adds a second of signal, beside its steps and revolutions.
    mutating func add(_ second: SecondReport) {
        add(.active, Quantity(Int64(second.activeMilliseconds)))
        add(Amount(ActivityKind(second.activity)), 1000)
        let cadence = second.cadenceRPM > 0 ? second.cadenceRPM : second.cadenceSPM
        let place = Int((second.timeMicroseconds - 1 - minute * Self.minuteMicroseconds) / 1_000_000)
        note(.cadence, cadence, second: place, isOfSteps: second.cadenceRPM == 0 && second.cadenceSPM > 0)
        guard cadence > 0 else { return }
        addCadence(cadence, milliseconds: 1000)
        include(minimum: cadence, maximum: cadence)
    }

    /// Adds a cadence that held for a while to the average, not to the extremes.
    mutating func addCadence(_ cadence: Float, milliseconds: Int64) {
        add(.cadenceIntegral, Quantity(rounding: Double(cadence) * Double(milliseconds)))
        add(.cadenceTime, Quantity(milliseconds))
    }

    /// Widens the range from the lowest cadence above 0 to the highest.
    mutating func include(minimum: Float, maximum: Float) {
        cadenceMaximum = max(cadenceMaximum, maximum)
        guard minimum > 0 else { return }
        cadenceMinimum = cadenceMinimum > 0 ? min(cadenceMinimum, minimum) : minimum
    }
}

extension MinuteIncrement {
    static func minute(of microseconds: Int64) -> Int64 { floorDivide(microseconds, minuteMicroseconds) }

    static let minuteMicroseconds: Int64 = 60_000_000
}

// MARK: - Standing in for a silent signal

extension MinuteIncrement {
    /// The increment without its extremes and its trace: no increment takes those off again, and a second that the end of a
    /// signal cuts short has none.
    var sumsOnly: MinuteIncrement {
        var copy = self
        (copy.cadenceMinimum, copy.cadenceMaximum, copy.trace) = (0, 0, nil)
        return copy
    }

    /// The increment that takes the sums of this one off again.
    var negated: MinuteIncrement {
        var copy = sumsOnly
        copy.sums = sums.map { -$0 }
        return copy
    }

    /// Takes what both have off both.
    fileprivate mutating func takeOff(_ other: inout MinuteIncrement) {
        for index in sums.indices {
            // Both are quantities, and neither falls below 0 by it.
            let both = max(0, min(sums[index], other.sums[index]))
            sums[index] -= both
            other.sums[index] -= both
        }
    }

    /// True where the minute has nothing: steps, revolutions, times and all other sums are 0.
    var isNothing: Bool { sums.allSatisfy { $0 == 0 } }

    /// The minute and the sums as part of a device's state.
    mutating func transferSums(_ coder: inout ByteCoder) {
        coder.code(&minute)
        for index in sums.indices { coder.code(&sums[index]) }
    }
}

extension MinuteIncrement {
    /// The minute with its gaps filled: of the counts of another origin, the share that lies in no time of this one. A
    /// second is not counted twice, in whatever order the two came.
    package func filled(with other: MinuteIncrement) -> MinuteIncrement {
        var trace = trace ?? Trace()
        if let known = other.trace { trace.fill(known) }
        var sum = self
        var share = openShare(of: other)
        if other.origin == .recording {
            // A device that counts itself may not say when in the minute: the larger of the two counts, not both.
            let (own, recorded) = (self[.steps] + self[.revolutions], other[.steps] + other[.revolutions])
            if own > 0, recorded > 0 { share = min(share, max(0, 1 - Double(own) / Double(recorded))) }
        }
        if share > 0 { sum.add(share == 1 ? other : other.part(share)) }
        sum.trace = trace.isEmpty ? nil : trace
        return sum
    }

    /// The share of another origin's counts in time that this one does not cover: by the cadence of its seconds, where both
    /// know theirs; what these do not tell, by the time.
    private func openShare(of other: MinuteIncrement) -> Double {
        let open = min(max(Self.minuteMicroseconds - self[.covered], 0), Self.minuteMicroseconds)
        let byTime = Double(open) / Double(Self.minuteMicroseconds)
        guard byTime > 0, byTime < 1, let trace, trace.knows(.cadence), let theirs = other.trace else { return byTime }
        var (told, uncovered) = (0.0, 0.0)
        for second in 0..<Trace.seconds {
            let counts = Double(theirs[.cadence, second] ?? 0) / 60
            told += counts
            if trace[.cadence, second] == nil { uncovered += counts }
        }
        let all = max(Double(other[.steps] + other[.revolutions]), told)
        return all > 0 ? (uncovered + (all - told) * byTime) / all : byTime
    }

    private func part(_ share: Double) -> MinuteIncrement {
        var scaled = self
        for index in sums.indices {
            scaled.sums[index] = Quantity(rounding: (Double(sums[index]) * share).rounded(.towardZero)).value
        }
        return scaled
    }
}
