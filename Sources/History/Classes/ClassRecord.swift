import Wire

/// A class as it is kept: what it was to be, and when it ended. Everything else of it follows from the time and from what
/// riders' devices counted.
struct ClassRecord: Sendable, Equatable {
    var id: Int64 = 0
    /// Its title, length, steps and ranking.
    var plan: ClassReport
    /// From the beginning to the end, which is the planned one until it is stopped, in seconds since 1970.
    var seconds: Range<Int64>
    /// The devices that take part; nil for every bike that moves or is checked in meanwhile.
    var devices: Set<DeviceID>?
    /// Whether the results are kept and no longer made from seconds.
    var isSettled = false

    /// The minutes that have some of it.
    var minutes: Range<Int64> {
        let first = seconds.lowerBound / 60
        return first..<max(first, (seconds.upperBound + 59) / 60)
    }

    /// The steps one after the other, as far as they go.
    var stepRanges: [(step: ClassStep, seconds: Range<Int64>)] {
        var start = seconds.lowerBound
        return plan.steps.compactMap { step in
            let range = start..<start + Int64(step.lengthSeconds)
            start = range.upperBound
            let part = range.clamped(to: seconds)
            return part.isEmpty ? nil : (step, part)
        }
    }

    /// The present step, and when it ends.
    func step(at second: Int64) -> (index: Int, end: Int64)? {
        let ranges = stepRanges
        return ranges.firstIndex { $0.seconds.contains(second) }.map { ($0, ranges[$0].seconds.upperBound) }
    }

    /// When the summary goes.
    var summaryEndSeconds: Double { Double(seconds.upperBound) + ClassLimits.summarySeconds }
}

extension ClassStep {
    var hasTarget: Bool {
        [cadenceMinimumRPM, cadenceMaximumRPM, powerMinimumWatts, powerMaximumWatts].contains { $0 != nil }
    }

    /// Whether a minimum of the step is above its maximum, so that no rider can keep to it.
    var isImpossible: Bool {
        cadenceMinimumRPM ?? 0 > cadenceMaximumRPM ?? .max || powerMinimumWatts ?? 0 > powerMaximumWatts ?? .max
    }

    /// Whether a second keeps to the target. Who does not move, or of whom it is not known, does not.
    func isKept(cadenceRPM: Int?, watts: Int?) -> Bool {
        hasTarget && Self.isWithin(cadenceRPM, cadenceMinimumRPM, cadenceMaximumRPM)
            && Self.isWithin(watts, powerMinimumWatts, powerMaximumWatts)
    }

    private static func isWithin(_ value: Int?, _ minimum: Int?, _ maximum: Int?) -> Bool {
        guard minimum != nil || maximum != nil else { return true }
        guard let value, value > 0 else { return false }
        return value >= minimum ?? 0 && value <= maximum ?? .max
    }
}

/// What a rider did in a class.
struct ClassScore: Sendable, Equatable {
    var revolutions: Int64 = 0
    var timeInTargetSeconds: Int64 = 0
    var distanceMillimetres: Int64 = 0
    /// Nil where no power is known.
    var workJoules: Int64?

    /// Adds one minute of a device, as far as it lies in a stretch of the class. Of a minute that is cut the counts are
    /// shared by the seconds' cadence.
    mutating func add(_ minute: TracedMinute, within seconds: Range<Int64>, of record: ClassRecord) {
        guard record.minutes.contains(minute.minute) else { return }
        let start = minute.minute * 60
        let inside = (start..<start + 60).clamped(to: seconds)
        guard !inside.isEmpty else { return }
        let (trace, counts) = (minute.trace ?? Trace(), minute.sum.counts)
        let places = Int(inside.lowerBound - start)..<Int(inside.upperBound - start)
        let share = Self.share(of: places, in: trace)
        revolutions &+= Self.part(share, of: counts.revolutions)
        distanceMillimetres &+= Self.part(share, of: counts.distanceMillimetres)
        for place in places {
            guard let watts = trace[.power, place] else { continue }
            workJoules = (workJoules ?? 0) &+ Int64(watts)
        }
        for (step, range) in record.stepRanges where step.hasTarget {
            let part = range.clamped(to: inside)
            guard !part.isEmpty else { continue }
            for place in Int(part.lowerBound - start)..<Int(part.upperBound - start) {
                let rpm = trace.isOfSteps ? nil : trace[.cadence, place]
                if step.isKept(cadenceRPM: rpm, watts: trace[.power, place]) { timeInTargetSeconds &+= 1 }
            }
        }
    }

    /// The part of a minute's turns that lies in some of its seconds.
    private static func share(of places: Range<Int>, in trace: Trace) -> Double {
        func turns(_ places: Range<Int>) -> Int { places.reduce(0) { $0 + (trace[.cadence, $1] ?? 0) } }
        let all = turns(0..<Trace.seconds)
        return all > 0 ? Double(turns(places)) / Double(all) : Double(places.count) / Double(Trace.seconds)
    }

    private static func part(_ share: Double, of whole: Int64) -> Int64 {
        share == 1 ? whole : Int64(exactly: (share * Double(whole)).rounded()) ?? 0
    }
}

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
    func classes(_ request: HistoryRequest) async throws -> Page<ClassReport> {
        let calendar = try calendar(request, of: DeviceSettings())
        let minutes = try RequestedRange(request, in: calendar, default: DayCalendar.minutes).minutes
        guard let after = Int64(request.cursor ?? "0") else { throw ReplyError.wrongCursor }
        let limit = Self.limit(of: request)
        let page = try await store.classes(
            in: minutes.lowerBound * 60..<minutes.upperBound * 60, after: after, limit: limit)
        var (data, rows) = (Page<ClassReport>(), 0)
        for record in page {
            try keepGoing()
            let report = try await store.report(of: record, nowSeconds: nowSeconds)
            rows += Self.rowsOfAClass + report.riders.count + report.teams.count
            guard rows <= PayloadLimits.rowsAPage || data.rows.isEmpty else { break }
            data.rows.append(report)
        }
        if data.rows.count < page.count || page.count == limit { data.cursor = data.rows.last?.id }
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
