/// Takes the parts of an ISO 8601 time from text; anything unexpected throws `.malformed`, a date or a time of day that
/// does not exist `.absurdTime`.
struct ISOReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() throws(WireError) -> (year: Int, month: Int, day: Int) {
        let year = try number(4)
        try expect("-")
        let month = try number(2)
        try expect("-")
        let day = try number(2)
        guard year >= 1, (1...12).contains(month), day >= 1, day <= CivilDate.daysInMonth(year: year, month: month)
        else { throw .absurdTime }
        return (year, month, day)
    }

    mutating func separator() throws(WireError) {
        guard take("T") || take("t") || take(" ") else { throw .malformed }
    }

    /// `hh:mm` or `hh:mm:ss`; second 60 is a leap second.
    mutating func secondsOfDay() throws(WireError) -> Int {
        let hour = try number(2)
        try expect(":")
        let minute = try number(2)
        let second = take(":") ? try number(2) : 0
        guard hour < 24, minute < 60, second <= 60 else { throw .absurdTime }
        return hour * 3600 + minute * 60 + second
    }

    /// `.5`, `,5` or nothing.
    mutating func fraction() throws(WireError) -> Double {
        guard take(".") || take(",") else { return 0 }
        var numerator = 0.0
        var denominator = 1.0
        var digits = 0
        while let digit = takeDigit() {
            numerator = numerator * 10 + Double(digit)
            denominator *= 10
            digits += 1
        }
        guard digits > 0 else { throw .malformed }
        return numerator / denominator
    }

    /// `Z`, `+01:00`, `-0530` or `+01`, in seconds east of Greenwich.
    mutating func offsetSeconds() throws(WireError) -> Int {
        if take("Z") || take("z") { return 0 }
        let sign = take("-") ? -1 : 1
        if sign == 1 { try expect("+") }
        let hours = try number(2)
        _ = take(":")
        let minutes = isAtEnd ? 0 : try number(2)
        guard hours < 24, minutes < 60 else { throw .absurdTime }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func number(_ digits: Int) throws(WireError) -> Int {
        var number = 0
        for _ in 0..<digits {
            guard let digit = takeDigit() else { throw .malformed }
            number = number * 10 + digit
        }
        return number
    }

    private mutating func takeDigit() -> Int? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(WireError) {
        guard take(character) else { throw .malformed }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
