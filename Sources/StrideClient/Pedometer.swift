public import Wire

/// A device's steps, in the shape of CoreMotion's `CMPedometer`, over the bus.
///
/// What differs from CoreMotion: any device of the bus can be asked, for any time rather than seven days; what is not
/// available is told with a reason, and nothing known is 0 with `coveredSeconds` 0.
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

    /// Whether something is available on the device: `isStepCountingAvailable()` and its likes in one.
    ///
    /// - Throws: `StrideClientError`.
    public func isAvailable(_ capability: Capability) async throws -> Bool {
        try await bus.capabilities(device: device)[capability]
    }

    /// What is available on the device, and if not why.
    ///
    /// - Throws: `StrideClientError`.
    public func availability() async throws -> CapabilitiesData {
        try await bus.capabilities(device: device)
    }

    /// What was counted in an interval, `from` included, `to` not: `queryPedometerData(from:to:withHandler:)`.
    ///
    /// - Throws: `StrideClientError`.
    public func query(from: TimePoint, to: TimePoint) async throws -> PedometerData {
        PedometerData(try await bus.interval(device: device, from: from, to: to))
    }

    /// What was counted since a time, told at every so many steps: `startUpdates(from:withHandler:)`.
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
        return AsyncStream { continuation in
            let task = Task {
                var joiner = TodayJoiner()
                for await message in messages {
                    if let today = joiner.take(message: message) { continuation.yield(today) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What the wearer did, stretch after stretch: `CMMotionActivityManager.queryActivityStarting(from:to:to:)`.
    ///
    /// - Throws: `StrideClientError`.
    public func activities(from: TimePoint, to: TimePoint) async throws -> [ActivitySegment] {
        try await bus.activities(device: device, from: from, to: to)
    }

    /// How long a device may be silent, in seconds, before that is told as a pause: longer than a service takes to
    /// start again, while nobody can know whether the wearer moves.
    public static let silenceSeconds = 10.0

    /// Pauses and resumptions as they happen: `startEventUpdates(handler:)`. Ends with its task, or with the bus.
    ///
    /// A device that stops sending while its wearer moves has paused when it has been silent for `silenceSeconds`. What
    /// happened while a service was away is told when it is back, with the time at which it happened.
    public var events: AsyncStream<PedometerEvent> {
        let events = PauseEvents(
            reports: Cadence(bus: bus, device: device).reports, silenceSeconds: Self.silenceSeconds)
        return AsyncStream { continuation in
            let task = Task {
                await events.run { continuation.yield($0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
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

    /// Reports from now on: one a second while somebody moves, and one final 0. Ends with its task, or with the bus.
    public var reports: AsyncStream<CadenceReport> {
        let messages = bus.messages(of: device, on: .cadence)
        return AsyncStream { continuation in
            let task = Task {
                for await message in messages {
                    if let report = try? CadenceReport(json: message) { continuation.yield(report) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
