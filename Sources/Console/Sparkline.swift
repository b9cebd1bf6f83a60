/// A row of numbers as a row of bars, one character each.
public enum Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The bars of `values`, scaled to the largest; nothing and everything below 0 is the lowest bar.
    public static func text(_ values: [Double]) -> String {
        let largest = values.filter(\.isFinite).max() ?? 0
        return String(
            values.map { value in
                guard largest > 0, value.isFinite, value > 0 else { return bars[0] }
                return bars[min(bars.count - 1, Int(value / largest * Double(bars.count)))]
            })
    }
}
