/// A barometer on the market, by its data sheet.
public struct BarometerPart: Sendable, Hashable {
    /// Noise of one reading: root mean square, Pa.
    public var noisePascals: Double
    /// Typical error of the pressure itself, Pa.
    public var offsetPascals: Double
    /// What a change of its temperature does, Pa a kelvin.
    public var pascalsPerKelvin: Double
    /// The smallest difference that it tells, Pa.
    public var resolutionPascals: Double

    /// A part from its figures.
    public init(
        noisePascals: Double, offsetPascals: Double, pascalsPerKelvin: Double, resolutionPascals: Double
    ) {
        self.noisePascals = noisePascals
        self.offsetPascals = offsetPascals
        self.pascalsPerKelvin = pascalsPerKelvin
        self.resolutionPascals = resolutionPascals
    }

    /// Bosch BMP280, of the kind on hobby boards and in older phones, without its filter.
    ///
    /// Source: BST-BMP280-DS001, "Key parameters" and table 2: noise 1.3 Pa at full bandwidth, absolute accuracy ±1
    /// hPa, temperature coefficient of the offset 1.5 Pa/K, resolution 0.16 Pa.
    public static let bmp280 = BarometerPart(
        noisePascals: 1.3, offsetPascals: 100, pascalsPerKelvin: 1.5, resolutionPascals: 0.16)
}
