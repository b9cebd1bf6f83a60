/// The data of `people/forget` and `devices/forget`: what was deleted.
public struct ForgetData: JSONPayload, Hashable {
    /// Devices about which something was deleted.
    public var devices: UInt64
    /// Minutes, and hours beyond the retention of minutes, that were deleted.
    public var minutes: UInt64

    /// Data from its parts.
    public init(devices: UInt64, minutes: UInt64) {
        self.devices = devices
        self.minutes = minutes
    }

    /// Reads the fields; unknown ones are ignored.
    public init(object: JSONObject) throws(WireError) {
        devices = try object.uint64("devices")
        minutes = try object.uint64("minutes")
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("devices", devices)
        writer.field("minutes", minutes)
    }
}
