package import Wire

/// The time that answers take, in milliseconds: of all together, and of the slowest one of the last hour by verb.
package struct RequestCosts: Sendable {
    /// The time that one is remembered, in minutes.
    static let keptMinutes: Int64 = 60

    private var sum: UInt64 = 0
    /// The slowest answer of each minute that had one.
    private var slowest: [RequestVerb: [Int64: UInt64]] = [:]

    package init() {}

    /// Adds an answer.
    package mutating func note(milliseconds: UInt64, of verb: RequestVerb, nowSeconds: Double) {
        sum &+= milliseconds
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var minutes = kept(slowest[verb] ?? [:], at: minute)
        minutes[minute] = max(milliseconds, minutes[minute] ?? 0)
        slowest[verb] = minutes
    }

    /// The counters on `service/history/health`.
    package func counters(nowSeconds: Double) -> [(name: String, value: UInt64)] {
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        return [("requests_ms", sum)]
            + RequestVerb.allCases.compactMap { verb in
                kept(slowest[verb] ?? [:], at: minute).values.max().map { milliseconds in
                    ("dearest_\(verb.rawValue.replacing("/", with: "_"))_ms", milliseconds)
                }
            }
    }

    /// Those of the last hour; a clock that was set back keeps none of its future.
    private func kept(_ minutes: [Int64: UInt64], at minute: Int64) -> [Int64: UInt64] {
        minutes.filter { (minute - Self.keptMinutes...minute).contains($0.key) }
    }
}
