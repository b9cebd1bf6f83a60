import Synchronization
public import Wire

/// A device's steps, in the shape of CoreMotion's `CMPedometer`, over the bus.
///
/// Differences from CoreMotion: any device of the bus can be asked, for any time rather than seven days; what is not
/// available comes with a reason, and nothing known is 0 with `coveredSeconds` 0.
public struct Pedometer: Sendable {
    /// The bus.
    public let bus: StrideBus
    /// The device.
    public let device: DeviceID

    /// A pedometer of a device; nothing is asked yet.
    public init(bus: StrideBus, device: DeviceID) {
        self.bus = bus
        self.device = device
    }

    /// True if something is available on the device: `isStepCountingAvailable()` and its likes in one.
    ///
    /// - Throws: `StrideClientError`.
    public func isAvailable(_ capability: Capability) async throws -> Bool {
        try await bus.capabilities(device: device)[capability]
    }

    /// The capabilities of the device, with a reason for each that it lacks.
    ///
    /// - Throws: `StrideClientError`.
    public func availability() async throws -> CapabilitiesData {
        try await bus.capabilities(device: device)
    }

    /// The counts of an interval, `from` included, `to` not: `queryPedometerData(from:to:withHandler:)`.
    ///
    /// - Throws: `StrideClientError`.
    public func query(from: TimePoint, to: TimePoint) async throws -> PedometerData {
        PedometerData(try await bus.interval(device: device, from: from, to: to))
    }

    /// The counts since a time, reported every so many steps: `startUpdates(from:withHandler:)`.
    ///
    /// The values are cumulative since `from`, or since now. The sequence asks history for a lease and renews it; it
    /// ends with the task that iterates it, and with the lease if history is away for longer than that.
    public func updates(from: TimePoint? = nil, every: UInt64 = 1) -> AsyncThrowingStream<PedometerData, any Error> {
        let subscription = LiveSubscription(bus: bus, device: device, from: from, every: every)
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await subscription.run { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The totals of each calendar day, by the device's own calendar.
    ///
    /// - Throws: `StrideClientError`.
    public func days(from: TimePoint? = nil, to: TimePoint? = nil) async throws -> [DayTotals] {
        try await bus.days(device: device, from: from, to: to).days
    }

    /// The steps of the device's present day, at once and then whenever there are more: what history has, and what was
    /// counted since. Ends with its task, or with the bus.
    ///
    /// Nothing is counted twice, whichever service is away meanwhile; at the device's own midnight the next day begins.
    public var today: AsyncStream<StepsToday> {
        let messages = bus.messages(of: device, on: .day, .steps)
        return AsyncStream(fromTask: { continuation in
            var joiner = TodayJoiner()
            for await message in messages {
                if let today = joiner.take(message: message) { continuation.yield(today) }
            }
        })
    }

    /// The wearer's activities, in order: `CMMotionActivityManager.queryActivityStarting(from:to:to:)`.
    ///
    /// - Throws: `StrideClientError`.
    public func activities(from: TimePoint, to: TimePoint) async throws -> [ActivitySegment] {
        try await bus.activities(device: device, from: from, to: to)
    }

    /// The silence of a device, in seconds, that is reported as a pause: longer than a service takes to start again,
    /// while it is unknown whether the wearer moves.
    public static let silenceSeconds = 10.0

    /// Pauses and resumptions as they happen: `startEventUpdates(handler:)`. Ends with its task, or with the bus.
    ///
    /// A device that stops sending while its wearer moves has paused when it has been silent for `silenceSeconds`. What
    /// happened while a service was away is reported when it is back, with the time at which it happened.
    public var events: AsyncStream<PedometerEvent> {
        let events = PauseEvents(
            reports: Cadence(bus: bus, device: device).reports, silenceSeconds: Self.silenceSeconds)
        return AsyncStream(fromTask: { continuation in await events.run { continuation.yield($0) } })
    }
}

/// A device's cadence as it is now, in revolutions or steps a minute.
public struct Cadence: Sendable {
    /// The bus.
    public let bus: StrideBus
    /// The device.
    public let device: DeviceID

    /// The cadence of a device; nothing is listened to yet.
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
    /// The elements that a task yields; it is cancelled when the stream is let go.
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
    /// Metres; nil where there is no distance.
    public var distanceMetres: Double?
    /// Seconds a metre of active time; nil where there is no distance.
    public var averageActivePaceSecondsPerMetre: Double?
    /// Seconds a metre in the last minute; nil where nothing moves, and of an interval that is over.
    public var currentPaceSecondsPerMetre: Double?
    /// Steps a second in the last minute; nil where nothing moves, and of an interval that is over.
    public var currentCadenceStepsPerSecond: Double?
    /// Floors gone up; nil where unknown.
    public var floorsAscended: UInt64?
    /// Floors gone down; nil where unknown.
    public var floorsDescended: UInt64?
    /// Seconds for which samples exist; CoreMotion has no such thing.
    public var coveredSeconds: Double

    /// The same of a record of history.
    public init(_ data: IntervalData) {
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
    /// Which of the two.
    public enum Kind: Sendable, Hashable {
        /// The wearer has stopped.
        case pause
        /// The wearer moves, for the first time or again.
        case resume
    }

    /// Which of the two.
    public var kind: Kind
    /// The time, in seconds since 1970.
    public var t: Double

    /// An event from its parts.
    public init(kind: Kind, t: Double) {
        self.kind = kind
        self.t = t
    }
}

/// Pauses and resumptions of a device as they happen: reports of cadence and the time that passes without one.
final class PauseEvents: Sendable {
    private let reports: AsyncStream<CadenceReport>
    private let silenceSeconds: Double
    private let detector = Mutex(PauseDetector())

    init(reports: AsyncStream<CadenceReport>, silenceSeconds: Double) {
        self.reports = reports
        self.silenceSeconds = silenceSeconds
    }

    /// Hands over events until the reports end or the task is cancelled.
    func run(_ body: @Sendable @escaping (PedometerEvent) -> Void) async {
        var patience: Task<Void, Never>?
        for await report in reports {
            let (event, isKept) = detector.withLock { ($0.take(report), $0.kept != nil) }
            if let event { body(event) }
            if !isKept {
                patience?.cancel()
                patience = nil
            } else if patience == nil {
                patience = Task { await self.waitAndTell(body) }
            }
        }
        patience?.cancel()
    }

    private func waitAndTell(_ body: @Sendable (PedometerEvent) -> Void) async {
        try? await Task.sleep(for: .seconds(silenceSeconds))
        guard !Task.isCancelled, let event = detector.withLock({ $0.giveUp() }) else { return }
        body(event)
    }
}

/// Finds pauses in reports of cadence: there is one a second during movement, and one final 0.
///
/// A 0 of a wearer of whom nothing is known any more is one of silence: the device may have stopped sending because
/// nothing moves, or a service is being started again. It is a pause only when the silence lasts.
struct PauseDetector: Sendable {
    private var isMoving = false
    /// A pause that is kept back.
    private(set) var kept: PedometerEvent?

    /// The event that a report makes known; nil for one that says what was known, or what is to be kept back.
    mutating func take(_ report: CadenceReport) -> PedometerEvent? {
        let moves = report.isMoving
        let event = PedometerEvent(kind: moves ? .resume : .pause, t: report.t)
        if moves { kept = nil }
        guard moves != isMoving else { return nil }
        if !moves, report.state == .unknown {
            kept = kept ?? event
            return nil
        }
        kept = nil
        isMoving = moves
        return event
    }

    /// The silence has lasted: the pause that was kept back is reported.
    mutating func giveUp() -> PedometerEvent? {
        guard let event = kept else { return nil }
        kept = nil
        isMoving = false
        return event
    }
}
