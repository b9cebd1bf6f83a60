/// What a device has come to.
public struct DeviceStanding: Sendable, Equatable {
    /// The device and all that was ever counted for it.
    public var record: DeviceRecord
    /// Its days of the dates that were asked for; only those that have data, in order.
    public var days: [DayRecord] = []
    /// The most that its last date with data ever had; corrections may have made it less since.
    public var dayPeak: DayPeak?
    /// The most that its totals ever had, where a correction has once made some of them less; else nil.
    public var totalPeak: Counts?

    /// The standing of a device of which nothing else is known.
    public init(record: DeviceRecord) {
        self.record = record
    }
}
