package import Wire

/// Turns buckets of a series into lines of a file: RFC 4180 CSV with a heading, or one JSON object per line.
package struct SeriesExport: Sendable {
    /// The format of the lines.
    package enum Format: String, Sendable, CaseIterable {
        /// Comma-separated values, times as ISO 8601 in UTC.
        case csv
        /// JSON Lines: the fields of `history/series` and the device, times in seconds since 1970.
        case jsonl
    }

    /// The device that the buckets belong to.
    package let device: DeviceID
    /// The format of the lines.
    package let format: Format

    package init(device: DeviceID, format: Format) {
        self.device = device
        self.format = format
    }

    /// The first line of the file, without line end; nil if the format has none.
    package var heading: String? {
        format == .csv
            ? "device,start,steps,revolutions,distance_m,cadence_avg_rpm,cadence_avg_spm,active_s,covered_s,"
                + "floors_ascended,floors_descended" : nil
    }

    /// The line of a bucket, without line end; nil for a bucket without data.
    package func line(_ bucket: SeriesBucket) -> String? {
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
        let object = JSONWriter.object { writer in
            writer.field("device", device.description)
            bucket.writeFields(to: &writer)
        }
        return String(decoding: object, as: UTF8.self)
    }

    private static func text(_ number: Double) -> String {
        var writer = JSONWriter()
        writer.value(number, decimals: 3)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
