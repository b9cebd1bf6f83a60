import FIT
package import Wire

/// A workout as a file for other programs.
package struct WorkoutFile: Sendable {
    package let name: String
    /// The media type.
    package let type: String
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - data: The workout with all of its seconds.
    ///   - offset: Local time at its start minus UTC, in seconds.
    package init(_ workout: Workout, _ data: WorkoutData, offset: Int64, _ format: WorkoutFormat) {
        let activity = FITActivity(workout, data, utcOffsetSeconds: Int(clamping: offset))
        let local = max(0, activity.start + offset)
        let clock = [local / 3600 % 24, local / 60 % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
        name = "\(workout.kind.rawValue)-\(LocalDate(dayNumber: Int(local / 86_400)))-\(clock).\(format.rawValue)"
        switch format {
        case .fit: (type, bytes) = ("application/vnd.ant.fit", activity.encoded())
        case .csv: (type, bytes) = ("text/csv", Array(activity.csv.utf8))
        }
    }
}

extension FITActivity {
    fileprivate init(_ workout: Workout, _ data: WorkoutData, utcOffsetSeconds: Int) {
        var totals = Totals()
        let isRide = workout.kind == .ride
        let count = isRide ? workout.revolutions : workout.steps
        totals.count = count > 0 ? Double(count) : nil
        totals.distanceMetres = workout.distanceMetres
        totals.movingSeconds = workout.movingSeconds
        totals.kilocalories = workout.energy?.kilocalories
        totals.workJoules = workout.power.map { $0.workKilojoules * 1000 }
        totals.cadence = (isRide ? workout.rpm : workout.spm).map { Range(average: $0.average, maximum: $0.maximum) }
        totals.speedMetresPerSecond = workout.speedAverageMetresPerSecond.map {
            Range(average: $0, maximum: workout.speedMaximumMetresPerSecond ?? $0)
        }
        totals.bpm = workout.heart.map { Range(average: $0.average, maximum: $0.maximum) }
        totals.watts = workout.power.map { Range(average: $0.average, maximum: $0.maximum) }
        let device = workout.devices.first.map { "\($0)" } ?? ""
        let sport: Sport =
            switch workout.kind {
            case .ride: .indoorCycling
            case .walk: .walking
            case .run: .running
            }
        func second(_ time: Double) -> Int64 { Int64(clampingSeconds: time) }
        let seconds = (0..<max(0, Int(clamping: second(workout.end - workout.start)))).map { index in
            func number(_ numbers: [Int?]?) -> Int? { numbers.flatMap { index < $0.count ? $0[index] : nil } }
            return Second(cadence: number(data.cadence), watts: number(data.watts), bpm: number(data.bpm))
        }
        self.init(
            sport: sport, serial: UInt32(truncatingIfNeeded: Array(device.utf8).withUnsafeBytes(StableHash.of)) | 1,
            deviceName: device,
            start: second(workout.start), seconds: seconds,
            pauses: workout.pauses.map { second($0.lowerBound)..<second($0.upperBound) },
            utcOffsetSeconds: utcOffsetSeconds, totals: totals)
    }

    /// A line for each second while the timer ran; what is not known is empty.
    fileprivate var csv: String {
        var text = "t,time,distance_m,speed_m_per_s,cadence_\(sport.isOfSteps ? "spm" : "rpm"),watts,bpm\r\n"
        func hundredths(_ number: Double?) -> String { number.map { "\(($0 * 100).rounded() / 100)" } ?? "" }
        func whole(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }
        for record in records {
            let fields = [
                "\(record.time)", TimePoint.instant(seconds: Double(record.time)).text,
                hundredths(record.distanceMetres), hundredths(record.speedMetresPerSecond),
                whole(record.second.cadence), whole(record.second.watts), whole(record.second.bpm),
            ]
            text += fields.joined(separator: ",") + "\r\n"
        }
        return text
    }
}

extension HistoryAnswers {
    /// `workouts/export`: a workout as a file, a part of it. The cursor is the place of the part, and what was in the file.
    func exportWorkout(_ request: HistoryRequest, nowMinute: Int64) async throws -> WorkoutFileData {
        var whole = request
        (whole.cursor, whole.limit) = (nil, .max)
        let data = try await workout(whole, nowMinute: nowMinute)
        guard let workout = data.workout, let id = WorkoutID(workout.id) else { throw ReplyError.unknownWorkout }
        let record = try await store.record(of: id.subject) ?? SubjectRecord(id.subject)
        let offset = try calendar(request, of: record.settings).offsets.offsetSeconds(
            at: Int64(clampingSeconds: workout.start))
        let file = WorkoutFile(workout, data, offset: offset, request.format ?? .fit)
        let content = String(file.bytes.withUnsafeBytes(StableHash.of), radix: 36)
        var part = file.bytes[...]
        if let cursor = request.cursor?.split(separator: ".") {
            guard cursor.count == 2, let place = Int(cursor[0]), part.indices.contains(place), cursor[1] == content
            else {
                throw ReplyError(
                    code: .badRequest,
                    message: "the workout has changed since the first part: ask again without 'cursor'")
            }
            part = part[place...]
        }
        part = part.prefix(WorkoutFileData.maximumPartBytes)
        return WorkoutFileData {
            ($0.name, $0.type, $0.part) = (file.name, file.type, Array(part))
            if part.endIndex < file.bytes.endIndex { $0.cursor = "\(part.endIndex).\(content)" }
        }
    }
}
