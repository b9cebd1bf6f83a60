/// One specimen of a part: its own biases and scale, and what it reads when it samples.
struct MotionSensor: Sendable {
    private let part: SensorPart
    private let accelerationBias: SIMD3<Double>
    private let angularVelocityBias: SIMD3<Double>
    private let accelerationScale: Double
    private let angularVelocityScale: Double
    private let accelerationNoise: Double
    private let angularVelocityNoise: Double
    private var sum = BodyMotion()
    private var summed = 0.0

    /// Takes a specimen out of the box. Its low-pass is half the sampling rate wide, so that is the noise's bandwidth.
    init(part: SensorPart, rateHz: Double, random: inout RandomSource) {
        self.part = part
        accelerationBias = random.deviates() * (part.accelerationBias / 2)
        angularVelocityBias = random.deviates() * (part.angularVelocityBias / 2)
        accelerationScale = 1 + part.scaleError / 2 * random.deviate()
        angularVelocityScale = 1 + part.scaleError / 2 * random.deviate()
        let rootBandwidth = (rateHz / 2).squareRoot()
        accelerationNoise = part.accelerationNoiseDensity * rootBandwidth
        angularVelocityNoise = part.angularVelocityNoiseDensity * rootBandwidth
    }

    /// Feels one physics step.
    mutating func feel(_ motion: BodyMotion) {
        sum.specificForce += motion.specificForce
        sum.angularVelocity += motion.angularVelocity
        summed += 1
    }

    /// Reads the mean since the last reading, as the part's low-pass gives it, with its errors.
    mutating func read(_ random: inout RandomSource) -> BodyMotion {
        let count = max(summed, 1)
        let force = sum.specificForce / count * accelerationScale + accelerationBias
        let rate = sum.angularVelocity / count * angularVelocityScale + angularVelocityBias
        sum = BodyMotion()
        summed = 0
        return BodyMotion(
            specificForce: digitised(force + random.deviates() * accelerationNoise, range: part.accelerationRange),
            angularVelocity: digitised(
                rate + random.deviates() * angularVelocityNoise, range: part.angularVelocityRange))
    }

    private func digitised(_ value: SIMD3<Double>, range: Double) -> SIMD3<Double> {
        let count = range / part.countsPerRange
        let limit = SIMD3(repeating: range - count)
        return (value.clamped(lowerBound: -limit, upperBound: limit) / count)
            .rounded(.toNearestOrAwayFromZero) * count
    }
}

/// The acceleration and rotation at one instant, in the axes of a perfect sensor.
struct BodyMotion: Sendable {
    /// Acceleration with gravity (a sensor at rest feels 9.81 m/s² upwards), m/s².
    var specificForce = SIMD3<Double>(repeating: 0)
    /// Angular velocity, rad/s.
    var angularVelocity = SIMD3<Double>(repeating: 0)
    /// The height above the sea, in metres.
    var altitudeMetres = 0.0
    /// Magnetic field, µT; zero where it is not simulated.
    var magneticField = SIMD3<Double>(repeating: 0)
}

/// The step of the simulated physics: the truth is the same at whatever rate a device samples it.
enum PhysicsStep {
    static let microseconds: Int64 = 2_500
    static let seconds = 0.0025
    static let rateHz = 400.0
}

/// Something that was counted in truth.
package enum MotionEvent: Sendable, Hashable {
    /// A foot touched the ground.
    case step
    /// The crank came round.
    case revolution
}

/// An event with its instant.
package struct TimedMotionEvent: Sendable, Hashable {
    /// The truth.
    package var event: MotionEvent
    /// The time: microseconds since 1970, UTC, by a perfect clock.
    package var microseconds: Int64
}

/// A motion sensor on the market, by its data sheet.
package struct SensorPart: Sendable, Hashable {
    /// Noise density of acceleration, m/s² per √Hz.
    package var accelerationNoiseDensity: Double
    /// Noise density of angular velocity, rad/s per √Hz.
    package var angularVelocityNoiseDensity: Double
    /// Typical offset of acceleration on each axis, m/s².
    package var accelerationBias: Double
    /// Typical offset of angular velocity on each axis after the start-up calibration that phones, watches and
    /// firmwares do while at rest, rad/s.
    package var angularVelocityBias: Double
    /// Typical error of the scale, as a fraction.
    package var scaleError: Double
    /// The range on each axis, m/s².
    package var accelerationRange: Double
    /// The range on each axis, rad/s.
    package var angularVelocityRange: Double
    /// Counts from zero to the end of the range.
    package var countsPerRange: Double

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
    package static let mpu6050 = SensorPart(
        accelerationNoiseDensity: 400e-6 * standardGravity, angularVelocityNoiseDensity: 0.005 * .pi / 180,
        accelerationBias: 0.05 * standardGravity, angularVelocityBias: 1.0 * .pi / 180, scaleError: 0.015,
        accelerationRange: 8 * standardGravity, angularVelocityRange: 1_000 * .pi / 180, countsPerRange: 32_768)

    /// STMicroelectronics LSM6DSO at ±8 g and ±1,000 °/s, of the kind in phones and watches.
    ///
    /// Source: DS12140, table "Mechanical characteristics": 80 µg/√Hz at ±8 g, 3.8 mdps/√Hz, zero-g ±20 mg, zero-rate
    /// ±1 °/s (taken as calibrated down to 0.2 °/s), sensitivity ±1 %.
    package static let lsm6dso = SensorPart(
        accelerationNoiseDensity: 80e-6 * standardGravity, angularVelocityNoiseDensity: 0.0038 * .pi / 180,
        accelerationBias: 0.02 * standardGravity, angularVelocityBias: 0.2 * .pi / 180, scaleError: 0.005,
        accelerationRange: 8 * standardGravity, angularVelocityRange: 1_000 * .pi / 180, countsPerRange: 32_768)
}

/// A magnetometer on the market, by its data sheet.
package struct MagnetometerPart: Sendable, Hashable {
    /// Root mean square of the noise of a reading on each axis, µT.
    package var noise: Double
    /// One count, µT.
    package var count: Double
    /// The field of what surrounds it, hard iron, as a standard deviation on each axis, µT.
    package var hardIron: Double
    /// The range on each axis, µT.
    package var range: Double

    /// Bosch BMM150 at its regular preset, in a phone.
    ///
    /// Source: BST-BMM150-DS001: resolution 0.3 µT, range ±1300 µT, noise 0.6 µT at the regular preset. What a phone
    /// adds, loudspeaker and all, is taken as 50 µT on each axis.
    package static let bmm150 = MagnetometerPart(noise: 0.6, count: 0.3, hardIron: 50, range: 1_300)
}

/// One specimen of a magnetometer in its phone.
struct Magnetometer: Sendable {
    private let part: MagnetometerPart
    private let hardIron: SIMD3<Double>
    private var sum = SIMD3<Double>(repeating: 0)
    private var summed = 0.0

    init(part: MagnetometerPart, random: inout RandomSource) {
        self.part = part
        hardIron = random.deviates() * part.hardIron
    }

    /// Feels one physics step.
    mutating func feel(_ field: SIMD3<Double>) {
        sum += field
        summed += 1
    }

    /// Reads the mean since the last reading, with its errors.
    mutating func read(_ random: inout RandomSource) -> SIMD3<Double> {
        let seen = sum / max(summed, 1) + hardIron + random.deviates() * part.noise
        sum = SIMD3(repeating: 0)
        summed = 0
        let limit = SIMD3(repeating: part.range)
        return (seen.clamped(lowerBound: -limit, upperBound: limit) / part.count)
            .rounded(.toNearestOrAwayFromZero) * part.count
    }
}

/// One specimen of a barometer, in the weather and the air of a building.
///
/// The pressure of the sea level drifts with the weather: up to 1.2 hPa an hour, as on a windy day. Doors and fans
/// change the pressure of a house by up to 0.3 hPa at once, every two minutes or so. What is worn warms up and cools
/// down.
struct SimulatedBarometer: Sendable {
    private let part: BarometerPart
    private let offset: Double
    private let trendPascalsPerSecond: Double
    private var draught = 0.0
    private var temperature: Wander
    private var random: RandomSource

    private static let seaLevelPascals = 101_325.0
    private static let steepestTrend = 120.0 / 3600
    private static let draughtPascals = 30.0
    private static let draughtsPerSecond = 1.0 / 120
    /// Kelvins by which a worn device's temperature wanders, and within how many seconds.
    private static let temperatureWander = (kelvins: 2.0, seconds: 600.0)

    init(part: BarometerPart, random: RandomSource) {
        self.part = part
        self.random = random
        offset = part.offsetPascals / 2 * self.random.deviate()
        trendPascalsPerSecond = Self.steepestTrend * self.random.uniform(in: -1...1)
        temperature = Wander(
            deviation: Self.temperatureWander.kelvins, correlationSeconds: Self.temperatureWander.seconds,
            stepSeconds: 1, random: &self.random)
    }

    /// Reads the pressure at a height, in hPa, from the seconds since the start and since the reading before.
    mutating func read(altitudeMetres: Double, atSeconds seconds: Double, afterSeconds: Double) -> Float {
        temperature.advance(&random)
        if random.chance(min(Self.draughtsPerSecond * afterSeconds, 1)) {
            draught = Self.draughtPascals * random.uniform(in: -1...1)
        }
        let weather = offset + trendPascalsPerSecond * seconds + draught + part.pascalsPerKelvin * temperature.value
        let pressure = (Self.seaLevelPascals + weather) * Self.share(altitudeMetres: altitudeMetres)
        let told = pressure + part.noisePascals * random.deviate()
        return Float((told / part.resolutionPascals).rounded() * part.resolutionPascals / 100)
    }

    /// The share of the pressure at sea level that is left at a height, on a day of 22 °C: the hydrostatic equation
    /// with the gas constant of dry air, 287.05 J/(kg K).
    private static func share(altitudeMetres: Double) -> Double {
        exponential(-standardGravity * altitudeMetres / (287.05 * 295.15))
    }
}

/// A barometer on the market, by its data sheet.
package struct BarometerPart: Sendable, Hashable {
    /// Noise of one reading: root mean square, Pa.
    package var noisePascals: Double
    /// Typical error of the pressure itself, Pa.
    package var offsetPascals: Double
    /// The drift with temperature, Pa a kelvin.
    package var pascalsPerKelvin: Double
    /// The resolution, Pa.
    package var resolutionPascals: Double

    /// Bosch BMP280, of the kind on hobby boards and in older phones, without its filter.
    ///
    /// Source: BST-BMP280-DS001, "Key parameters" and table 2: noise 1.3 Pa at full bandwidth, absolute accuracy ±1
    /// hPa, temperature coefficient of the offset 1.5 Pa/K, resolution 0.16 Pa.
    package static let bmp280 = BarometerPart(
        noisePascals: 1.3, offsetPascals: 100, pascalsPerKelvin: 1.5, resolutionPascals: 0.16)
}
