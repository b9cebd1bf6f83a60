/// The mounting of a sensor on a bike's frame, and the disturbances from the pedals and the room. The defaults are a
/// phone in a plastic holder on a spinning bike.
///
/// The pedalling signal is the acceleration of the frame. Both legs push, so the line at twice the crank's rate is the
/// strongest; the difference between the legs gives the line at the crank's own rate.
package struct BikeMount: Sendable, Hashable {
    /// Root mean square of the pedalling signal at 80 rpm in the saddle, m/s² over the three axes.
    package var signalRMS = 0.4
    /// Amplitude at twice the crank's rate over the amplitude at the crank's rate.
    package var secondToFirstRatio = 2.5
    /// Root mean square of the pedalling signal over that of all vibration without a period, which spans 0 to 20 Hz.
    package var signalToNoise = 3.0
    /// The drift of the harmonics' phases, as the rider shifts: radians per root second.
    package var phaseDrift = 0.05
    /// Touches of the holder by a hand, a minute.
    package var touchesPerMinute = 0.5
    /// The height of the sensor above the line that the frame sways about, in metres.
    package var heightMetres = 1.0
    /// Turns of the flywheel a turn of the crank.
    package var flywheelRatio = 4.25
    /// The unbalance of the flywheel, as acceleration of the frame at 80 rpm, m/s².
    package var flywheelUnbalance = 0.03
    /// The floor's ringing, or none.
    package var floor: FloorResonance?
    /// The magnets on it, for a device that measures the magnetic field.
    package var magnets = BikeMagnets()

    /// All vibration without a period.
    var rumble: Rumble { Rumble(rms: signalRMS / max(signalToNoise, 0.01), bandwidthHz: 20) }
}

/// A floor that rings at one frequency: a mode of the building that a machine, a washing machine or footfalls beside
/// the bike excite without a period of their own.
///
/// Light floors have their first mode at 4 to 8 Hz, damped by 1 to 3 % when bare and by 5 % when furnished (T. M.
/// Murray, D. E. Allen, E. E. Ungar, "Floor Vibrations Due to Human Activity", AISC Steel Design Guide 11 (1997)); a
/// platform, a rubber mat or a stand under the bike rings slower and is damped more.
package struct FloorResonance: Sendable, Hashable {
    package var frequencyHz: Double
    /// The quality factor: one over twice the damping ratio.
    package var quality: Double
    /// Root mean square of the floor's acceleration over the three axes, m/s².
    package var rms: Double
}

/// Magnets that turn on a bike, and how near to the sensor they pass; the Earth's field is always there.
package struct BikeMagnets: Sendable, Hashable {
    /// A magnet on one crank arm, or none.
    package var crank: Magnet?
    /// A magnet on the flywheel, as of a speedometer, or none.
    package var flywheel: Magnet?

    /// A magnet that goes round, as a dipole along its axle.
    package struct Magnet: Sendable, Hashable {
        /// The radius of its circle, in metres.
        package var radiusMetres = 0.12
        /// The smallest distance to the sensor, in metres.
        package var distanceMetres = 0.15
    }
}
