import Wire

/// The steps of a device since a time, told at every so many, by the totals of the counter's live reports.
struct StepUpdates: Sendable {
    let bus: StrideBus
    let device: DeviceID
    let from: TimePoint?
    let every: UInt64

    /// How long history may be silent at the beginning, in seconds: longer than its restart.
    static let patienceSeconds = 120
    /// The pause before a request is tried again, in seconds.
    private static let pauseSeconds = 0.5

    /// Passes the data of each multiple of `every` to `body` until the task is cancelled or the bus is closed.
    func run(_ body: @Sendable @escaping (PedometerData) -> Void) async throws {
        // A report has the total, so of those that come during a request only the last matters.
        let reports = bus.messages(of: device, on: .steps, newest: 1)
        var count = StepCount(every: every)
        var interval: IntervalData?
        if let from {
            let before = try await patiently { try await askInterval(from: from) }
            count.begin(at: before.steps)
            interval = before
        }
        var start = from
        for await message in reports {
            guard let report = try? StepsReport(json: message) else { continue }
            count.take(report)
            let begin = start ?? .instant(seconds: report.t)
            start = begin
            guard count.isDue else { continue }
            do { interval = try await askInterval(from: begin) } catch let error as StrideClientError
                where bus.mayPass(error)
            {
                // The steps are known; the other values are those of the update before.
            }
            // What was counted before the first report is known to history alone, and to it a little later.
            if from != nil, let interval { count.raise(to: interval.steps) }
            for steps in count.takeDue() { body(PedometerData(interval, steps: steps, report)) }
        }
        try Task.checkCancellation()
    }

    private func askInterval(from: TimePoint) async throws -> IntervalData {
        try await bus.ask(
            HistoryRequest(verb: .historyInterval, device: device, from: from), for: IntervalData.self)
    }

    /// Retries a request, because history may be restarting or busy; and for as long as the broker is away, because
    /// nobody can answer then.
    private func patiently<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        var deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while true {
            do { return try await ask() } catch let error as StrideClientError where bus.mayPass(error) {
                if case .connection = error { deadline = .now + .seconds(Self.patienceSeconds) }
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .seconds(Self.pauseSeconds))
            }
        }
    }
}

/// The steps since a time, by the totals of live reports, and the multiples of `every` that have not been told.
struct StepCount: Sendable {
    let every: UInt64
    private(set) var steps: UInt64 = 0
    /// The number of multiples told, or passed before the beginning.
    private var told: UInt64 = 0
    private var total: UInt64?

    /// A total that falls by more has begun anew; one that falls by less is that of a late report.
    static let lateSteps: UInt64 = 100
    /// The most multiples told at once; of more, the last ones are.
    static let maximumTold: UInt64 = 256

    init(every: UInt64) { self.every = max(every, 1) }

    /// Begins with the steps that were made before.
    mutating func begin(at steps: UInt64) {
        self.steps = steps
        told = steps / every
    }

    /// Takes a report. A lost one is made good by the next, whose total includes its steps.
    mutating func take(_ report: StepsReport) {
        let known = total ?? 0
        let hasBegunAnew = total == nil || report.steps < known && known - report.steps > Self.lateSteps
        guard hasBegunAnew || report.steps >= known else { return }
        let new = hasBegunAnew ? UInt64(clamping: report.newSteps) : report.steps - known
        steps += min(new, .max - steps)
        total = report.steps
    }

    /// History has counted so many since the same time.
    mutating func raise(to steps: UInt64) { self.steps = max(self.steps, steps) }

    var isDue: Bool { steps / every > told }

    /// The multiples of `every` that were reached and not told yet.
    mutating func takeDue() -> [UInt64] {
        let reached = steps / every
        guard reached > told else { return [] }
        let first = reached - told > Self.maximumTold ? reached - Self.maximumTold + 1 : told + 1
        told = reached
        return (first...reached).map { $0 * every }
    }
}

extension PedometerData {
    /// The data of an update: its steps and its time are those of a live report, the rest is from history.
    fileprivate init(_ interval: IntervalData?, steps: UInt64, _ report: StepsReport) {
        self.init(interval ?? IntervalData { ($0.from, $0.to) = (report.t, report.t) })
        self.steps = steps
        end = max(report.t, start)
    }
}
