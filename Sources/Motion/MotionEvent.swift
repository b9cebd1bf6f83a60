/// What the wearer or rider is doing.
public enum Activity: UInt8, Sendable, CaseIterable {
    /// Moving in no way that has a name here.
    case unknown
    /// At rest.
    case stationary
    /// Walking.
    case walking
    /// Running.
    case running
    /// Pedalling.
    case cycling
    /// In a vehicle.
    case automotive
}

/// How sure the activity is.
public enum ActivityConfidence: UInt8, Sendable, CaseIterable {
    /// Just guessed.
    case low
    /// Likely.
    case medium
    /// Held for a while on a clear signal.
    case high
}

/// The state of a device at the end of one second of signal.
public struct SecondReport: Sendable, Equatable {
    /// The end of the second: UTC in microseconds since 1970, a whole second.
    public var timeMicroseconds: Int64
    /// Crank revolutions a minute, 0 when not pedalling.
    public var cadenceRPM: Float
    /// Steps a minute, 0 when not walking.
    public var cadenceSPM: Float
    /// How likely that cadence is right, within 5 rpm or 5 % of the steps, 0…1; 0 with no cadence.
    public var confidence: Float
    /// What the device's wearer or rider is doing.
    public var activity: Activity
    /// How sure that is.
    public var activityConfidence: ActivityConfidence
    /// How much of the second was spent walking, running or pedalling, 0…1000 ms.
    public var activeMilliseconds: Int

    /// A report from its parts.
    public init(
        timeMicroseconds: Int64, cadenceRPM: Float = 0, cadenceSPM: Float = 0, confidence: Float = 0,
        activity: Activity = .unknown, activityConfidence: ActivityConfidence = .low, activeMilliseconds: Int = 0
    ) {
        self.timeMicroseconds = timeMicroseconds
        self.cadenceRPM = cadenceRPM
        self.cadenceSPM = cadenceSPM
        self.confidence = confidence
        self.activity = activity
        self.activityConfidence = activityConfidence
        self.activeMilliseconds = activeMilliseconds
    }
}

/// What the pipeline says about a signal. Counts are never taken back.
public enum MotionEvent: Sendable, Equatable {
    /// Steps made, with the UTC time in microseconds at which the last of them happened. What is credited
    /// after the fact comes as several events, each with its own time.
    case steps(count: Int, timeMicroseconds: Int64)
    /// Crank revolutions made, with the UTC time in microseconds at which the last of them was complete.
    case revolutions(count: Int, timeMicroseconds: Int64)
    /// The state at the end of a UTC second; a second that a gap or the end cuts is reported when at least
    /// half of it had a signal.
    case second(SecondReport)
}
