/// How many steps there were on a device's present day.
public struct StepsToday: Sendable, Hashable {
    /// The local date, `YYYY-MM-DD`.
    public var date: String
    /// The time zone whose day it is, by its IANA name.
    public var zone: String
    /// Steps: what history has of the day, and what was counted since.
    public var steps: UInt64
    /// Metres that history has of the day.
    public var distanceMetres: Double
    /// Seconds with steps that history has of the day.
    public var activeSeconds: Double

    /// Steps from their parts.
    public init(date: String, zone: String, steps: UInt64, distanceMetres: Double, activeSeconds: Double) {
        self.date = date
        self.zone = zone
        self.steps = steps
        self.distanceMetres = distanceMetres
        self.activeSeconds = activeSeconds
    }
}
