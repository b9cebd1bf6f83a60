package import Wire

/// The cost of answers: all of them together, and the most expensive one of the last hour by verb.
package struct RequestCosts: Sendable {
    /// The cost of one answer.
    package struct Cost: Sendable, Equatable {
        /// The time that it took, in milliseconds.
        package var milliseconds: UInt64
        /// The rows of the store that were read for it.
        package var rows: UInt64

        package init(milliseconds: UInt64, rows: UInt64) { (self.milliseconds, self.rows) = (milliseconds, rows) }
    }

    /// The time that a cost is remembered, in minutes.
    static let keptMinutes: Int64 = 60

    private var sum = Cost(milliseconds: 0, rows: 0)
    /// The most expensive answer of each minute that had one.
    private var dearest: [RequestVerb: [Int64: Cost]] = [:]

    package init() {}

    /// Adds an answer.
    package mutating func note(_ cost: Cost, of verb: RequestVerb, nowSeconds: Double) {
        sum.milliseconds &+= cost.milliseconds
        sum.rows &+= cost.rows
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var minutes = kept(dearest[verb] ?? [:], at: minute)
        minutes[minute] = Self.dearer(cost, minutes[minute])
        dearest[verb] = minutes
    }

    /// The counters on `service/history/health`: sums, and of the last hour the dearest by verb.
    package func counters(nowSeconds: Double) -> [(name: String, value: UInt64)] {
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var counters = [(name: "requests_ms", value: sum.milliseconds), ("requests_rows", sum.rows)]
        for verb in RequestVerb.allCases {
            guard let cost = kept(dearest[verb] ?? [:], at: minute).values.reduce(nil, Self.dearer) else { continue }
            let word = verb.rawValue.replacing("/", with: "_")
            counters += [("dearest_\(word)_ms", cost.milliseconds), ("dearest_\(word)_rows", cost.rows)]
        }
        return counters
    }

    /// The costs of the last hour; a clock that was set back keeps none of its future.
    private func kept(_ minutes: [Int64: Cost], at minute: Int64) -> [Int64: Cost] {
        minutes.filter { (minute - Self.keptMinutes...minute).contains($0.key) }
    }

    private static func dearer(_ one: Cost, _ other: Cost?) -> Cost {
        guard let other else { return one }
        return (one.milliseconds, one.rows) > (other.milliseconds, other.rows) ? one : other
    }

    private static func dearer(_ one: Cost?, _ other: Cost) -> Cost? { dearer(other, one) }
}
