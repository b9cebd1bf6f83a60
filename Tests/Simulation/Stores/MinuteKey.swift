import Wire

/// One minute of one device.
struct MinuteKey: Hashable {
    var device: DeviceID
    var minute: Int64
}

/// What must be equal between two ways of counting.
struct MinuteNumbers: Hashable, CustomStringConvertible {
    var steps: Int64 = 0
    var revolutions: Int64 = 0
    var distanceMillimetres: Int64 = 0
    var coveredMilliseconds: Int64 = 0
    var activeMilliseconds: Int64 = 0
    var activityMilliseconds = [Int64](repeating: 0, count: ActivityKind.allCases.count)
    var cadenceIntegral: Float = 0
    var cadenceSeconds: Int64 = 0
    var cadenceMaximum: Float = 0

    mutating func add(_ row: MinuteTotals) {
        steps += Int64(row.steps)
        revolutions += Int64(row.revolutions)
        distanceMillimetres += Int64(row.distanceMillimetres)
        coveredMilliseconds += Int64(row.coveredMilliseconds)
        activeMilliseconds += Int64(row.activeMilliseconds)
        for (index, milliseconds) in row.activityMilliseconds.enumerated() {
            activityMilliseconds[index] += Int64(milliseconds)
        }
        cadenceIntegral += row.cadenceIntegral
        cadenceSeconds += Int64(row.cadenceSeconds)
        cadenceMaximum = max(cadenceMaximum, row.cadenceMaximum)
    }

    var description: String {
        """
        \(steps) steps, \(revolutions) revolutions, covered \(coveredMilliseconds) ms, active \(activeMilliseconds) ms, \
        activities \(activityMilliseconds), cadence \(cadenceIntegral) over \(cadenceSeconds) s, at most \(cadenceMaximum)
        """
    }
}
