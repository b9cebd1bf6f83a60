/// The data of `history/days`.
public struct DaysData: JSONPayload, Hashable {
    /// Whose days.
    public var device: DeviceID
    /// The days, in their order.
    public var days: [DayTotals]
    /// Where the next page begins; absent on the last.
    public var cursor: String?

    /// Data from its parts.
    public init(device: DeviceID, days: [DayTotals], cursor: String? = nil) {
        self.device = device
        self.days = days
        self.cursor = cursor
    }

    /// The largest payload that is read, in bytes.
    public static var maximumBytes: Int { JSONValue.maximumBytes }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        device = try object.device("device")
        days = try object.payloads("days", of: DayTotals.self)
        cursor = try object.optionalString("cursor")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("device", device.description)
        writer.field("days", days)
        writer.field("cursor", cursor)
    }
}
