/// A row of numbers as a row of bars, one character each.
package enum Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let nothing: Character = "·"

    /// The bars of `values`, scaled to the largest of them or to `top`; what is 0 or less is a dot, and what is not
    /// known is a space.
    package static func text(_ values: [Double?], top: Double? = nil) -> String {
        let largest = top ?? values.compactMap { $0 }.filter(\.isFinite).max() ?? 0
        return String(values.map { $0.map { bar($0, ofLargest: largest) } ?? " " })
    }

    private static func bar(_ value: Double, ofLargest largest: Double) -> Character {
        guard largest > 0, value.isFinite, value > 0 else { return nothing }
        return bars[Int(min(Double(bars.count - 1), value / largest * Double(bars.count)))]
    }
}

/// A number as a bar from left to right, in eighths of a cell.
package enum HorizontalBar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    private static let cells = 24

    /// The bar of a value, where the largest of all is another; nothing where it is 0 or less.
    package static func text(_ value: Double, ofLargest largest: Double) -> String {
        guard largest > 0, value.isFinite, value > 0 else { return "" }
        let parts = max(1, Int(min(1, value / largest) * Double(8 * cells)))
        return String(repeating: "█", count: parts / 8) + eighths[parts % 8]
    }
}

/// The cadence of the last minutes, in a fixed number of stretches.
struct CadenceTrace: Sendable {
    private let stretch: Duration
    private var start: ContinuousClock.Instant?
    /// The last cadence of each stretch up to `newest`; nil where none came.
    private var known: [Double?]
    private var newest = 0

    init(stretches: Int, each stretch: Duration) {
        self.stretch = stretch
        known = Array(repeating: nil, count: stretches)
    }

    /// Takes a cadence. Times do not go back.
    mutating func take(_ value: Double, at now: ContinuousClock.Instant) {
        start = start ?? now
        known = values(at: now)
        newest = max(newest, index(at: now))
        known[known.count - 1] = value
    }

    /// The values until now, the newest last. A rider who stopped stays at 0: nothing more is published of one.
    func values(at now: ContinuousClock.Instant) -> [Double?] {
        let shift = min(max(0, index(at: now) - newest), known.count)
        let since: Double? = known.last == 0 ? 0 : nil
        return Array(known.dropFirst(shift)) + Array(repeating: since, count: shift)
    }

    private func index(at now: ContinuousClock.Instant) -> Int {
        start.map { Int((now - $0) / stretch) } ?? 0
    }
}
