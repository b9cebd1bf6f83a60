public import Wire

/// A reply in compact form with the names of its columns, as lines of RFC 4180 CSV.
public struct CompactTable: Sendable {
    /// What was asked.
    public let verb: RequestVerb
    /// The reply.
    public let data: CompactData

    /// A reply to a request with `compact`.
    public init(verb: RequestVerb, data: CompactData) {
        self.verb = verb
        self.data = data
    }

    /// The names of the columns of a verb; nil where there is no compact form.
    public static func columns(of verb: RequestVerb) -> [String]? {
        switch verb {
        case .historyDays: ["date", "steps", "revolutions", "distance_m", "active_s", "covered_s", "revision"]
        case .historySeries:
            ["start", "steps", "revolutions", "distance_m", "cadence", "active_s", "covered_s"]
        case .historyInterval:
            ["from", "to", "steps", "revolutions", "distance_m", "cadence", "active_s", "covered_s"]
        case .historyActivity: ["start", "end", "activity", "confidence", "steps", "revolutions"]
        case .devices: ["device", "kind", "first_t", "last_t", "steps", "revolutions"]
        case .people: ["start", "steps", "revolutions", "distance_m", "active_s", "covered_s"]
        case .liveStart, .liveStop, .capabilities, .peopleCheckin, .peopleCheckout, .peopleForget, .devicesForget: nil
        }
    }

    /// The heading and the rows.
    public var csvLines: [String] {
        let heading = Self.columns(of: verb).map { [$0.joined(separator: ",")] } ?? []
        return heading + data.rows.map { row in row.map(Self.text).joined(separator: ",") }
    }

    private static func text(_ value: JSONValue) -> String {
        if let text = value.string {
            let isPlain = !text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
            return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
        }
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
