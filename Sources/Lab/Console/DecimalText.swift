/// Numbers as people read them in a table.
public enum DecimalText {
    /// A number with a fixed count of decimals (0 to 6), rounded half away from zero; `–` where it is not finite.
    public static func fixed(_ value: Double, decimals: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        let digits = min(max(decimals, 0), 6)
        let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let whole = scaled / Int64(scale)
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// Seconds as `1:02:03`, hours first however few they are: `2:03` could be hours and minutes.
    public static func clock(seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
        let total = Int(seconds.rounded())
        return "\(total / 3600):\(padded(total / 60 % 60)):\(padded(total % 60))"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
