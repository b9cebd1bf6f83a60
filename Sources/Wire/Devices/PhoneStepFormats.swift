/// Health Auto Export, an app that publishes HealthKit's records: late, in pieces that overlap, and more than once.
///
/// `{"data":{"metrics":[{"name":"step_count","units":"count","data":[{"qty":850,"date":"2024-02-06 14:30:00 -0800"}]}]}}`.
/// A record replaces an earlier one of the same interval. Messages do not state the length of the interval. The source
/// may (`interval=hour`); else it is a day if all records of a message begin at local midnight, an hour if all begin
/// with one, else a minute. A record whose interval has not ended is skipped: it comes again later. Heart rates
/// (`{"Min":…,"Avg":…,"Max":…,"date":…}`) and cycling powers are readings of their time where they are not averages of
/// hours or days. Source: help.healthyapps.dev, "Health Metrics JSON format".
enum HealthAutoExportFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["data"]?.object.map { $0["metrics"] != nil || $0["workouts"] != nil } ?? false
    }

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let data = try message.object().value("data").object else { throw .wrongType }
        var contents: [MotionContent] = []
        for metric in try data["metrics"]?.elements() ?? [] {
            do throws(WireError) {
                guard let metric = metric.object else { throw .wrongType }
                switch metric["name"]?.string {
                case "step_count": contents += steps(try Records(metric, message), message)
                case "heart_rate": contents += readings(.heart, try Records(metric, message), message)
                case "cycling_power": contents += readings(.power, try Records(metric, message), message)
                default: break
                }
            } catch {
                contents.append(.refusal(error, count: 1))
            }
        }
        return contents
    }

    /// The records of a metric: its numbers by the second in which they begin, and how long each is. Those that cannot be
    /// read do not harm the others: the app sends a day again and again as it is.
    private struct Records {
        let sorted: [(key: Int64, value: Double)]
        let interval: DeviceSource.Interval
        let refusals: [MotionContent]

        init(_ metric: JSONObject, _ message: DeviceMessage) throws(WireError) {
            let records = try metric.value("data").elements()
            // Of two sources of one interval, a watch and a phone, the larger number stands.
            var largest: [Int64: Double] = [:]
            var (areDays, areHours) = (true, true)
            refusals = try MotionContent.refusals(reading: records) { record throws(WireError) in
                guard let number = (record.object?["Avg"] ?? record.object?["qty"])?.double,
                    let date = record.object?["date"]
                else { throw .wrongType }
                let start = try start(try date.text(maximumBytes: TimePoint.maximumBytes))
                largest[start.seconds] = max(largest[start.seconds] ?? number, number)
                areDays = areDays && start.secondsOfDay == 0
                areHours = areHours && start.secondsOfDay % 3600 == 0
            }
            sorted = largest.sorted { $0.key < $1.key }
            interval = message.source?.interval ?? (areDays ? .day : areHours ? .hour : .minute)
        }
    }

    private static func readings(
        _ kind: Reading.Kind, _ records: Records, _ message: DeviceMessage
    ) -> [MotionContent] {
        guard records.interval == .minute else { return records.refusals }
        return records.refusals
            + records.sorted.filter { $0.key * 1_000_000 <= message.arrivalMicroseconds }.map { second, value in
                .reading(kind, value, message, time: .utc(microseconds: second * 1_000_000))
            }
    }

    private static func steps(_ records: Records, _ message: DeviceMessage) -> [MotionContent] {
        let (sorted, interval) = (records.sorted, records.interval)
        var contents = records.refusals
        for (index, record) in sorted.enumerated() {
            // A day on which the clocks go forward ends where the next one begins.
            let next = index + 1 < sorted.count ? sorted[index + 1].key : .max
            let end = min(record.key + interval.seconds, interval == .day ? next : .max)
            guard end * 1_000_000 <= message.arrivalMicroseconds else { continue }
            do throws(WireError) {
                guard (0...Double(CountLimits.maximumIntervalSteps)).contains(record.value) else { throw .outOfRange }
                let micro = UInt64((record.value * 1e6).rounded())
                let steps = try DeviceStepCount(
                    steps: micro / 1_000_000, microSteps: UInt32(micro % 1_000_000),
                    fromMicroseconds: record.key * 1_000_000, toMicroseconds: end * 1_000_000)
                contents.append(.steps(steps))
            } catch {
                contents.append(.refusal(error, count: 1))
            }
        }
        return contents
    }

    /// `yyyy-MM-dd HH:mm:ss Z`: the local time and its offset; `4:51:00 pm` on a phone that shows twelve hours.
    private static func start(_ text: String) throws(WireError) -> (seconds: Int64, secondsOfDay: Int) {
        // Some systems put a narrow or a fixed space before the half of the day.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        var reader = ISOReader(
            isASCII ? text : String(text.map { $0 == "\u{202F}" || $0 == "\u{00A0}" ? " " : $0 }))
        let (year, month, day) = try reader.date()
        try reader.separator()
        let secondsOfDay = try reader.secondsOfDayOnAnyClock()
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
/// A later reply replaces an earlier one about the same time, and hours stand inside their day. What of an interval has
/// not passed yet is cut off. −1 steps mean that the phone cannot count.
/// Source: OwnTracks booklet, "Pedometer" and "JSON".
enum OwnTracksFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool { object["_type"]?.string != nil }

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        let type = try object.value("_type").string
        guard type != "encrypted" else { throw .encrypted }
        guard type == "steps" else { return [] }
        let steps = try object.value("steps").count()
        guard let start = try object.microseconds("from"), let end = try object.microseconds("to"),
            case .utc = try FrameTime.checkedUTC(microseconds: start)
        else { throw .absurdTime }
        return [.steps(try DeviceStepCount(steps: steps, fromMicroseconds: start, toMicroseconds: end))]
    }
}
