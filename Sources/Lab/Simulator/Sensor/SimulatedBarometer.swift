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
