import Wire

/// One minute of one device.
struct MinuteKey: Hashable {
    var device: DeviceID
    var minute: Int64
}

/// What must be equal between two ways of counting. Active time is not among it: where a pause begins, up to a second
/// of it is told before it is known whether the rest of that second was active.
struct MinuteNumbers: Hashable {
    var steps: Int64 = 0
    var revolutions: Int64 = 0
    var coveredMilliseconds: Int64 = 0

    mutating func add(_ row: MinuteTotals) {
        steps += Int64(row.steps)
        revolutions += Int64(row.revolutions)
        coveredMilliseconds += Int64(row.coveredMilliseconds)
    }
}
