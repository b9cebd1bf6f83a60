import Wire

extension HistoryAnswers {
    /// The resolution of what is older than the retention of minutes, in seconds.
    static var oldResolutionSeconds: Int { 3600 }
    /// How many minutes back from the present one "now" reaches: the present minute may not have come yet.
    static var nowMinutes: Int64 { 1 }

    /// `history/interval`: one record for `[from, to)`. Without `from` since the device's day began; without `to` up to
    /// now. `from` and `to` of the reply are the whole minutes that it is about (`resolution_s`), and `partial_minute`
    /// says whether the interval asked for cuts one.
    func interval(_ request: HistoryRequest, nowMinute: Int64) async throws -> IntervalData {
        let (record, calendar) = try await subject(of: request)
        let today = calendar.startMinute(of: calendar.date(ofMinute: nowMinute))
        let range = try RequestedRange(request, in: calendar, default: today..<max(today, nowMinute) + 1)
        let sum = try await store.sums(of: record.device, in: [range.minutes]).first ?? CountSum()
        var data = IntervalData(record, range.minutes, sum)
        data.cutsResolution = range.cutsMinute
        if range.minutes.lowerBound < record.compactedMinute { data.resolutionSeconds = Self.oldResolutionSeconds }
        data.now = try await momentary(record, range.minutes, nowMinute: nowMinute)
        return data
    }

    /// The last minute of an interval that reaches up to now.
    private func momentary(
        _ record: DeviceRecord, _ range: Range<Int64>, nowMinute: Int64
    ) async throws -> MomentaryFigures {
        let recent = range.clamped(to: nowMinute - Self.nowMinutes..<DayCalendar.minutes.upperBound)
        guard range.upperBound >= nowMinute, !recent.isEmpty else { return MomentaryFigures() }
        let rows = try await store.minutes(of: record.device, in: recent, limit: Int(Self.nowMinutes) + 1)
        guard let last = rows.last?.sum, last.counts.activeMilliseconds > 0 else { return MomentaryFigures() }
        let cadence = DeviceCadence(last, kind: record.settings.kind)
        return MomentaryFigures(
            cadenceRPM: cadence.rpm?.average, cadenceSPM: cadence.spm?.average,
            paceSecondsPerMetre: last.counts.paceSecondsPerMetre,
            speedKilometresPerHour: cadence.rpm == nil ? nil : last.counts.paceSecondsPerMetre.map { 3.6 / $0 })
    }
}

extension IntervalData {
    /// The record of whole minutes.
    init(_ record: DeviceRecord, _ range: Range<Int64>, _ sum: CountSum) {
        let cadence = DeviceCadence(sum, kind: record.settings.kind)
        self.init(
            device: record.device, from: Double(range.lowerBound) * 60, to: Double(range.upperBound) * 60,
            totals: Totals(sum.counts), rpm: cadence.rpm, spm: cadence.spm,
            paceAverageSecondsPerMetre: sum.counts.paceSecondsPerMetre)
    }
}
