/// `wall`: what a screen on the wall shows, retained. It is all that a viewer reads of people.
package struct WallReport: FieldPayload, Hashable {
    /// The most entries: those that counted last.
    package static let maximumEntries = 200

    /// The time of the report, in seconds since 1970. An old one is not shown as now.
    package var t = 0.0
    /// The devices that have counted today, by their ids.
    package var entries: [WallEntry] = []

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("entries", &entries, .list())
    }
}

/// A device on the wall: one whose person has an alias, or a bike.
package struct WallEntry: FieldPayload, Hashable {
    package var device = DeviceID()
    package var kind = DeviceKind.unknown
    /// The alias of the person who has the device now; nil for a bike of nobody, or of somebody without an alias.
    package var alias: String?
    /// Steps of today: the person's, or the bike's.
    package var steps: UInt64 = 0
    /// Crank revolutions of today: the person's, or the bike's.
    package var revolutions: UInt64 = 0
    /// The first instant after that day, in seconds since 1970.
    package var end = 0.0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("kind", &kind, .word)
        try list.field("alias", &alias, .text)
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
        try list.field("end", &end, .time)
    }
}
