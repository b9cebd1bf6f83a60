package import Wire

/// A workout, second by second, as a FIT file of the kind Activity has it.
package struct FITActivity: Sendable {
    /// What is written of the whole is what the workout says, not counted anew from its seconds.
    package let workout: Workout
    private let numbers: WorkoutData
    /// Local time at the start minus UTC, in seconds.
    let utcOffsetSeconds: Int64
    /// In seconds since 1970; the end is not included.
    package let start, end: Int64
    /// When the timer stood, in seconds since 1970.
    package let pauses: [Range<Int64>]

    /// - Parameter numbers: Those of every second of the workout, pauses too.
    package init(_ workout: Workout, _ numbers: WorkoutData, utcOffsetSeconds: Int64 = 0) {
        (self.workout, self.numbers, self.utcOffsetSeconds) = (workout, numbers, utcOffsetSeconds)
        func second(_ time: Double) -> Int64 { time > 0 ? Int64(min(time, Double(FITFormat.lastSecond))) : 0 }
        let lengths = [numbers.cadence, numbers.watts, numbers.bpm].map { $0?.count ?? 0 }
        let start = second(workout.start)
        let end = start + Int64(lengths.max() ?? 0)
        (self.start, self.end) = (start, end)
        pauses = workout.pauses.map { (second($0.lowerBound)..<second($0.upperBound)).clamped(to: start..<end) }
            .filter { !$0.isEmpty }
    }

    /// Whether the cadence is of steps. FIT counts strides then: two steps each.
    package var isOfSteps: Bool { workout.kind != .ride }

    /// The seconds in which the timer ran: all but the pauses.
    package var timerSeconds: Int { Int(end - start) - pauses.reduce(0) { $0 + $1.count } }

    /// A second while the timer ran, with the way at its end.
    package struct Record: Sendable, Equatable {
        /// In seconds since 1970.
        package var time: Int64
        /// Revolutions or steps a minute; nil where it is not known, as the others.
        package var cadence, watts, bpm: Int?
        package var distanceMetres: Double?
        package var speedMetresPerSecond: Double?
    }

    /// The seconds while the timer ran. The distance of the whole goes to them by their cadence, which is what it was
    /// counted from; where none is known, in equal parts.
    package var records: [Record] {
        func number(_ numbers: [Int?]?, _ time: Int64) -> Int? {
            guard let numbers, time - start < numbers.count else { return nil }
            return numbers[Int(time - start)]
        }
        let paused = RangeSet(pauses)
        var records = RangeSet(start..<end).subtracting(paused).ranges.joined().map { time in
            Record(
                time: time, cadence: number(numbers.cadence, time), watts: number(numbers.watts, time),
                bpm: number(numbers.bpm, time))
        }
        guard let distance = workout.distanceMetres, distance.isFinite else { return records }
        let cadences = records.map { Double(max($0.cadence ?? 0, 0)) }
        let whole = cadences.reduce(0, +)
        var sum = 0.0
        for index in records.indices {
            let share = whole > 0 ? cadences[index] / whole : 1 / Double(records.count)
            sum += share
            records[index].distanceMetres = distance * min(sum, 1)
            records[index].speedMetresPerSecond = distance * share
        }
        return records
    }
}

extension FITActivity {
    /// The bytes of the file. They depend on the activity alone.
    package func encoded() -> [UInt8] {
        var file = FITWriter()
        let (start, end) = (FITWriter.time(start), FITWriter.time(end))
        let device = workout.devices.first.map { "\($0)" } ?? ""
        // A number of its own for each device; 0 is none.
        let serial = Int(UInt32(truncatingIfNeeded: Array(device.utf8).withUnsafeBytes(StableHash.of)) | 1)
        file.write(
            .fileID,
            [
                .number(0, .enumeration, 4),  // type: activity
                .number(1, .uint16, Self.development),  // manufacturer
                .number(2, .uint16, 0),  // product
                .number(3, .uint32z, serial),  // serial_number
                .number(4, .uint32, start),  // time_created
                .text(8, device),  // product_name
            ])
        file.write(
            .deviceInfo,
            [
                .number(FITFormat.timestamp, .uint32, start),
                .number(0, .uint8, 0),  // device_index: of who made the file
                .number(2, .uint16, Self.development),  // manufacturer
                .number(3, .uint32z, serial),  // serial_number
                .number(4, .uint16, 0),  // product
                .text(27, device),  // product_name
            ])
        if let title = workout.title ?? workout.classTitle {
            file.write(
                .workout,
                [
                    .number(4, .enumeration, sport.sport),
                    .number(11, .enumeration, sport.subSport),
                    .number(6, .uint16, 0),  // num_valid_steps
                    .text(8, title),  // wkt_name
                ])
        }
        writeSeconds(to: &file)
        file.write(
            .lap,
            [
                .number(254, .uint16, 0),  // message_index
                .number(24, .enumeration, 7),  // lap_trigger: session_end
            ]
                + summary.map { field, inLap in
                    var field = field
                    field.number = inLap
                    return field
                })
        file.write(
            .session,
            [
                .number(254, .uint16, 0),  // message_index
                .number(25, .uint16, 0),  // first_lap_index
                .number(26, .uint16, 1),  // num_laps
                .number(28, .enumeration, 0),  // trigger: activity_end
            ] + summary.map(\.field))
        file.write(
            .activity,
            [
                .number(FITFormat.timestamp, .uint32, end),
                .number(0, .uint32, timerSeconds * 1000),  // total_timer_time
                .number(1, .uint16, 1),  // num_sessions
                .number(2, .enumeration, 0),  // type: manual
                .number(3, .enumeration, 26),  // event: activity
                .number(4, .enumeration, 1),  // event_type: stop
                .number(5, .uint32, end + Int(utcOffsetSeconds.clamped(to: -86_400...86_400))),  // local_timestamp
            ])
        return file.finished()
    }

    /// The manufacturer of who is not in Garmin's list.
    private static let development = 255

    private var sport: (sport: Int, subSport: Int) {
        switch workout.kind {
        case .ride: (2, 6)
        case .walk: (11, 0)
        case .run: (1, 0)
        }
    }

    /// The timer's start, its records, and a stop and a start for each pause.
    private func writeSeconds(to file: inout FITWriter) {
        let records = records
        var fields: Set<UInt8> = [FITFormat.timestamp]
        for record in records {
            if record.cadence != nil { fields.formUnion(isOfSteps ? [4, 53] : [4]) }
            if record.watts != nil { fields.insert(7) }
            if record.bpm != nil { fields.insert(3) }
        }
        if workout.distanceMetres != nil { fields.formUnion([5, 6]) }
        var events = ([start] + pauses.flatMap { [$0.lowerBound, $0.upperBound] } + [end])[...]
        var isRunning = false
        func writeEvents(until time: Int64) {
            while let next = events.first, next <= time {
                isRunning.toggle()
                file.write(
                    .event,
                    [
                        .number(FITFormat.timestamp, .uint32, FITWriter.time(next)),
                        .number(0, .enumeration, 0),  // event: timer
                        .number(1, .enumeration, isRunning ? 0 : 4),  // event_type: start, stop_all
                    ])
                events.removeFirst()
            }
        }
        for record in records {
            writeEvents(until: record.time)
            let cadence = record.cadence.map { cycles(Double($0)) }
            let all: [FITWriter.Field] = [
                .number(FITFormat.timestamp, .uint32, FITWriter.time(record.time)),
                .number(5, .uint32, record.distanceMetres, scale: 100),  // distance
                .number(6, .uint16, record.speedMetresPerSecond, scale: 1000),  // speed
                .number(7, .uint16, record.watts),  // power
                .number(3, .uint8, record.bpm),  // heart_rate
                .whole(4, .uint8, of: cadence),  // cadence
                .fraction(53, of: cadence),  // fractional_cadence
            ]
            file.write(.record, all.filter { fields.contains($0.number) }, isSteady: true)
        }
        writeEvents(until: end)
    }

    /// Revolutions, or the strides of so many steps.
    private func cycles(_ count: Double) -> Double { isOfSteps ? count / 2 : count }

    /// The fields of the session message, totals and averages of the whole workout, each with its number in a lap message.
    private var summary: [(field: FITWriter.Field, inLap: UInt8)] {
        let cadence = isOfSteps ? workout.spm : workout.rpm
        let (average, maximum) = (cadence.map { cycles($0.average) }, cadence.map { cycles($0.maximum) })
        let fastest = workout.speedMaximumMetresPerSecond ?? workout.speedAverageMetresPerSecond
        let whole = isOfSteps ? workout.steps : workout.revolutions
        let count = whole > 0 ? cycles(Double(whole)) : nil
        return [
            (.number(FITFormat.timestamp, .uint32, FITWriter.time(end)), FITFormat.timestamp),
            (.number(0, .enumeration, 9), 0),  // event: lap
            (.number(1, .enumeration, 1), 1),  // event_type: stop
            (.number(2, .uint32, FITWriter.time(start)), 2),  // start_time
            (.number(5, .enumeration, sport.sport), 25),
            (.number(6, .enumeration, sport.subSport), 39),
            (.number(7, .uint32, Int(end - start) * 1000), 7),  // total_elapsed_time
            (.number(8, .uint32, timerSeconds * 1000), 8),  // total_timer_time
            (.number(59, .uint32, workout.movingSeconds, scale: 1000), 52),  // total_moving_time
            (.number(9, .uint32, workout.distanceMetres, scale: 100), 9),  // total_distance
            (.whole(10, .uint32, of: count), 10),  // total_cycles
            (.fraction(94, of: count), 82),  // total_fractional_cycles
            (.number(11, .uint16, workout.energy?.kilocalories, scale: 1), 11),  // total_calories
            (.number(48, .uint32, workout.power?.workKilojoules, scale: 1000), 41),  // total_work
            (.number(14, .uint16, workout.speedAverageMetresPerSecond, scale: 1000), 13),  // avg_speed
            (.number(15, .uint16, fastest, scale: 1000), 14),  // max_speed
            (.number(16, .uint8, workout.heart?.average, scale: 1), 15),  // avg_heart_rate
            (.number(17, .uint8, workout.heart?.maximum, scale: 1), 16),  // max_heart_rate
            (.whole(18, .uint8, of: average), 17),  // avg_cadence
            (.fraction(92, of: average), 80),  // avg_fractional_cadence
            (.whole(19, .uint8, of: maximum), 18),  // max_cadence
            (.fraction(93, of: maximum), 81),  // max_fractional_cadence
            (.number(20, .uint16, workout.power?.average, scale: 1), 19),  // avg_power
            (.number(21, .uint16, workout.power?.maximum, scale: 1), 20),  // max_power
        ]
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
