/// Health Auto Export, an app that publishes HealthKit's records: late, in pieces that overlap, and more than once.
///
/// `{"data":{"metrics":[{"name":"step_count","units":"count","data":[{"qty":850,"date":"2024-02-06 14:30:00 -0800"}]}]}}`.
/// A record replaces an earlier one of the same interval. Messages do not state the length of the interval. The source
/// may (`interval=hour`); else it is a day if all records of a message begin at local midnight, an hour if all begin
/// with one, else a minute. A record whose interval has not ended is skipped: it comes again later. Source:
/// help.healthyapps.dev, "Health Metrics JSON format".
enum HealthAutoExportFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["data"]?.object.map { $0["metrics"] != nil || $0["workouts"] != nil } ?? false
    }

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let data = try message.object().value("data").object else { throw .wrongType }
        var contents: [MotionContent] = []
        for metric in data["metrics"]?.array ?? [] {
            guard let metric = metric.object else { throw .wrongType }
            guard metric["name"]?.string == "step_count" else { continue }
            contents += try steps(try metric.value("data").array ?? [], message)
        }
        return contents
    }

    private static func steps(
        _ records: [JSONValue], _ message: DeviceMessage
    ) throws(WireError) -> [MotionContent] {
        guard records.count <= PayloadLimits.maximumRecords else { throw .payloadTooLarge }
        var starts: [(seconds: Int64, secondsOfDay: Int)] = []
        var counts: [UInt64] = []
        for record in records {
            guard let record = record.object else { throw .wrongType }
            let quantity = try record.value("qty").number(in: 0...Double(CountLimits.maximumCount))
            counts.append(UInt64(quantity.rounded()))
            starts.append(try start(try record.value("date").text(maximumBytes: TimePoint.maximumBytes)))
        }
        let guessed: DeviceSource.Interval =
            starts.allSatisfy { $0.secondsOfDay == 0 }
            ? .day : starts.allSatisfy { $0.seconds % 3600 == 0 } ? .hour : .minute
        let interval = message.source?.interval ?? guessed
        var contents: [MotionContent] = []
        for (start, count) in zip(starts, counts) {
            guard (start.seconds + interval.seconds) * 1_000_000 <= message.arrivalMicroseconds else { continue }
            // A day on which the clocks go forward has 23 hours. This length keeps the steps within the day.
            let seconds = interval == .day ? 23 * 3600 : interval.seconds
            contents.append(
                .steps(
                    try DeviceStepCount(
                        steps: count, fromMicroseconds: start.seconds * 1_000_000,
                        toMicroseconds: (start.seconds + seconds) * 1_000_000)))
        }
        return contents
    }

    /// `yyyy-MM-dd HH:mm:ss Z`: the local time and its offset.
    private static func start(_ text: String) throws(WireError) -> (seconds: Int64, secondsOfDay: Int) {
        var reader = ISOReader(text)
        let (year, month, day) = try reader.date()
        try reader.separator()
        let secondsOfDay = try reader.secondsOfDay()
        try reader.expect(" ")
        let offset = try reader.offsetSeconds()
        guard reader.isAtEnd else { throw .malformed }
        let days = CivilDate.days(year: year, month: month, day: day)
        let seconds = Int64(days * 86_400 + secondsOfDay - offset)
        guard case .utc = try FrameTime.checkedUTC(microseconds: seconds * 1_000_000) else { throw .absurdTime }
        return (seconds, secondsOfDay)
    }
}

/// OwnTracks on iOS: the reply to `reportSteps`, `{"_type":"steps","tst":…,"from":…,"to":…,"steps":1234}`.
///
/// A reply that ends now and began more than an hour ago is the day's counter so far; any other is a closed interval,
/// which replaces an earlier reply about the same one. −1 steps mean that the phone cannot count.
/// Source: OwnTracks booklet, "Pedometer" and "JSON".
enum OwnTracksFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool { object["_type"]?.string != nil }

    /// The maximum time between the end and the arrival of a reply about the day so far, in microseconds.
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
