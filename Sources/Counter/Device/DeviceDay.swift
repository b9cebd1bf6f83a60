import Foundation
import ServiceKit

/// A day of a device: it begins at the device's midnight, or later where its config says so.
struct DeviceDay: Sendable, Equatable {
    /// Days since 1970-01-01 on the device's wall clock.
    var number: Int64
    /// Its beginning, in microseconds since 1970, UTC.
    var startMicroseconds: Int64

    private static let daySeconds: Int64 = 86_400

    /// The day of a time.
    ///
    /// - Parameters:
    ///   - microseconds: the time, since 1970, UTC.
    ///   - zone: the IANA name of the device's zone; one that is not known counts as UTC.
    ///   - dayStartMinutes: minutes after midnight at which the day begins.
    init(of microseconds: Int64, zone: String, dayStartMinutes: Int) {
        let seconds = microseconds / 1_000_000
        let zone = TimeZoneName.zone(zone) ?? .gmt
        let start = Int64(dayStartMinutes) * 60
        let offset = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        let local = seconds + offset - start
        number = local >= 0 ? local / Self.daySeconds : (local + 1) / Self.daySeconds - 1
        // The offset may have been another one when the day began.
        let begun = number * Self.daySeconds + start - offset
        let offsetThen = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(begun))))
        startMicroseconds = (begun + offset - offsetThen) * 1_000_000
    }
}
