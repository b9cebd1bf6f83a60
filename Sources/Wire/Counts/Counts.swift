/// A number of steps, revolutions, micrometres or milliseconds that follows from what a device said.
///
/// Its arithmetic neither traps nor wraps: it stops at `ceiling`, which is beyond anything that is made in a lifetime. What
/// devices say is checked before (`MotionRecord.isWithinBounds`, `Allowance`); this is for what they say one after another for
/// ever, and for lengths that a config multiplies it with.
package struct Quantity: Sendable, Hashable, Comparable, AdditiveArithmetic, ExpressibleByIntegerLiteral {
    /// The largest magnitude: the sum of two fits into 64 bits.
    package static let ceiling: Int64 = 1 << 62 - 1

    package private(set) var value: Int64

    package init(_ value: Int64) { self.value = min(max(value, -Self.ceiling), Self.ceiling) }

    package init(integerLiteral value: Int64) { self.init(value) }

    /// The nearest whole number; 0 for what is no number.
    package init(rounding number: Double) {
        let bounded = min(max(number, -Double(Self.ceiling)), Double(Self.ceiling))
        self.init(bounded.isNaN ? 0 : Int64(bounded.rounded()))
    }

    package static func < (left: Quantity, right: Quantity) -> Bool { left.value < right.value }
    package static func + (left: Quantity, right: Quantity) -> Quantity { Quantity(left.value &+ right.value) }
    package static func - (left: Quantity, right: Quantity) -> Quantity { Quantity(left.value &- right.value) }

    package static func * (left: Quantity, right: Quantity) -> Quantity {
        let (product, overflow) = left.value.multipliedReportingOverflow(by: right.value)
        guard overflow else { return Quantity(product) }
        return Quantity((left.value < 0) == (right.value < 0) ? ceiling : -ceiling)
    }
}

/// A number that is counted minute by minute and adds up.
///
/// `row` is the one table of them: what a new one costs is a case and its row. The columns of both stores, the batches
/// between the services, sums, days, totals and payloads follow.
package enum Amount: Int, CaseIterable, Sendable {
    case steps
    /// Crank revolutions.
    case revolutions
    case distance
    /// Time with steps or revolutions.
    case active
    /// Time covered by samples.
    case covered
    /// Cadence integrated over the time with one, in thousandths of rpm·s or of steps/min·s, and that time in milliseconds.
    case cadenceIntegral, cadenceTime
    /// Floors gone up and down on foot.
    case floorsUp, floorsDown
    case pressures
    /// Time in each activity, in the order of `ActivityKind`.
    case unknown, stationary, walking, running, cycling, automotive

    /// Where and in which units a number is kept.
    package struct Row: Sendable {
        /// The column of history's minutes, and of the counter's.
        package let column: String
        /// The counter's column and how many of its units are one of history's, where it keeps finer ones: so that sums
        /// do not depend on how they are grouped.
        var finer: (column: String, units: Int64)?
        /// The name in payloads; `nil` where days and totals do not have it.
        var name: String?
        /// The decimals in payloads, where history's unit is the last of them: 3 for millimetres in metres.
        var decimals = 0
        /// What must have been counted for this to be known; else 0 means 0.
        package var knownBy: Amount?
        /// True where the number stays in the counter.
        var isCountersAlone = false

        package var countersColumn: String { finer?.column ?? column }
        package var countersUnits: Int64 { finer?.units ?? 1 }
    }

    private var ownRow: Row {
        switch self {
        case .steps: Row(column: "steps", name: "steps")
        case .revolutions: Row(column: "revolutions", name: "revolutions")
        case .distance: Row(column: "distance_mm", finer: ("distance_um", 1000), name: "distance_m", decimals: 3)
        case .active: Row(column: "active_ms", name: "active_s", decimals: 3)
        case .covered: Row(column: "covered_ms", finer: ("covered_us", 1000), name: "covered_s", decimals: 3)
        case .cadenceIntegral: Row(column: "cadence_milli", isCountersAlone: true)
        case .cadenceTime: Row(column: "cadence_ms", isCountersAlone: true)
        case .floorsUp: Row(column: "floors_up", name: "floors_ascended", knownBy: .pressures)
        case .floorsDown: Row(column: "floors_down", name: "floors_descended", knownBy: .pressures)
        case .pressures: Row(column: "pressures", isCountersAlone: true)
        case .unknown: Row(column: "unknown_ms")
        case .stationary: Row(column: "stationary_ms")
        case .walking: Row(column: "walking_ms")
        case .running: Row(column: "running_ms")
        case .cycling: Row(column: "cycling_ms")
        case .automotive: Row(column: "automotive_ms")
        }
    }

    private static let rows = all.map(\.ownRow)
    package var row: Row { Self.rows[rawValue] }

    package static let all = allCases
    /// What history has of a minute.
    package static let ofMinutes = all.filter { !$0.row.isCountersAlone }
    /// What days and totals have.
    package static let ofDays = all.filter { $0.row.name != nil }
    package static let activities = ActivityKind.allCases.map { Amount($0) }

    /// The time in an activity.
    package init(_ activity: ActivityKind) {
        self = Amount(rawValue: Amount.unknown.rawValue + Int(activity.rawValue)) ?? .unknown
    }
}

/// What was counted in some time: of a minute or a day, of a device for ever, or the change between two of them. In the
/// units of history: millimetres and milliseconds.
public struct Counts: Sendable, Hashable {
    /// By `Amount`; `nil` where it is not known.
    private var numbers = Self.nothing

    private static let nothing = Amount.all.map { amount -> Int64? in amount.row.knownBy == nil ? 0 : nil }

    package init(_ numbers: [Amount: Int64] = [:]) {
        for (amount, number) in numbers { self[amount] = number }
    }

    /// What is not known reads 0.
    package subscript(amount: Amount) -> Int64 {
        get { numbers[amount.rawValue] ?? 0 }
        set { numbers[amount.rawValue] = newValue }
    }

    /// `nil` for what is not known.
    package func known(_ amount: Amount) -> Int64? { numbers[amount.rawValue] }

    /// Adds. A minute has counts of 32 bits, so 64 bits last for every minute there is.
    package static func += (sum: inout Counts, other: Counts) { sum.combine(with: other, &+) }

    package static func - (new: Counts, old: Counts) -> Counts {
        var change = new
        change.combine(with: old, &-)
        return change
    }

    package func raised(to other: Counts) -> Counts {
        var most = self
        most.combine(with: other, max)
        return most
    }

    package func only(_ amounts: [Amount]) -> Counts {
        var some = Counts()
        for amount in amounts { some.numbers[amount.rawValue] = numbers[amount.rawValue] }
        return some
    }

    private mutating func combine(with other: Counts, _ combine: (Int64, Int64) -> Int64) {
        for index in numbers.indices where numbers[index] != nil || other.numbers[index] != nil {
            numbers[index] = combine(numbers[index] ?? 0, other.numbers[index] ?? 0)
        }
    }
}

extension Counts {
    package var steps: Int64 {
        get { self[.steps] }
        set { self[.steps] = newValue }
    }
    /// Crank revolutions.
    package var revolutions: Int64 {
        get { self[.revolutions] }
        set { self[.revolutions] = newValue }
    }
    package var distanceMillimetres: Int64 {
        get { self[.distance] }
        set { self[.distance] = newValue }
    }
    /// Time with steps or revolutions.
    package var activeMilliseconds: Int64 {
        get { self[.active] }
        set { self[.active] = newValue }
    }
    /// Time covered by samples.
    package var coveredMilliseconds: Int64 {
        get { self[.covered] }
        set { self[.covered] = newValue }
    }
    /// Floors on foot; `nil` without a barometer.
    package var floors: FloorCounts? {
        get {
            guard known(.floorsUp) != nil || known(.floorsDown) != nil else { return nil }
            return FloorCounts(
                ascended: UInt64(clamping: self[.floorsUp]), descended: UInt64(clamping: self[.floorsDown]))
        }
        set {
            numbers[Amount.floorsUp.rawValue] = newValue.map { Int64(clamping: $0.ascended) }
            numbers[Amount.floorsDown.rawValue] = newValue.map { Int64(clamping: $0.descended) }
        }
    }
}

/// A cadence, a heart rate or a power of some time, as its sums.
package struct RateSum: Sendable, Hashable {
    /// The rate integrated over time, in rpm·s, steps/min·s, bpm·s or joules: divided by `seconds`, the mean.
    package var integral = 0.0
    /// Seconds with a rate: of a cadence, those above 0.
    package var seconds: Int64 = 0
    /// The lowest above 0; 0 when there was none.
    package var minimum = 0.0
    package var maximum = 0.0

    package init(integral: Double = 0, seconds: Int64 = 0, minimum: Double = 0, maximum: Double = 0) {
        (self.integral, self.seconds) = (integral, seconds)
        (self.minimum, self.maximum) = (minimum, maximum)
    }

    /// The time-weighted mean; `nil` without any.
    package var mean: Double? { seconds > 0 ? integral / Double(seconds) : nil }

    package static func += (sum: inout RateSum, other: RateSum) {
        sum.integral += other.integral
        sum.seconds &+= other.seconds
        sum.maximum = max(sum.maximum, other.maximum)
        if other.minimum > 0 { sum.minimum = sum.minimum > 0 ? min(sum.minimum, other.minimum) : other.minimum }
    }
}

// MARK: - Payloads

extension Counts {
    /// `steps`, `revolutions`, `distance_m`, `active_s`, `covered_s`, and the floors if they are known.
    mutating func fields(_ list: inout FieldList) throws(WireError) {
        for amount in Amount.ofDays {
            let row = amount.row
            guard let name = row.name else { continue }
            let form: FieldForm<Int64> = row.decimals == 0 ? .count : .thousandths
            if row.knownBy == nil {
                try list.field(name, &self[amount], form)
            } else {
                try list.field(name, &numbers[amount.rawValue], form)
            }
        }
    }
}

extension FieldForm<Int64> {
    fileprivate static var count: Self {
        Self(
            read: { json throws(WireError) in Int64(clamping: try json.count()) },
            write: { $0.value(UInt64(clamping: $1)) })
    }

    /// Thousandths, written as the whole: the metres or seconds of all time.
    fileprivate static var thousandths: Self {
        Self { json throws(WireError) in
            Int64((try json.number(in: PayloadLimits.durationSeconds) * 1000).rounded())
        } write: {
            $0.value(Double(max(0, $1)) / 1000, decimals: 3)
        }
    }
}

/// A payload with counts.
public protocol Counted: Sendable {
    /// What was counted.
    var counts: Counts { get set }
}

extension Counted {
    /// Steps.
    public var steps: UInt64 { UInt64(clamping: counts.steps) }
    /// Crank revolutions.
    public var revolutions: UInt64 { UInt64(clamping: counts.revolutions) }
    /// Distance, in metres.
    public var distanceMetres: Double { Double(max(0, counts.distanceMillimetres)) / 1000 }
    /// The time with steps or revolutions, in seconds.
    public var activeSeconds: Double { Double(max(0, counts.activeMilliseconds)) / 1000 }
    /// The time covered by samples, in seconds.
    public var coveredSeconds: Double { Double(max(0, counts.coveredMilliseconds)) / 1000 }
    /// Floors gone on foot; `nil` if no barometer reported its pressure.
    public var floors: FloorCounts? { counts.floors }
}

/// Floors gone on foot, up and down, as measured by a barometer.
public struct FloorCounts: Sendable, Hashable {
    /// Floors gone up.
    public var ascended: UInt64 = 0
    /// Floors gone down.
    public var descended: UInt64 = 0
}
