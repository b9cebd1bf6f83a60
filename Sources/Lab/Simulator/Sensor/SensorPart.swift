/// A motion sensor on the market, by its data sheet.
public struct SensorPart: Sendable, Hashable {
    /// Noise density of acceleration, m/s² per √Hz.
    public var accelerationNoiseDensity: Double
    /// Noise density of angular velocity, rad/s per √Hz.
    public var angularVelocityNoiseDensity: Double
    /// Typical offset of acceleration on each axis, m/s².
    public var accelerationBias: Double
    /// Typical offset of angular velocity on each axis after the start-up calibration that phones, watches and
    /// firmwares do while at rest, rad/s.
    public var angularVelocityBias: Double
    /// Typical error of the scale, as a fraction.
    public var scaleError: Double
    /// The range on each axis, m/s².
    public var accelerationRange: Double
    /// The range on each axis, rad/s.
    public var angularVelocityRange: Double
    /// Counts from zero to the end of the range.
    public var countsPerRange: Double

    /// A part from its figures.
    public init(
        accelerationNoiseDensity: Double, angularVelocityNoiseDensity: Double, accelerationBias: Double,
        angularVelocityBias: Double, scaleError: Double, accelerationRange: Double, angularVelocityRange: Double,
        countsPerRange: Double
    ) {
        self.accelerationNoiseDensity = accelerationNoiseDensity
        self.angularVelocityNoiseDensity = angularVelocityNoiseDensity
        self.accelerationBias = accelerationBias
        self.angularVelocityBias = angularVelocityBias
        self.scaleError = scaleError
        self.accelerationRange = accelerationRange
        self.angularVelocityRange = angularVelocityRange
        self.countsPerRange = countsPerRange
    }

    /// The same part with its accelerometer set to another range, ± so many standard gravities: beyond it, it
    /// saturates.
    public func ranging(toGravities gravities: Double) -> SensorPart {
        var part = self
        part.accelerationRange = gravities * standardGravity
        return part
    }

    /// InvenSense MPU-6050 at ±8 g and ±1,000 °/s, as soldered on hobby boards.
    ///
    /// Source: PS-MPU-6000A-00 rev. 3.4, section 6: 400 µg/√Hz, 0.005 °/s/√Hz, zero-g ±50 mg (x, y), scale ±3 %. The
    /// gyroscope's raw ±20 °/s is taken as removed at rest but for 1 °/s.
    public static let mpu6050 = SensorPart(
        accelerationNoiseDensity: 400e-6 * standardGravity, angularVelocityNoiseDensity: 0.005 * .pi / 180,
        accelerationBias: 0.05 * standardGravity, angularVelocityBias: 1.0 * .pi / 180, scaleError: 0.015,
        accelerationRange: 8 * standardGravity, angularVelocityRange: 1_000 * .pi / 180, countsPerRange: 32_768)

    /// STMicroelectronics LSM6DSO at ±8 g and ±1,000 °/s, of the kind in phones and watches.
    ///
    /// Source: DS12140, table "Mechanical characteristics": 80 µg/√Hz at ±8 g, 3.8 mdps/√Hz, zero-g ±20 mg, zero-rate
    /// ±1 °/s (taken as calibrated down to 0.2 °/s), sensitivity ±1 %.
    public static let lsm6dso = SensorPart(
        accelerationNoiseDensity: 80e-6 * standardGravity, angularVelocityNoiseDensity: 0.0038 * .pi / 180,
        accelerationBias: 0.02 * standardGravity, angularVelocityBias: 0.2 * .pi / 180, scaleError: 0.005,
        accelerationRange: 8 * standardGravity, angularVelocityRange: 1_000 * .pi / 180, countsPerRange: 32_768)
}
