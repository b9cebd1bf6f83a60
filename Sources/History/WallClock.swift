import Foundation

/// The clock on the wall, for services; whatever decides takes the time as a parameter.
public enum WallClock {
    /// Seconds since 1970, UTC.
    @Sendable
    public static func nowSeconds() -> Double { Date().timeIntervalSince1970 }
}
