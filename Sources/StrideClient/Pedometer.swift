import Synchronization
public import Wire

/// A device's steps over the bus, in the shape of CoreMotion's `CMPedometer`.
///
/// Differences from CoreMotion: any device of the bus can be queried, for any time and not only seven days. Unavailable
/// quantities come with a reason. An interval without data has the count 0 and `coveredSeconds` 0. A request that
/// cannot be answered throws `StrideClientError`.
public struct Pedometer: Sendable {
    /// The bus.
    public let bus: StrideBus
    /// The device.
    public let device: DeviceID

    /// A pedometer of a device. It sends no request yet.
    public init(bus: StrideBus, device: DeviceID) {
        self.bus = bus
        self.device = device
    }

    /// The capabilities of the device, with a reason for each that it lacks: `isStepCountingAvailable()` and similar
    /// functions.
    public func availability() async throws -> CapabilitiesData {
        try await bus.capabilities(device: device)
    }

    /// The counts of an interval, `from` included, `to` excluded: `queryPedometerData(from:to:withHandler:)`.
    public func query(from: TimePoint, to: TimePoint) async throws -> PedometerData {
        PedometerData(try await bus.interval(device: device, from: from, to: to))
    }

    /// The counts since a time, reported after every `every` steps: `startUpdates(from:withHandler:)`.
    ///
    /// The values are cumulative since `from`, or since now if nil, and each multiple of `every` comes once. Steps are
    /// counted by the device's live reports, the other values are from history, and so are the steps since a `from`
    /// that is past. The sequence ends with the task that iterates it, or with the bus.
    public func updates(from: TimePoint? = nil, every: UInt64 = 1) -> AsyncThrowingStream<PedometerData, any Error> {
        let updates = StepUpdates(bus: bus, device: device, from: from, every: every)
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await updates.run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The totals of each calendar day, by the device's own calendar.
    public func days(from: TimePoint? = nil, to: TimePoint? = nil) async throws -> [DayTotals] {
        try await bus.days(device: device, from: from, to: to).rows
    }

    /// The steps of the device's current day, at once and after every increase: the steps stored by history, and the
    /// live steps since. Ends with its task, or with the bus.
    ///
    /// No step is counted twice, even if a service is away meanwhile. The next day begins at the device's own midnight.
    public var today: AsyncStream<StepsToday> {
        let messages = bus.messages(of: device, on: .day, .total, .steps)
        return AsyncStream(fromTask: { continuation in
            var joiner = TodayJoiner()
            for await message in messages {
                if let today = joiner.take(message: message) { continuation.yield(today) }
            }
        })
    }

    /// The wearer's activities, in order: `CMMotionActivityManager.queryActivityStarting(from:to:to:)`.
    public func activities(from: TimePoint, to: TimePoint) async throws -> [ActivitySegment] {
        try await bus.activities(device: device, from: from, to: to)
    }

    /// The silence of a device that is reported as a pause, in seconds. It is longer than the restart of a service,
    /// during which it is unknown whether the wearer moves.
    static let silenceSeconds = 10.0

    /// Pauses and resumptions as they happen: `startEventUpdates(handler:)`. Ends with its task, or with the bus.
    ///
    /// A device that stops sending while its wearer moves is reported as paused after 10 s of silence.
    /// Events during the absence of a service are reported when it is back, with the time at which they happened.
    public var events: AsyncStream<PedometerEvent> {
        let events = PauseEvents(
            reports: Cadence(bus: bus, device: device).reports, silenceSeconds: Self.silenceSeconds)
        return AsyncStream(fromTask: { continuation in await events.run { continuation.yield($0) } })
    }
}

/// The live cadence of a device, in revolutions or steps a minute.
public struct Cadence: Sendable {
    /// The bus.
    public let bus: StrideBus
    /// The device.
    public let device: DeviceID

    /// The cadence of a device. It subscribes to nothing yet.
    public init(bus: StrideBus, device: DeviceID) {
        self.bus = bus
        self.device = device
    }

    /// Reports from now on: one a second during movement, and one final 0. Ends with its task, or with the bus.
    public var reports: AsyncStream<CadenceReport> {
        let messages = bus.messages(of: device, on: .cadence)
        return AsyncStream(fromTask: { continuation in
            for await message in messages {
                if let report = try? CadenceReport(json: message) { continuation.yield(report) }
            }
        })
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of the elements that a task yields. The task is cancelled when the stream is released.
    fileprivate init(fromTask body: @Sendable @escaping (Continuation) async -> Void) {
        self.init { continuation in
            let task = Task {
                await body(continuation)
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// The counts of an interval: the fields of CoreMotion's `CMPedometerData`, in its units.
public struct PedometerData: Sendable, Hashable {
    /// The beginning, in seconds since 1970.
    public var start: Double
    /// The end, in seconds since 1970.
    public var end: Double
    /// Steps.
    public var steps: UInt64
    /// The distance in metres; nil if there is none.
    public var distanceMetres: Double?
    /// The average pace of the active time, in seconds a metre; nil if there is no distance.
    public var averageActivePaceSecondsPerMetre: Double?
    /// The pace of the last minute, in seconds a metre; nil without movement, and for an interval that is over.
    public var currentPaceSecondsPerMetre: Double?
    /// The cadence of the last minute, in steps a second; nil without movement, and for an interval that is over.
    public var currentCadenceStepsPerSecond: Double?
    /// Floors gone up; nil if unknown.
    public var floorsAscended: UInt64?
    /// Floors gone down; nil if unknown.
    public var floorsDescended: UInt64?
    /// The time covered by samples, in seconds. CoreMotion has no such value.
    public var coveredSeconds: Double

    /// The data of an interval record of history.
    init(_ data: IntervalData) {
        start = data.from
        end = data.to
        steps = data.steps
        distanceMetres = data.distanceMetres > 0 ? data.distanceMetres : nil
        averageActivePaceSecondsPerMetre = data.paceAverageSecondsPerMetre
        currentPaceSecondsPerMetre = data.now.paceSecondsPerMetre
        currentCadenceStepsPerSecond = data.now.cadenceSPM.map { $0 / 60 }
        floorsAscended = data.floors?.ascended
        floorsDescended = data.floors?.descended
        coveredSeconds = data.coveredSeconds
    }
}

/// A pause or a resumption.
public struct PedometerEvent: Sendable, Hashable {
    /// The kinds of event.
    public enum Kind: Sendable, Hashable {
        /// The wearer has stopped.
        case pause
        /// The wearer moves, for the first time or again.
        case resume
    }

    /// The kind of event.
    public var kind: Kind
    /// The time, in seconds since 1970.
    public var t: Double
}

/// Turns the cadence reports of a device, and the silence after them, into pauses and resumptions.
final class PauseEvents: Sendable {
    private let reports: AsyncStream<CadenceReport>
    private let silenceSeconds: Double
    private let detector = Mutex(PauseDetector())

    init(reports: AsyncStream<CadenceReport>, silenceSeconds: Double) {
        self.reports = reports
        self.silenceSeconds = silenceSeconds
    }

    /// Passes events to `body` until the reports end or the task is cancelled.
    func run(_ body: @Sendable @escaping (PedometerEvent) -> Void) async {
        var patience: Task<Void, Never>?
        for await report in reports {
            let (event, isKept) = detector.withLock { ($0.take(report), $0.kept != nil) }
            if let event { body(event) }
            if !isKept {
                patience?.cancel()
                patience = nil
            } else if patience == nil {
                patience = Task { await self.reportAfterSilence(body) }
            }
        }
        patience?.cancel()
    }

    private func reportAfterSilence(_ body: @Sendable (PedometerEvent) -> Void) async {
        try? await Task.sleep(for: .seconds(silenceSeconds))
        guard !Task.isCancelled, let event = detector.withLock({ $0.giveUp() }) else { return }
        body(event)
    }
}

/// Finds pauses in cadence reports, which come once a second during movement, with one final 0.
///
/// A 0 with the state `unknown` means silence: the device stopped sending because nothing moves, or a service is
/// restarting. It is a pause only if the silence lasts.
struct PauseDetector: Sendable {
    private var isMoving = false
    /// A pause that is held back until the silence has lasted.
    private(set) var kept: PedometerEvent?

    /// The event of a report; nil if the report changes nothing or its pause is held back.
    mutating func take(_ report: CadenceReport) -> PedometerEvent? {
        let moves = report.isMoving
        let event = PedometerEvent(kind: moves ? .resume : .pause, t: report.t)
        if moves { kept = nil }
        guard moves != isMoving else { return nil }
        if !moves, report.activity == .unknown {
            kept = kept ?? event
            return nil
        }
        kept = nil
        isMoving = moves
        return event
    }

    /// Takes the pause that was held back, after the silence has lasted.
    mutating func giveUp() -> PedometerEvent? {
        guard let event = kept else { return nil }
        kept = nil
        isMoving = false
        return event
    }
}
