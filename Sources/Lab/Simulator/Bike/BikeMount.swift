/// How a sensor sits on a bike's frame, and what the pedals and the room do to it.
///
/// The pedalling signal is the acceleration of the frame. Both legs push, so the line at twice the crank's rate is the
/// strongest; the difference between the legs gives the line at the crank's own rate.
public struct BikeMount: Sendable, Hashable {
    /// Root mean square of the pedalling signal at 80 rpm in the saddle, m/s² over the three axes.
    public var signalRMS: Double
    /// Amplitude at twice the crank's rate over the amplitude at the crank's rate.
    public var secondToFirstRatio: Double
    /// Root mean square of the pedalling signal over that of all vibration without a period, which spans 0 to
    /// `rumbleBandwidthHz`.
    public var signalToNoise: Double
    /// The part of that vibration that is there when nobody pedals (floor, fan, neighbours), as a fraction of its root
    /// mean square; the rest comes from the drive and the rider.
    public var ambientShare: Double
    /// The bandwidth of that vibration, in Hz.
    public var rumbleBandwidthHz: Double
    /// The natural frequency of the holder with its phone, in Hz.
    public var resonanceHz: Double
    /// The damping ratio of the holder: 1 is critical.
    public var damping: Double
    /// How fast the phases of the harmonics drift, as the rider shifts: radians per root second.
    public var phaseDrift: Double
    /// How often a hand touches the holder, a minute.
    public var touchesPerMinute: Double
    /// The height of the sensor above the line that the frame sways about, in metres.
    public var heightMetres: Double
    /// Turns of the flywheel a turn of the crank, and its unbalance as acceleration of the frame at 80 rpm, m/s².
    public var flywheelRatio: Double
    /// The unbalance of the flywheel, as acceleration of the frame at 80 rpm, m/s².
    public var flywheelUnbalance: Double
    /// The floor's ringing, or none.
    public var floor: FloorResonance?
    /// The magnets on it, and the Earth's field, for a device that measures it.
    public var magnets: BikeMagnets

    /// A mount from its parts; the defaults are a phone in a plastic holder on a spinning bike.
    public init(
        signalRMS: Double = 0.4, secondToFirstRatio: Double = 2.5, signalToNoise: Double = 3,
        ambientShare: Double = 1, rumbleBandwidthHz: Double = 20, resonanceHz: Double = 11, damping: Double = 0.08,
        phaseDrift: Double = 0.05,
        touchesPerMinute: Double = 0.5, heightMetres: Double = 1.0, flywheelRatio: Double = 4.25,
        flywheelUnbalance: Double = 0.03, floor: FloorResonance? = nil, magnets: BikeMagnets = BikeMagnets()
    ) {
        self.signalRMS = signalRMS
        self.secondToFirstRatio = secondToFirstRatio
        self.signalToNoise = signalToNoise
        self.ambientShare = ambientShare
        self.rumbleBandwidthHz = rumbleBandwidthHz
        self.resonanceHz = resonanceHz
        self.damping = damping
        self.phaseDrift = phaseDrift
        self.touchesPerMinute = touchesPerMinute
        self.heightMetres = heightMetres
        self.flywheelRatio = flywheelRatio
        self.flywheelUnbalance = flywheelUnbalance
        self.floor = floor
        self.magnets = magnets
    }
}
