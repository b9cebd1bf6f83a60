/// The bounds of one counter.
public struct CounterLimits: Sendable, Equatable {
    /// The most devices whose state is in memory; the least recently heard are written back and dropped.
    public var maximumResidentDevices: Int
    /// The most devices that change before a commit: one message can bring as many as it has bytes for, so a batch may
    /// be committed in parts. Only its end is acknowledged.
    public var maximumChangedDevices: Int
    /// The most devices that are counted at all; messages of further ones are refused as `too_many_devices`.
    public var maximumDevices: Int
    /// The most devices of which nothing but refused messages has come, since the start: their health tells why, and
    /// they must not take the places of those that send what can be counted.
    public var maximumStrangers: Int
    /// How long minutes are kept after history has them, in days.
    public var retentionDays: Int
    /// How often rows are sent to history at most, in milliseconds: rows of that time coalesce.
    public var drainMilliseconds: Int
    /// How often silence is looked at, in milliseconds.
    public var tickMilliseconds: Int
    /// How often the service's health is published, in seconds.
    public var healthSeconds: Int
    /// How long the service goes on publishing what is pending when it is told to stop, in seconds.
    public var stopSeconds: Int

    /// Bounds; the defaults suit one machine.
    public init(
        maximumResidentDevices: Int = 20_000, maximumChangedDevices: Int = 4_000, maximumDevices: Int = 100_000,
        maximumStrangers: Int = 1_000, retentionDays: Int = 8,
        drainMilliseconds: Int = 250, tickMilliseconds: Int = 250, healthSeconds: Int = 5, stopSeconds: Int = 5
    ) {
        self.maximumResidentDevices = maximumResidentDevices
        self.maximumChangedDevices = maximumChangedDevices
        self.maximumDevices = maximumDevices
        self.maximumStrangers = maximumStrangers
        self.retentionDays = retentionDays
        self.drainMilliseconds = drainMilliseconds
        self.tickMilliseconds = tickMilliseconds
        self.healthSeconds = healthSeconds
        self.stopSeconds = stopSeconds
    }
}
