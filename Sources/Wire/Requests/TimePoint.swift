/// A time in a request: an instant, or a day of the device's own calendar.
public enum TimePoint: Sendable, Hashable {
    /// Seconds since 1970, UTC.
    case instant(seconds: Double)
    /// A date of the calendar of the zone that the request is about.
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
    public init(value: JSONValue) throws(WireError) {
        if let text = value.string {
            try self.init(parsing: text)
            return
        }
        guard let seconds = value.double else { throw .wrongType }
        guard PayloadLimits.timeSeconds.contains(seconds) else { throw .absurdTime }
        self = .instant(seconds: seconds)
    }

    /// The longest text of a time, in bytes.
    public static let maximumBytes = 40

    /// A date as text, an instant as seconds.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .instant(let seconds): writer.value(seconds)
        case .localDate: writer.value(text)
        }
    }

    /// `YYYY-MM-DD`, or `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public var text: String {
        switch self {
        case .localDate(let year, let month, let day): return CivilDate.text(year: year, month: month, day: day)
        case .instant(let seconds): return CivilDate.text(seconds: seconds)
        }
    }
}

extension JSONObject {
    /// A time, if it is there.
    func timePoint(_ name: String) throws(WireError) -> TimePoint? {
        guard let value = self[name] else { return nil }
        return try TimePoint(value: value)
    }
}
