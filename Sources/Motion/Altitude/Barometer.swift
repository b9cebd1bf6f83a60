#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a pressure of the air says about height.
public enum Barometer {
    /// Pressures that are believed, in hPa: what the barometers of phones and watches measure (Bosch BMP390, data sheet
    /// BST-BMP390-DS002-07: 300 to 1,250 hPa).
    public static let pressuresHectopascals: ClosedRange<Float> = 300...1250

    /// Metres above the level where the standard atmosphere has 1013.25 hPa, by the international barometric formula
    ///
    ///     44330 (1 − (p / 1013.25)^(1/5.255))
    ///
    /// as Bosch gives it (BMP180, data sheet BST-BMP180-DS000-09, section 3.6) and Android computes it
    /// (`SensorManager.getAltitude`); it is that of the ICAO standard atmosphere (Doc 7488) up to 11 km. Only
    /// differences are of use: the weather moves the level by hundreds of metres.
    public static func altitudeMetres(hectopascals: Double) -> Double {
        44_330 * (1 - pow(max(hectopascals, 0) / 1013.25, 1 / 5.255))
    }
}
