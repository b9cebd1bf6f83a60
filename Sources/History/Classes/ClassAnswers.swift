import Wire

extension HistoryAnswers {
    /// The rows of a page that a class with its steps is, beside its riders and teams.
    private static var rowsOfAClass: Int { 4 }

    /// `classes/start`: a class begins now. Who taps twice gets the class that has begun.
    func startClass(_ request: HistoryRequest) async throws -> ClassReport {
        var new = try newClass(of: request)
        let running = try await store.start(new)
        new.plan.start = running.plan.start
        guard running.plan == new.plan, running.devices == new.devices else {
            let end = TimePoint.instant(seconds: Double(running.seconds.upperBound)).text
            throw ReplyError(
                code: .notAvailable, message: "the class '\(running.plan.title)' runs until \(end); stop it first")
        }
        return try await store.report(of: running, nowSeconds: nowSeconds)
    }

    /// `classes/stop`: the class that runs is over.
    func stopClass() async throws -> ClassReport {
        guard let record = try await store.stopClass(nowSeconds: Int64(clampingSeconds: nowSeconds)) else {
            throw ReplyError(code: .notAvailable, message: "no class runs now")
        }
        return try await store.report(of: record, nowSeconds: nowSeconds)
    }

    /// `history/classes`: the classes that begin in [from, to), with what their riders did.
    func classes(_ request: HistoryRequest) async throws -> ClassesData {
        let calendar = try calendar(request, of: DeviceSettings())
        let minutes = try RequestedRange(request, in: calendar, default: DayCalendar.minutes).minutes
        guard let after = Int64(request.cursor ?? "0") else { throw ReplyError.wrongCursor }
        let limit = Self.limit(of: request)
        let page = try await store.classes(
            in: minutes.lowerBound * 60..<minutes.upperBound * 60, after: after, limit: limit)
        var (data, rows) = (ClassesData(), 0)
        for record in page {
            try keepGoing()
            let report = try await store.report(of: record, nowSeconds: nowSeconds)
            rows += Self.rowsOfAClass + report.riders.count + report.teams.count
            guard rows <= PayloadLimits.rowsAPage || data.classes.isEmpty else { break }
            data.classes.append(report)
        }
        if data.classes.count < page.count || page.count == limit { data.cursor = data.classes.last?.id }
        return data
    }

    /// The class that a request describes; throws for one that nobody could ride or rank.
    private func newClass(of request: HistoryRequest) throws(ReplyError) -> ClassRecord {
        func bad(_ message: String) -> ReplyError { ReplyError(code: .badRequest, message: message) }
        guard let title = request.title, !title.isEmpty else {
            throw bad("'title' is missing; give one such as \"Monday hills\"")
        }
        let steps = request.steps ?? []
        guard steps.count <= ClassLimits.maximumSteps else {
            throw bad("'steps' are \(steps.count); a class has \(ClassLimits.maximumSteps) at most")
        }
        if let wrong = steps.firstIndex(where: \.isImpossible) {
            throw bad("in step \(wrong + 1) of 'steps' a minimum is above its maximum")
        }
        let stepsLength = steps.reduce(0) { $0 + $1.lengthSeconds }
        guard let length = request.lengthSeconds ?? (steps.isEmpty ? nil : stepsLength) else {
            throw bad("'length_s' is missing; give whole seconds, such as 2700 for 45 minutes")
        }
        let lengths = ClassLimits.lengthSeconds
        guard lengths.contains(length), stepsLength <= length else {
            throw bad(
                "the steps take \(stepsLength) s and the class \(length) s; it has at least as much as its steps, and "
                    + "\(lengths.lowerBound) to \(lengths.upperBound) s")
        }
        let hasTarget = steps.contains(where: \.hasTarget)
        let ranking = request.ranking ?? (hasTarget ? .timeInTarget : .distance)
        guard ranking != .timeInTarget || hasTarget else {
            throw bad("a ranking by time_in_target needs 'steps' with a target; or rank by distance or work")
        }
        if let count = request.devices?.count, !(1...ClassLimits.maximumRiders).contains(count) {
            throw bad("'devices' are \(count); name 1 to \(ClassLimits.maximumRiders), or leave it out for every bike")
        }
        let start = min(max(0, Int64(clampingSeconds: nowSeconds)), DayCalendar.countedMinutes.upperBound * 60)
        let plan = ClassReport {
            ($0.title, $0.start, $0.lengthSeconds) = (title, Double(start), length)
            ($0.steps, $0.ranking) = (steps, ranking)
        }
        return ClassRecord(
            plan: plan, seconds: start..<start + Int64(length), devices: request.devices.map { Set($0) })
    }
}
