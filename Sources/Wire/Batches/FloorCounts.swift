/// Floors gone on foot, up and down, where a barometer tells them.
public struct FloorCounts: Sendable, Hashable {
    /// Floors gone up.
    public var ascended: UInt64
    /// Floors gone down.
    public var descended: UInt64

    /// Floors from their numbers.
    public init(ascended: UInt64 = 0, descended: UInt64 = 0) {
        self.ascended = ascended
        self.descended = descended
    }

    /// Reads the fields; `nil` where neither is there.
    init?(object: JSONObject) throws(WireError) {
        let ascended = try object.optionalUInt64("floors_ascended")
        let descended = try object.optionalUInt64("floors_descended")
        guard ascended != nil || descended != nil else { return nil }
        self.init(ascended: ascended ?? 0, descended: descended ?? 0)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("floors_ascended", ascended)
        writer.field("floors_descended", descended)
    }
}
