import Foundation
import Wire

/// Instants as a clock on the wall shows them, in the zone of whom they are told of.
struct LocalClock {
    /// The zone's IANA name, for a heading.
    let zone: String
    private let calendar: Calendar

    /// The clock of a zone; that of UTC where there is none, or one that this machine does not know.
    init(zone name: String?) {
        let zone = name.flatMap(TimeZone.init(identifier:))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone ?? .gmt
        self.calendar = calendar
        self.zone = zone == nil ? "UTC" : name ?? "UTC"
    }

    /// The date of the start of a bucket that is a day or more, else its time as well.
    func text(_ seconds: Double, of bucket: Bucket) -> String {
        switch bucket {
        case .minute, .hour: text(seconds)
        case .day, .week, .month: String(text(seconds).prefix { $0 != " " })
        }
    }

    /// `2026-11-20 18:05`, with seconds where there are some.
    func text(_ seconds: Double) -> String {
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds.rounded()))
        let date = [parts.year, parts.month, parts.day].map(Self.padded).joined(separator: "-")
        let time = [parts.hour, parts.minute] + (parts.second == 0 ? [] : [parts.second])
        return "\(date) \(time.map(Self.padded).joined(separator: ":"))"
    }

    private static func padded(_ number: Int?) -> String {
        let number = number ?? 0
        return number < 10 ? "0\(number)" : "\(number)"
    }
}
