import Lab

/// One specimen of a sensor of three axes, with a bias and a scale of its own: it measures the mean over each sampling
/// period, as its low-pass gives it, with noise, in counts and within its range.
struct AxesSensor: Sendable {
    private let bias: Vector
    private let scale: Double
    private let noise: Double
    private let count: Double
    private let limit: Vector
    private var sum = Vector.zero
    private var summed = 0.0

    /// A specimen of 16 bits, whose range is that on each axis.
    init(bias: Vector, scale: Double, noise: Double, range: Double) {
        (self.bias, self.scale, self.noise) = (bias, scale, noise)
        count = range / 32_768
        limit = Vector(repeating: range - count)
    }

    /// A magnetometer in a phone, µT: a Bosch BMM150 at its regular preset.
    ///
    /// Source: BST-BMM150-DS001: resolution 0.3 µT, range ±1300 µT, noise 0.6 µT at the regular preset. What a phone
    /// adds, loudspeaker and all, is taken as 50 µT on each axis.
    init(magnetometerIn random: inout RandomSource) {
        (bias, scale, noise) = (random.deviates() * 50, 1, 0.6)
        (count, limit) = (0.3, Vector(repeating: 1_300))
    }

    /// Measures during one physics step.
    mutating func measure(_ value: Vector) {
        sum += value
        summed += 1
    }

    /// Reads the mean since the last reading.
    mutating func read(_ random: inout RandomSource) -> Vector {
        let value = sum / max(summed, 1) * scale + bias + random.deviates() * noise
        (sum, summed) = (.zero, 0)
        return (value.clamped(lowerBound: -limit, upperBound: limit) / count).rounded(.toNearestOrAwayFromZero) * count
    }
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

    /// One specimen of the part at a sampling rate. Its low-pass is half as wide, so that is the noise's bandwidth.
    func specimen(rateHz: Double, random: inout RandomSource) -> (acceleration: AxesSensor, turning: AxesSensor) {
        let biases = (random.deviates() * (accelerationBias / 2), random.deviates() * (angularVelocityBias / 2))
        let scales = (1 + scaleError / 2 * random.deviate(), 1 + scaleError / 2 * random.deviate())
        let rootBandwidth = (rateHz / 2).squareRoot()
        return (
            AxesSensor(
                bias: biases.0, scale: scales.0, noise: accelerationNoiseDensity * rootBandwidth,
                range: accelerationRange),
            AxesSensor(
                bias: biases.1, scale: scales.1, noise: angularVelocityNoiseDensity * rootBandwidth,
                range: angularVelocityRange)
        )
    }

    /// STMicroelectronics LSM6DSO at ±8 g and ±1,000 °/s, of the kind in phones and watches.
    ///
    /// Source: DS12140, table "Mechanical characteristics": 80 µg/√Hz at ±8 g, 3.8 mdps/√Hz, zero-g ±20 mg, zero-rate
    /// ±1 °/s (taken as calibrated down to 0.2 °/s), sensitivity ±1 %.
    package static let lsm6dso = SensorPart(
        accelerationNoiseDensity: 80e-6 * standardGravity, angularVelocityNoiseDensity: 0.0038 * .pi / 180,
        accelerationBias: 0.02 * standardGravity, angularVelocityBias: 0.2 * .pi / 180, scaleError: 0.005,
        accelerationRange: 8 * standardGravity, angularVelocityRange: 1_000 * .pi / 180)
}

/// One specimen of a barometer, in the weather and the air of a building.
///
/// The pressure of the sea level drifts with the weather: up to 1.2 hPa an hour, as on a windy day. Doors and fans
/// change the pressure of a house by up to 0.3 hPa at once, every two minutes or so. What is worn warms up and cools
/// down.
///
/// It is a Bosch BMP280, of the kind on hobby boards and in older phones, without its filter. Source: BST-BMP280-DS001,
/// "Key parameters" and table 2: noise 1.3 Pa at full bandwidth, absolute accuracy ±1 hPa, temperature coefficient of
/// the offset 1.5 Pa/K, resolution 0.16 Pa.
struct SimulatedBarometer: Sendable {
    private let offset: Double
    private let trendPascalsPerSecond: Double
    private var draught = 0.0
    private var temperature: Wander
    private var random: RandomSource

    private static let (noisePascals, offsetPascals) = (1.3, 100.0)
    private static let (pascalsPerKelvin, resolutionPascals) = (1.5, 0.16)
    private static let seaLevelPascals = 101_325.0
    private static let steepestTrend = 120.0 / 3600
    private static let draughtPascals = 30.0
    private static let draughtsPerSecond = 1.0 / 120
    /// Kelvins by which a worn device's temperature wanders, and within how many seconds.
    private static let temperatureWander = (kelvins: 2.0, seconds: 600.0)

    init(random: RandomSource) {
        self.random = random
        offset = Self.offsetPascals / 2 * self.random.deviate()
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
        let weather = offset + trendPascalsPerSecond * seconds + draught + Self.pascalsPerKelvin * temperature.value
        let pressure = (Self.seaLevelPascals + weather) * Self.share(altitudeMetres: altitudeMetres)
        let reading = pressure + Self.noisePascals * random.deviate()
        return Float((reading / Self.resolutionPascals).rounded() * Self.resolutionPascals / 100)
    }

    /// The share of the pressure at sea level that is left at a height, on a day of 22 °C: the hydrostatic equation
    /// with the gas constant of dry air, 287.05 J/(kg K).
    private static func share(altitudeMetres: Double) -> Double {
        exponential(-standardGravity * altitudeMetres / (287.05 * 295.15))
    }
}
