public import Wire

/// What was counted in an interval: the fields of CoreMotion's `CMPedometerData`, in its units.
public struct PedometerData: Sendable, Hashable {
    /// The beginning, in seconds since 1970.
    public var start: Double
    /// The end, in seconds since 1970.
    public var end: Double
    /// Steps.
    public var steps: UInt64
    /// Metres; nil where there is no distance.
    public var distanceMetres: Double?
    /// Seconds a metre of active time; nil where there is no distance.
    public var averageActivePaceSecondsPerMetre: Double?
    /// Seconds a metre in the last minute; nil where nothing moves, and of an interval that is over.
    public var currentPaceSecondsPerMetre: Double?
    /// Steps a second in the last minute; nil where nothing moves, and of an interval that is over.
    public var currentCadenceStepsPerSecond: Double?
    /// Floors gone up; nil where unknown.
    public var floorsAscended: UInt64?
    /// Floors gone down; nil where unknown.
    public var floorsDescended: UInt64?
    /// Seconds for which samples exist; CoreMotion has no such thing.
    public var coveredSeconds: Double

    /// The same of a record of history.
    public init(_ data: IntervalData) {
        start = data.from
        end = data.to
        steps = data.steps
        distanceMetres = data.distanceMetres > 0 ? data.distanceMetres : nil
        averageActivePaceSecondsPerMetre = data.paceAverageSecondsPerMetre
        currentPaceSecondsPerMetre = data.now.paceSecondsPerMetre
        currentCadenceStepsPerSecond = data.now.cadenceSPM.map { $0 / 60 }
        floorsAscended = data.floors?.ascended
        floorsDescended = data.floors?.descended
        coveredSeconds = data.coveredSeconds
    }
}

/// A pause or a resumption.
public struct PedometerEvent: Sendable, Hashable {
    /// Which of the two.
    public enum Kind: Sendable, Hashable {
        /// The wearer has stopped.
        case pause
        /// The wearer moves, for the first time or again.
        case resume
    }

    /// Which of the two.
    public var kind: Kind
    /// When, in seconds since 1970.
    public var t: Double

    /// An event from its parts.
    public init(kind: Kind, t: Double) {
        self.kind = kind
        self.t = t
    }
}
