/// Everything counted for one device in one minute of UTC, so far.
///
/// It is a state, not a difference: a later message with a greater `revision` replaces an earlier one, so repeating,
/// reordering or losing messages changes nothing once the newest has arrived.
public struct MinuteTotals: Sendable, Hashable {
    /// Whose minute.
    public var device: DeviceID
    /// Minutes since 1970, UTC.
    public var minute: Int64
    /// The life of the counter's store that this sum was kept in. Sums of different epochs add up.
    public var epoch: UInt64
    /// Grows with every change in the counter's store.
    public var revision: UInt64
    /// Steps made.
    public var steps: UInt32 = 0
    /// Crank revolutions made.
    public var revolutions: UInt32 = 0
    /// Distance, in millimetres.
    public var distanceMillimetres: UInt32 = 0
    /// Time with steps or revolutions, in milliseconds.
    public var activeMilliseconds: UInt32 = 0
    /// Time for which samples exist, in milliseconds.
    public var coveredMilliseconds: UInt32 = 0
    /// Cadence integrated over active time, in rpm·s (bikes) or steps/min·s (walkers): divided by `cadenceSeconds` it
    /// is the time-weighted mean.
    public var cadenceIntegral: Float = 0
    /// Seconds with a cadence above 0.
    public var cadenceSeconds: UInt32 = 0
    /// The lowest cadence above 0; 0 when there was none.
    public var cadenceMinimum: Float = 0
    /// The highest cadence.
    public var cadenceMaximum: Float = 0
    /// Floors gone on foot; `nil` where no barometer told its pressure.
    public var floors: FloorCounts?
    /// Milliseconds in each activity, by `ActivityKind.rawValue`.
    public var activityMilliseconds: [UInt32] = Array(repeating: 0, count: ActivityKind.allCases.count)

    /// An empty minute.
    public init(device: DeviceID, minute: Int64, epoch: UInt64, revision: UInt64) {
        self.device = device
        self.minute = minute
        self.epoch = epoch
        self.revision = revision
    }
}
