/// OwnTracks on iOS: the reply to `reportSteps`, `{"_type":"steps","tst":…,"from":…,"to":…,"steps":1234}`.
///
/// A reply that ends now and began more than an hour ago is the day's counter so far; any other is a closed interval,
/// which replaces an earlier reply about the same one. −1 steps mean that the phone cannot count.
/// Source: OwnTracks booklet, "Pedometer" and "JSON".
enum OwnTracksFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool { object["_type"]?.string != nil }

    /// The longest time from the end of a reply about the day so far to its arrival, in microseconds.
    private static let nowMicroseconds: Int64 = 120_000_000

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        guard try object.value("_type").string == "steps" else { return [] }
        guard try object.value("steps").number(in: -1...Double(CountLimits.maximumCount)) >= 0 else {
            throw .outOfRange
        }
        let steps = try object.value("steps").count()
        guard let start = try object.microseconds("from"), let end = try object.microseconds("to"),
            case .utc = try FrameTime.checkedUTC(microseconds: start)
        else { throw .absurdTime }
        let interval = try DeviceStepCount(steps: steps, fromMicroseconds: start, toMicroseconds: end)
        let isNow = (message.arrivalMicroseconds - end).magnitude < UInt64(nowMicroseconds)
        guard isNow, end - start > 3_600_000_000 else { return [.steps(interval)] }
        return [.steps(try DeviceStepCount(.day, steps: steps, atMicroseconds: end))]
    }
}
