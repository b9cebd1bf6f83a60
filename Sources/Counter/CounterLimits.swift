/// The bounds of one counter.
package struct CounterLimits: Sendable, Equatable {
    /// The most devices whose state is in memory; the least recently heard are written back and dropped.
    package var maximumResidentDevices: Int
    /// The most devices that change before a commit: one message can bring as many as it has bytes for, so a batch may
    /// be committed in parts. Only its end is acknowledged.
    package var maximumChangedDevices: Int
    /// How many states of devices are stored a second at most, as long as that takes no more than
    /// `maximumSnapshotSeconds`: a few devices are stored every second, thousands seldom.
    package var statesASecond: Int
    /// How long what has changed may wait until it is stored, in seconds. It is in the log meanwhile; history has it
    /// when it is stored.
    package var maximumSnapshotSeconds: Int
    /// The size of the log at which what has changed is stored at once, in bytes.
    package var maximumLogBytes: Int
    /// The most devices that are counted at all; messages of further ones are refused as `too_many_devices`.
    package var maximumDevices: Int
    /// The most devices of which nothing but refused messages has come, since the start: their health tells why, and
    /// they must not take the places of those that send what can be counted.
    package var maximumStrangers: Int
    /// How long minutes are kept after history has them, in days.
    package var retentionDays: Int
    /// How often rows are sent to history at most, in milliseconds: rows of that time coalesce.
    package var drainMilliseconds: Int
    /// How often silence is looked at, in milliseconds.
    package var tickMilliseconds: Int
    /// How often the service's health is published, in seconds.
    package var healthSeconds: Int
    /// How long the service goes on publishing what is pending when it is told to stop, in seconds.
    package var stopSeconds: Int

    /// Bounds; the defaults suit one machine.
    package init(
        maximumResidentDevices: Int = 20_000, maximumChangedDevices: Int = 4_000, maximumDevices: Int = 100_000,
        maximumStrangers: Int = 1_000, statesASecond: Int = 200, maximumSnapshotSeconds: Int = 5,
        maximumLogBytes: Int = 32 << 20, retentionDays: Int = 8,
        drainMilliseconds: Int = 250, tickMilliseconds: Int = 250, healthSeconds: Int = 5, stopSeconds: Int = 5
    ) {
        self.maximumResidentDevices = maximumResidentDevices
        self.maximumChangedDevices = maximumChangedDevices
        self.maximumDevices = maximumDevices
        self.statesASecond = statesASecond
        self.maximumSnapshotSeconds = maximumSnapshotSeconds
        self.maximumLogBytes = maximumLogBytes
        self.maximumStrangers = maximumStrangers
        self.retentionDays = retentionDays
        self.drainMilliseconds = drainMilliseconds
        self.tickMilliseconds = tickMilliseconds
        self.healthSeconds = healthSeconds
        self.stopSeconds = stopSeconds
    }
}
