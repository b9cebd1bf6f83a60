import Wire

extension HistoryAnswers {
    /// The resolution of history, in seconds.
    static var resolutionSeconds: Int { 60 }

    /// `history/interval`: one record for `[from, to)`. Without `from` since the device's day began; without `to` up to
    /// now. `from` and `to` of the reply are the whole minutes that it is about (`resolution_s`).
    func interval(_ request: HistoryRequest, nowMinute: Int64) async throws -> [UInt8] {
        let (record, calendar) = try await subject(of: request)
        let today = calendar.startMinute(of: calendar.date(ofMinute: nowMinute))
        let range = try RequestedRange(request, in: calendar, default: today..<max(today, nowMinute) + 1).minutes
        let sum = try await store.sums(of: record.device, in: [range]).first ?? CountSum()
        return Self.interval(of: record, range, sum).encodedJSON()
    }

    private static func interval(of record: DeviceRecord, _ range: Range<Int64>, _ sum: CountSum) -> IntervalData {
        let cadence = CadenceMean(sum, kind: record.settings.kind)
        let metres = sum.counts.distanceMetres
        return IntervalData(
            device: record.device, from: Double(range.lowerBound) * 60, to: Double(range.upperBound) * 60,
            steps: UInt64(clamping: sum.counts.steps), revolutions: UInt64(clamping: sum.counts.revolutions),
            distanceMetres: metres, activeSeconds: sum.counts.activeSeconds, coveredSeconds: sum.counts.coveredSeconds,
            cadenceAverageRPM: cadence.revolutionsPerMinute, cadenceAverageSPM: cadence.stepsPerMinute,
            paceAverageSecondsPerMetre: metres > 0 ? sum.counts.activeSeconds / metres : nil,
            resolutionSeconds: resolutionSeconds)
    }
}
