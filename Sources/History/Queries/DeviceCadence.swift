import Wire

/// A cadence, as what it counts: a minute row has one cadence, of revolutions on a bike and of steps on a person.
struct DeviceCadence: Equatable {
    /// Of a crank.
    var rpm: CadenceFigures?
    /// Of a walker.
    var spm: CadenceFigures?

    /// The cadence of a range; of a device whose kind is unknown, what it did for longer decides.
    init(_ sum: CountSum, kind: String) {
        guard let average = sum.cadenceMean else { return }
        let minimum = sum.cadenceMinimum > 0 ? sum.cadenceMinimum : average
        let figures = CadenceFigures(average: average, minimum: minimum, maximum: max(sum.cadenceMaximum, minimum))
        if Self.isCrank(sum, kind: kind) { rpm = figures } else { spm = figures }
    }

    private static func isCrank(_ sum: CountSum, kind: String) -> Bool {
        switch DeviceKind(rawValue: kind) {
        case .bike: return true
        case .wearable: return false
        default:
            let onFoot = sum[.walking] + sum[.running]
            let cycling = sum[.cycling]
            return cycling == onFoot ? sum.counts.revolutions > sum.counts.steps : cycling > onFoot
        }
    }
}
