/// Reads decimal numbers from ASCII bytes without making strings.
enum NumberParser {
    /// Powers of ten that a Double holds exactly.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// The number that fills the range exactly, or nil. With at most 15 digits and a small exponent one multiplication
    /// or division of exact values is correctly rounded (Clinger, "How to read floating point numbers accurately",
    /// 1990); the rest goes to the standard library.
    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Double? {
        var index = range.lowerBound
        let end = range.upperBound
        guard index < end else { return nil }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var decimals = 0
        var sawPoint = false
        while index < end {
            let digit = bytes[index] &- UInt8(ascii: "0")
            if digit <= 9 {
                guard digits < 15 else { return parseSlowly(bytes, range) }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += 1
                decimals += sawPoint ? 1 : 0
            } else if bytes[index] == UInt8(ascii: "."), !sawPoint {
                sawPoint = true
            } else {
                return parseSlowly(bytes, range)
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        let magnitude = Double(mantissa) / powers[decimals]
        return isNegative ? -magnitude : magnitude
    }

    private static func parseSlowly(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Double? {
        guard let value = Double(String(decoding: bytes[range], as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}
