extension SensorPart {
    /// The same part with its accelerometer set to another range, ± that many standard gravities: beyond it, it
    /// saturates.
    package func ranging(toGravities gravities: Double) -> SensorPart {
        var part = self
        part.accelerationRange = gravities * standardGravity
        return part
    }

    /// InvenSense MPU-6050 at ±8 g and ±1,000 °/s, as soldered on hobby boards.
    ///
    /// Source: PS-MPU-6000A-00 rev. 3.4, section 6: 400 µg/√Hz, 0.005 °/s/√Hz, zero-g ±50 mg (x, y), scale ±3 %. The
    /// gyroscope's raw ±20 °/s is taken as removed at rest but for 1 °/s.
    package static let mpu6050: SensorPart = {
        var part = SensorPart.lsm6dso
        part.accelerationNoiseDensity = 400e-6 * standardGravity
        part.angularVelocityNoiseDensity = 0.005 * .pi / 180
        part.accelerationBias = 0.05 * standardGravity
        part.angularVelocityBias = 1.0 * .pi / 180
        part.scaleError = 0.015
        return part
    }()
}
