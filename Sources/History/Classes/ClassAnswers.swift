import Wire

extension HistoryAnswers {
    /// The rows of a page that a class with its steps is, beside its riders and teams.
    private static var rowsOfAClass: Int { 4 }

    /// `classes/start`: a class begins now. Who taps twice gets the class that has begun.
    func startClass(_ request: HistoryRequest) async throws -> ClassReport {
        let new = try newClass(of: request)
        let (record, isNew) = try await store.start(new)
        var again = new.plan
        again.start = record.plan.start
        guard isNew || record.plan == again && record.devices == new.devices else {
            throw ReplyError(
                code: .notAvailable,
                message:
                    "the class '\(record.plan.title)' runs until \(Self.text(record.seconds.upperBound)); stop it first"
            )
        }
        return try await report(of: record)
    }

    /// `classes/stop`: the class that runs is over.
    func stopClass() async throws -> ClassReport {
        guard let record = try await store.stopClass(nowSeconds: Int64(clampingSeconds: nowSeconds)) else {
            throw ReplyError(code: .notAvailable, message: "no class runs now")
        }
        return try await report(of: record)
    }

    /// `history/classes`: the classes that begin in [from, to), with what their riders did.
    func classes(_ request: HistoryRequest) async throws -> ClassesData {
        let calendar = try calendar(request, of: DeviceSettings())
        let minutes = try RequestedRange(request, in: calendar, default: DayCalendar.minutes).minutes
        let limit = Self.limit(of: request)
        var after: Int64 = 0
        if let cursor = request.cursor {
            guard let id = Int64(cursor) else { throw ReplyError.wrongCursor }
            after = id
        }
        let page = try await store.classes(
            in: minutes.lowerBound * 60..<minutes.upperBound * 60, after: after, limit: limit)
        var (data, rows) = (ClassesData(), 0)
        for record in page {
            try keepGoing()
            let report = try await report(of: record)
            rows += Self.rowsOfAClass + report.riders.count + report.teams.count
            if rows > PayloadLimits.rowsAPage, let last = data.classes.last?.id {
                data.cursor = last
                return data
            }
            data.classes.append(report)
        }
        if page.count == limit { data.cursor = data.classes.last?.id }
        return data
    }

    private func report(of record: ClassRecord) async throws -> ClassReport {
        ClassReport(record, try await store.results(of: record), nowSeconds: nowSeconds)
    }

    /// The class that a request describes; throws for one that nobody could ride or rank.
    private func newClass(of request: HistoryRequest) throws(ReplyError) -> ClassRecord {
        guard let title = request.title, !title.isEmpty else {
            throw .badClass("'title' is missing; give one such as \"Monday hills\"")
        }
        let steps = request.steps ?? []
        guard steps.count <= ClassLimits.maximumSteps else {
            throw .badClass("'steps' are \(steps.count); a class has \(ClassLimits.maximumSteps) at most")
        }
        for (index, step) in steps.enumerated() {
            guard step.cadenceMinimumRPM ?? 0 <= step.cadenceMaximumRPM ?? .max,
                step.powerMinimumWatts ?? 0 <= step.powerMaximumWatts ?? .max
            else { throw .badClass("in step \(index + 1) of 'steps' a minimum is above its maximum") }
        }
        let stepsLength = steps.reduce(0) { $0 + $1.lengthSeconds }
        guard let length = request.lengthSeconds ?? (steps.isEmpty ? nil : stepsLength) else {
            throw .badClass("'length_s' is missing; give whole seconds, such as 2700 for 45 minutes")
        }
        guard ClassLimits.lengthSeconds.contains(length), stepsLength <= length else {
            throw .badClass(
                "the steps take \(stepsLength) s and the class \(length) s; it has at least as much as its steps, and "
                    + "\(ClassLimits.lengthSeconds.lowerBound) to \(ClassLimits.lengthSeconds.upperBound) s")
        }
        let ranking = request.ranking ?? (steps.contains(where: \.hasTarget) ? .timeInTarget : .distance)
        guard ranking != .timeInTarget || steps.contains(where: \.hasTarget) else {
            throw .badClass("a ranking by time_in_target needs 'steps' with a target; or rank by distance or work")
        }
        if let devices = request.devices, devices.isEmpty || devices.count > ClassLimits.maximumRiders {
            throw .badClass(
                "'devices' are \(devices.count); name 1 to \(ClassLimits.maximumRiders), or leave it out for every bike"
            )
        }
        let start = min(max(0, Int64(clampingSeconds: nowSeconds)), DayCalendar.countedMinutes.upperBound * 60)
        let plan = ClassReport {
            ($0.title, $0.start, $0.lengthSeconds) = (title, Double(start), length)
            ($0.steps, $0.ranking) = (steps, ranking)
        }
        return ClassRecord(
            plan: plan, seconds: start..<start + Int64(length), devices: request.devices.map { Set($0) })
    }

    private static func text(_ seconds: Int64) -> String { TimePoint.instant(seconds: Double(seconds)).text }
}

extension ReplyError {
    fileprivate static func badClass(_ message: String) -> ReplyError {
        ReplyError(code: .badRequest, message: message)
    }
}
