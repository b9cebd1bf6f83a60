/// A time in a request: an instant, or a day of the device's own calendar.
public enum TimePoint: Sendable, Hashable {
    /// Seconds since 1970, UTC.
    case instant(seconds: Double)
    /// A date in the time zone of the request.
    case localDate(year: Int, month: Int, day: Int)

    /// Reads `2026-11-20`, or `2026-11-20T17:00:00.5+01:00` with a zone or an offset (ISO 8601 as RFC 3339 profiles it;
    /// seconds and fraction may be left out). A time without a zone is refused: it could mean any instant of a day.
    public init(parsing text: String) throws(WireError) {
        guard text.utf8.count <= Self.maximumBytes else { throw .outOfRange }
        var reader = ISOReader(text)
        let (year, month, day) = try reader.date()
        if reader.isAtEnd {
            self = .localDate(year: year, month: month, day: day)
            return
        }
        try reader.separator()
        let days = CivilDate.days(year: year, month: month, day: day)
        let seconds = Double(days * 86_400 + (try reader.secondsOfDay())) + (try reader.fraction())
        let offset = try reader.offsetSeconds()
        guard reader.isAtEnd else { throw .malformed }
        guard PayloadLimits.timeSeconds.contains(seconds - Double(offset)) else { throw .absurdTime }
        self = .instant(seconds: seconds - Double(offset))
    }

    /// Reads a field: text as above, or a number of seconds since 1970.
    package init(value: JSONValue) throws(WireError) {
        if let text = value.string {
            try self.init(parsing: text)
        } else {
            self = .instant(seconds: try value.timeSeconds())
        }
    }

    /// The longest text of a time, in bytes.
    public static let maximumBytes = 40

    /// `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public var text: String {
        switch self {
        case .localDate(let year, let month, let day): return CivilDate.text(year: year, month: month, day: day)
        case .instant(let seconds): return CivilDate.text(seconds: seconds)
        }
    }
}

extension FieldForm<TimePoint> {
    /// Text, or seconds since 1970; a date is written as text, an instant as seconds.
    static var time: Self {
        Self { json throws(WireError) in
            try TimePoint(value: json)
        } write: { writer, time in
            switch time {
            case .instant(let seconds): writer.value(seconds)
            case .localDate: writer.value(time.text)
            }
        }
    }
}

/// Reads the parts of an ISO 8601 time from text; anything unexpected throws `.malformed`, a date or a time of day that
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
        try clock(hour: try number(2))
    }

    /// `hh:mm:ss` and a space, or `h:mm:ss am` or `PM` with a space behind it.
    mutating func secondsOfDayOnAnyClock() throws(WireError) -> Int {
        let seconds = try clock(hour: try number(upTo: 2))
        try expect(" ")
        let isMorning = take("a") || take("A")
        guard isMorning || take("p") || take("P") else { return seconds }
        _ = take(".")
        guard take("m") || take("M") else { throw .malformed }
        _ = take(".")
        try expect(" ")
        guard (3_600..<13 * 3_600).contains(seconds) else { throw .absurdTime }
        return seconds % (12 * 3_600) + (isMorning ? 0 : 12 * 3_600)
    }

    private mutating func clock(hour: Int) throws(WireError) -> Int {
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

    private mutating func number(upTo digits: Int) throws(WireError) -> Int {
        guard var number = takeDigit() else { throw .malformed }
        for _ in 1..<digits { if let digit = takeDigit() { number = number * 10 + digit } }
        return number
    }

    private mutating func takeDigit() -> Int? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func expect(_ character: Unicode.Scalar) throws(WireError) {
        guard take(character) else { throw .malformed }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}

/// Days and dates of the proleptic Gregorian calendar.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil` and `civil_from_days`: the year
/// begins in March, so that the leap day is its last.
package enum CivilDate {
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date `days` days after 1970-01-01.
    package static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    package static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `YYYY-MM-DD`
    package static func text(year: Int, month: Int, day: Int) -> String {
        "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// `YYYY-MM-DDThh:mm:ss.ffffffZ`, without a fraction if it is 0; times are limited to the years 1 … 9999.
    static func text(seconds: Double) -> String {
        let bounded = min(max(seconds.isFinite ? seconds : 0, -62_135_596_800), 253_402_300_799)
        let microseconds = Int((bounded * 1e6).rounded())
        let whole = floorDivide(microseconds, 1_000_000)
        let days = floorDivide(whole, 86_400)
        let (year, month, day) = date(days: days)
        let rest = whole - days * 86_400
        let clock = "\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
        let micros = microseconds - whole * 1_000_000
        let fraction = micros == 0 ? "" : ".\(padded(micros, 6))"
        return "\(text(year: year, month: month, day: day))T\(clock)\(fraction)Z"
    }

    static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }
}

/// Division by a positive number that rounds towards minus infinity.
@inlinable
package func floorDivide<Number: SignedInteger>(_ number: Number, _ divisor: Number) -> Number {
    number / divisor - (number % divisor < 0 ? 1 : 0)
}
