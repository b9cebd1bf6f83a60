import Wire

extension HistoryAnswers {
    /// The days before now of which workouts are told without `from`.
    static var defaultWorkoutDays: Int64 { 30 }
    /// The most workouts of one reply.
    static var workoutsAPage: Int { 100 }
    /// The longest time that one page of workouts looks through, and one step of it, in minutes.
    private static var workoutPageMinutes: Int64 { 400 * 1440 }
    private static var workoutStepMinutes: Int64 { 31 * 1440 }
    /// So much before and after a time is looked at for workouts in it, in minutes.
    static var workoutReachMinutes: Int64 { 1440 }

    /// `history/workouts`: the rides, walks and runs of a device or a person that begin in `[from, to)`. Without `from` those
    /// of the last 30 days; without `to` up to now.
    func workouts(_ request: HistoryRequest, nowMinute: Int64) async throws -> Page<Workout> {
        let (record, calendar) = try await subject(of: request)
        let standard = nowMinute + 1 - Self.defaultWorkoutDays * 1440..<nowMinute + 1
        let asked = try RequestedRange(request, in: calendar, default: standard).minutes
        // A workout may begin with a mark, before anything moved.
        let known =
            (record.firstMinute ?? 0) * 60 - WorkoutMark.longestWindowSeconds..<((record.lastMinute ?? -1) + 1) * 60
        var rest = try Self.page(of: asked.lowerBound * 60..<asked.upperBound * 60, cursor: request.cursor)
            .clamped(to: known)
        let end = min(rest.upperBound, rest.lowerBound + Self.workoutPageMinutes * 60)
        let limit = min(Self.limit(of: request), Self.workoutsAPage)
        var found: [WorkoutSpan] = []
        while rest.lowerBound < end, found.count <= limit {
            let step = rest.lowerBound..<min(end, rest.lowerBound + Self.workoutStepMinutes * 60)
            found += try await spans(of: record, in: step).filter {
                step.contains($0.seconds.lowerBound) && !$0.isDeleted
            }
            rest = step.upperBound..<rest.upperBound
        }
        if found.count > limit { rest = found[limit].seconds.lowerBound..<rest.upperBound }
        let page = Array(found.prefix(limit))
        try await store.noteTold(page, of: record.subject)
        let workouts = try await workouts(page, of: record).map(\.workout)
        return Page<Workout> {
            ($0.device, $0.person, $0.rows) = (record.device, record.subject.person, workouts)
            if !rest.isEmpty { $0.cursor = "\(rest.lowerBound)" }
        }
    }

    /// `history/workout`: one with its seconds, a page of them.
    func workout(_ request: HistoryRequest, nowMinute: Int64) async throws -> WorkoutData {
        let (record, span, _) = try await span(of: request)
        guard !span.isDeleted else { throw ReplyError.unknownWorkout }
        let rest = try Self.page(of: span.seconds, cursor: request.cursor)
        let page = rest.prefix(Self.limit(of: request))
        guard let (workout, minutes) = try await workouts([span], of: record).first else {
            throw ReplyError.unknownWorkout
        }
        let traces = Dictionary(minutes.map { ($0.minute, $0.trace) }) { $1 }
        func numbers(_ channel: Trace.Channel) -> [Int?] {
            page.map { traces[$0 / 60]??[channel, Int($0 % 60)] }
        }
        return WorkoutData {
            ($0.workout, $0.start) = (workout, Double(page.lowerBound))
            ($0.cadence, $0.watts, $0.bpm) = (numbers(.cadence), numbers(.power), numbers(.heart))
            if page.upperBound < rest.upperBound { $0.cursor = "\(page.upperBound)" }
        }
    }

    /// `workouts/start` and `workouts/stop`: an edge that somebody sets, now or at `t`.
    func mark(_ request: HistoryRequest) async throws -> WorkoutData {
        let subject = try Self.subject(of: request)
        let second = Int64(clampingSeconds: request.t ?? nowSeconds)
        guard Double(second) <= nowSeconds + Self.maximumAheadSeconds else {
            throw ReplyError(code: .badRequest, message: "'t' has not come yet; leave it out for now")
        }
        guard retention.keeps(second: second, nowSeconds: nowSeconds) else {
            throw ReplyError(
                code: .badRequest, message: "'t' is older than the \(retention.days) days for which minutes are kept")
        }
        if asker.role == .operator, try await !store.knows(subject) {
            throw ReplyError(
                code: .notAvailable,
                message: "nobody knows '\(subject.name)': 'devices' and 'people' list who is known")
        }
        let isStart = request.verb == .workoutsStart
        guard try await store.keep(MarkRow(subject, WorkoutMark(second, isStart ? .start : .stop))) else {
            throw ReplyError(
                code: .tooLarge,
                message: "there are \(MarkRow.maximumADay) marks of \(subject.name) on that day already")
        }
        var data = WorkoutData { $0.t = Double(second) }
        guard !isStart, let record = try await store.record(of: subject) else { return data }
        let near = try await spans(of: record, in: second - 1..<second)
        if let span = near.last(where: { $0.seconds.lowerBound < second && !$0.isDeleted }),
            span.seconds.upperBound == second
        {
            try await store.noteTold([span], of: subject)
            data.workout = try await workouts([span], of: record).first?.workout
        }
        return data
    }

    /// A clock may go ahead of history's by this, in seconds.
    private static var maximumAheadSeconds: Double { 600 }

    /// `workouts/edit`: a title, a kind, joined with the next, cut in two, or deleted.
    func editWorkout(_ request: HistoryRequest) async throws -> WorkoutData {
        let (record, span, near) = try await span(of: request)
        var edit = WorkoutEdit(note: WorkoutNote(span.idSecond, title: request.title, kind: request.workoutKind))
        edit.note.isDeleted = request.isDeleted
        edit.note.saidSecond = Int64(clampingSeconds: nowSeconds)
        switch request.isJoined {
        case true?:
            guard let next = near.first(where: { $0.seconds.lowerBound >= span.seconds.upperBound && !$0.isDeleted }),
                next.seconds.upperBound - span.seconds.lowerBound <= Workouts.longestJoinedSeconds
            else {
                throw ReplyError(code: .badRequest, message: "'joined': no workout follows within a day")
            }
            edit.marks.append(WorkoutMark(next.seconds.lowerBound - 1, .join))
        case false?: edit.taken.append((.join, span.seconds))
        case nil: break
        }
        if let cut = request.cutT.map({ Int64(clampingSeconds: $0) }) {
            guard span.seconds.dropFirst().contains(cut) else {
                throw ReplyError(code: .badRequest, message: "'cut_t' is not within the workout")
            }
            edit.marks.append(WorkoutMark(cut, .cut))
            let around = span.movements.map(\.seconds)
            let end = around.last { $0.upperBound <= cut }?.upperBound ?? cut
            let start = around.first { $0.lowerBound >= cut }?.lowerBound ?? cut
            edit.taken.append((.join, end..<start))
        }
        guard try await store.keep(edit, of: record.subject) else {
            throw ReplyError(code: .tooLarge, message: "that day has \(MarkRow.maximumADay) marks already")
        }
        let (_, changed, _) = try await self.span(of: request)
        let workout = try await workouts([changed], of: record).first?.workout
        return WorkoutData { $0.workout = workout }
    }
}

// MARK: - Finding

extension HistoryAnswers {
    /// The workout that a request names, and those near it.
    func span(
        of request: HistoryRequest
    ) async throws -> (record: SubjectRecord, span: WorkoutSpan, near: [WorkoutSpan]) {
        guard let text = request.workout, let id = WorkoutID(text) else {
            throw ReplyError(
                code: .badRequest, message: "'id' is missing or none; 'history/workouts' lists workouts with their ids")
        }
        guard let record = try await store.record(of: id.subject) else { throw ReplyError.unknownWorkout }
        let near = try await spans(of: record, in: id.second..<id.second + 1)
        guard let index = Workouts.index(of: id.second, in: near) else { throw ReplyError.unknownWorkout }
        return (record, near[index], near)
    }

    /// The minutes in which a workout may lie that has some of some seconds.
    private static func minutes(near seconds: Range<Int64>) -> Range<Int64> {
        max(0, seconds.lowerBound / 60 - workoutReachMinutes)..<seconds.upperBound / 60 + 1 + workoutReachMinutes
    }

    /// The marks and notes of a device's or a person's workouts in some seconds, or a day before or after.
    func said(of record: SubjectRecord, near seconds: Range<Int64>) async throws(HistoryError) -> WorkoutWords {
        let minutes = Self.minutes(near: seconds)
        let owned: [Assignment]
        switch record.subject {
        case .device(let device):
            owned = DeviceOwnership.owners(try await store.assignments(of: device, in: minutes))
        case .person(let person): owned = try await store.assignments(of: person, in: minutes)
        }
        let (marks, notes) = try await store.marksAndNotes(
            of: record.subject, owned, in: minutes.lowerBound * 60..<minutes.upperBound * 60)
        return WorkoutWords(marks: marks, notes: notes, cuts: try await cuts(of: record.subject, owned))
    }

    /// The workouts of a device or a person that are, for some of their time, in some seconds or a day before or after.
    func spans(of record: SubjectRecord, in seconds: Range<Int64>) async throws(HistoryError) -> [WorkoutSpan] {
        try await spans(of: record, in: seconds, said(of: record, near: seconds))
    }

    func spans(
        of record: SubjectRecord, in seconds: Range<Int64>, _ said: WorkoutWords
    ) async throws(HistoryError) -> [WorkoutSpan] {
        try keepGoing()
        let moving = try await store.tracedMinutes(
            of: record.subject, in: [Self.minutes(near: seconds)], areMoving: true
        ).joined().compactMap { MovingMinute($0) }
        return Workouts.find(
            Movement.all(in: moving), marks: said.marks, cuts: said.cuts, notes: said.notes)
    }

    /// The seconds at which somebody checked in or out: of a device, and of a person on a bike.
    private func cuts(of subject: Subject, _ owned: [Assignment]) async throws(HistoryError) -> Set<Int64> {
        var cuts: Set<Int64> = []
        var areBikes: [DeviceID: Bool] = [:]
        for assignment in owned {
            if subject.isPerson {
                // A strap or a watch that is put on during a ride begins no other.
                let device = assignment.device
                if areBikes[device] == nil { areBikes[device] = try await store.device(device)?.isBike ?? false }
                guard assignment.origin == .checkin, areBikes[device] == true else { continue }
            }
            cuts.formUnion([assignment.minutes.lowerBound * 60, assignment.minutes.upperBound * 60])
        }
        return cuts
    }

    /// What is told of workouts of one device or person, which are in order, and their minutes: a few reads for all of them.
    func workouts(
        _ spans: [WorkoutSpan], of record: SubjectRecord
    ) async throws -> [(workout: Workout, minutes: [TracedMinute])] {
        guard let start = spans.first?.seconds.lowerBound, let end = spans.last?.seconds.upperBound else { return [] }
        // What a minute has of movement follows from those beside it.
        let minutes = try await store.tracedMinutes(
            of: record.subject, in: spans.map { max(0, $0.minutes.lowerBound - 1)..<$0.minutes.upperBound + 1 })
        let company = try await company(of: record.subject, in: spans.map(\.minutes))
        let profiles = try await store.profiles(
            of: Set(company.filter { $0.persons.count == 1 }.map { $0.persons[0] }).sorted())
        let classes = try await store.classes(near: start..<end)
        return zip(zip(spans, minutes), company).map { told, company in
            let (span, minutes) = told
            let figures = WorkoutFigures(span, minutes)
            let pauses = span.pauses
            let paused = pauses.reduce(0) { $0 + $1.count }
            let workout = Workout { workout in
                workout.id = "\(WorkoutID(record.subject, span.idSecond))"
                (workout.kind, workout.title) = (figures.kind, span.title.flatMap { $0.isEmpty ? nil : $0 })
                (workout.persons, workout.devices) = company
                workout.classTitle =
                    classes.ridden(in: span.seconds, on: company.devices, isRide: figures.kind == .ride)?.plan.title
                (workout.start, workout.end) = (Double(span.seconds.lowerBound), Double(span.seconds.upperBound))
                (workout.movingSeconds, workout.pausedSeconds) = (Double(span.seconds.count - paused), Double(paused))
                workout.pauses = Self.longest(pauses).map { Double($0.lowerBound)..<Double($0.upperBound) }
                workout.set(figures)
                workout.energy = WorkoutEnergy(
                    figures, movingSeconds: workout.movingSeconds,
                    company.persons.count == 1 ? profiles[company.persons[0]]?.body ?? BodyFields() : BodyFields(),
                    year: CivilDate.date(days: Int(span.seconds.lowerBound / 86_400)).year)
            }
            return (workout, minutes)
        }
    }

    /// The most pauses that are told of a workout; of more the longest, in order.
    private static var maximumPauses: Int { 500 }

    private static func longest(_ pauses: [Range<Int64>]) -> [Range<Int64>] {
        guard pauses.count > maximumPauses else { return pauses }
        return pauses.sorted { $0.count > $1.count }.prefix(maximumPauses).sorted { $0.lowerBound < $1.lowerBound }
    }

    /// Who did workouts, and with what.
    private func company(
        of subject: Subject, in workouts: [Range<Int64>]
    ) async throws -> [(persons: [String], devices: [DeviceID])] {
        guard let start = workouts.first?.lowerBound, let end = workouts.last?.upperBound else { return [] }
        switch subject {
        case .device(let device):
            let owners = DeviceOwnership.owners(try await store.assignments(of: device, in: start..<end))
            return workouts.map { minutes in
                (Set(owners.filter { $0.minutes.overlaps(minutes) }.map(\.person)).sorted(), [device])
            }
        case .person(let person):
            let owned = try await store.assignments(of: person, in: start..<end)
            let parts = workouts.map { minutes in
                owned.filter { $0.minutes.overlaps(minutes) }.map { ($0.device, $0.minutes.clamped(to: minutes)) }
            }
            var haveCounted = try await store.haveCounted(parts.flatMap { $0 }).makeIterator()
            return parts.map { parts in
                ([person], Set(parts.compactMap { haveCounted.next() == true ? $0.0 : nil }).sorted())
            }
        }
    }
}

extension SubjectRecord {
    /// Whether what it counts are rides.
    fileprivate var isBike: Bool {
        switch DeviceKind(rawValue: settings.kind) {
        case .bike: true
        case .wearable: false
        default: counts.revolutions > counts.steps
        }
    }
}

extension Workout {
    fileprivate mutating func set(_ figures: WorkoutFigures) {
        let (sum, counts) = (figures.sum, figures.sum.counts)
        (steps, revolutions) = (UInt64(clamping: counts.steps), UInt64(clamping: counts.revolutions))
        if counts.distanceMillimetres > 0 { distanceMetres = Double(counts.distanceMillimetres) / 1000 }
        let cadence = DeviceCadence(sum, kind: "unknown")
        if kind == .ride { rpm = cadence.rpm } else { spm = cadence.spm }
        speedAverageMetresPerSecond = sum.paceSecondsPerMetre.flatMap { $0 > 0 ? 1 / $0 : nil }
        speedMaximumMetresPerSecond = figures.speedMaximum.map { max($0, speedAverageMetresPerSecond ?? 0) }
        (heart, power) = (ReadingFigures(sum.heart), ReadingFigures(sum.power))
    }
}

extension ReplyError {
    static var unknownWorkout: ReplyError {
        ReplyError(code: .notAvailable, message: "there is no such workout; 'history/workouts' lists them")
    }
}

extension HistoryStore {
    /// Whether each of some devices counted anything that a workout tells in some minutes.
    fileprivate func haveCounted(
        _ parts: [(device: DeviceID, minutes: Range<Int64>)]
    ) async throws(HistoryError) -> [Bool] {
        try await database.read(isSnapshot: false) { session in
            try session.execute(
                parts.map { device, minutes in
                    SQLStatement(
                        """
                        SELECT 1 FROM minutes
                        WHERE subject = (SELECT id FROM subjects WHERE is_person = $1 AND name = $2)
                            AND minute >= $3 AND minute < $4 AND steps + revolutions + heart_s + power_s > 0 LIMIT 1
                        """, Subject.device(device).key + [.int(minutes.lowerBound), .int(minutes.upperBound)])
                }
            ).map { !$0.rows.isEmpty }
        }
    }
}
