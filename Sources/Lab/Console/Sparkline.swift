/// A row of numbers as a row of bars, one character each.
public enum Sparkline {
    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    private static let nothing: Character = "·"

    /// The bars of `values`, scaled to the largest; nothing and everything below 0 is a dot.
    public static func text(_ values: [Double]) -> String {
        let largest = values.filter(\.isFinite).max() ?? 0
        return String(values.map { bar($0, ofLargest: largest) })
    }

    /// The bar of a value, where the largest of all is another.
    public static func bar(_ value: Double, ofLargest largest: Double) -> Character {
        guard largest > 0, value.isFinite, value > 0 else { return nothing }
        return bars[min(bars.count - 1, Int(value / largest * Double(bars.count)))]
    }
}
