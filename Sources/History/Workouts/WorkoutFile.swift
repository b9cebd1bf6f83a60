import FIT
import Wire

extension HistoryAnswers {
    /// `workouts/export`: a workout as a file, a part of it. The cursor is the place of the part, and what was in the file.
    func exportWorkout(_ request: HistoryRequest, nowMinute: Int64) async throws -> WorkoutFileData {
        var whole = request
        (whole.cursor, whole.limit) = (nil, .max)
        let data = try await workout(whole, nowMinute: nowMinute)
        guard let workout = data.workout, let id = WorkoutID(workout.id) else { throw ReplyError.unknownWorkout }
        let record = try await store.record(of: id.subject) ?? SubjectRecord(id.subject)
        let start = Int64(clampingSeconds: workout.start)
        let offset = try calendar(request, of: record.settings).offsets.stretch(at: start).offsetSeconds
        let activity = FITActivity(workout, data, utcOffsetSeconds: offset)
        let format = request.format ?? .fit
        let file = format == .fit ? activity.encoded() : Array(activity.csv.utf8)
        let content = String(file.withUnsafeBytes(StableHash.of), radix: 36)
        var part = file[...]
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
            $0.name = Self.fileName(of: workout, localStart: max(0, start + offset), format)
            $0.type = format == .fit ? "application/vnd.ant.fit" : "text/csv"
            $0.part = Array(part)
            if part.endIndex < file.endIndex { $0.cursor = "\(part.endIndex).\(content)" }
        }
    }

    /// Such as `ride-2026-11-20-1800.fit`, by the clock of where it began.
    private static func fileName(of workout: Workout, localStart: Int64, _ format: WorkoutFormat) -> String {
        let clock = [localStart / 3600 % 24, localStart / 60 % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
        let date = LocalDate(dayNumber: Int(localStart / 86_400))
        return "\(workout.kind.rawValue)-\(date)-\(clock).\(format.rawValue)"
    }
}

extension FITActivity {
    /// A line for each second while the timer ran; what is not known is empty.
    fileprivate var csv: String {
        var text = "t,time,distance_m,speed_m_per_s,cadence_\(isOfSteps ? "spm" : "rpm"),watts,bpm\r\n"
        func hundredths(_ number: Double?) -> String { number.map { "\(($0 * 100).rounded() / 100)" } ?? "" }
        func whole(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }
        for record in records {
            let fields = [
                "\(record.time)", TimePoint.instant(seconds: Double(record.time)).text,
                hundredths(record.distanceMetres), hundredths(record.speedMetresPerSecond), whole(record.cadence),
                whole(record.watts), whole(record.bpm),
            ]
            text += fields.joined(separator: ",") + "\r\n"
        }
        return text
    }
}
