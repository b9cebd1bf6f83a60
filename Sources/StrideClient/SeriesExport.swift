public import Wire

/// Turns buckets of a series into lines of a file: RFC 4180 CSV under a heading, or a JSON object a line.
public struct SeriesExport: Sendable {
    /// How the lines look.
    public enum Format: String, Sendable, CaseIterable {
        /// Comma-separated values, times as ISO 8601 in UTC.
        case csv
        /// JSON Lines: the fields of `history/series` and the device, times in seconds since 1970.
        case jsonl
    }

    /// Whose buckets.
    public let device: DeviceID
    /// How the lines look.
    public let format: Format

    /// An export of a device.
    public init(device: DeviceID, format: Format) {
        self.device = device
        self.format = format
    }

    /// The line before all others, without its end; nil where there is none.
    public var heading: String? {
        format == .csv
            ? "device,start,steps,revolutions,distance_m,cadence_avg_rpm,cadence_avg_spm,active_s,covered_s,"
                + "floors_ascended,floors_descended" : nil
    }

    /// The line of a bucket, without its end; nil for one about which nothing is known.
    public func line(_ bucket: SeriesBucket) -> String? {
        guard bucket.coveredSeconds > 0 || bucket.steps > 0 || bucket.revolutions > 0 else { return nil }
        switch format {
        case .csv: return csv(bucket)
        case .jsonl: return json(bucket)
        }
    }

    private func csv(_ bucket: SeriesBucket) -> String {
        let numbers = [
            bucket.distanceMetres, bucket.rpm?.average, bucket.spm?.average, bucket.activeSeconds,
            bucket.coveredSeconds,
        ].map { $0.map(Self.text) ?? "" }
        let floors = [bucket.floors?.ascended, bucket.floors?.descended].map { $0.map { "\($0)" } ?? "" }
        let start = TimePoint.instant(seconds: bucket.start).text
        return ([device.description, start, "\(bucket.steps)", "\(bucket.revolutions)"] + numbers + floors)
            .joined(separator: ",")
    }

    private func json(_ bucket: SeriesBucket) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("device", device.description)
        bucket.writeFields(to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func text(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.value(number, decimals: 3)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
