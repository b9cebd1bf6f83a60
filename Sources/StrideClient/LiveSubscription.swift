import Wire

/// Holds a lease on notices: begins it, renews it, turns its notices into data, and ends it.
struct LiveSubscription: Sendable {
    let bus: StrideBus
    let device: DeviceID
    let from: TimePoint?
    let every: UInt64

    /// How long history keeps the lease without a renewal, in seconds.
    static let leaseSeconds = 120
    /// The time between two renewals, in seconds.
    static let renewalSeconds = 30.0

    /// Passes the data of each notice to `body` until the task is cancelled or the bus is closed.
    func run(_ body: @Sendable @escaping (PedometerData) -> Void) async throws {
        let path = bus.newLivePath()
        let messages = bus.replies(on: path)
        defer { stop(path) }
        var request = HistoryRequest(verb: .liveStart, device: device, from: from)
        request.every = every
        request.counts = .steps
        request.leaseSeconds = Self.leaseSeconds
        let lease = try await patiently { [request] in try await bus.startLive(request, path: path) }
        // History keeps leases in memory. Renewing from the lease's beginning lets a restarted history continue it
        // with the same numbers.
        request.from = .instant(seconds: lease.from)
        try await withThrowingTaskGroup(of: Void.self) { [request] group in
            group.addTask { try await renew(request, path) }
            group.addTask { try await read(messages, lease, body) }
            try await group.next()
            group.cancelAll()
        }
    }

    private func renew(_ request: HistoryRequest, _ path: String) async throws {
        while true {
            try await Task.sleep(for: .seconds(Self.renewalSeconds))
            do {
                _ = try await bus.startLive(request, path: path)
            } catch let error as StrideClientError where bus.mayPass(error) {
                // History may be restarting, or the broker be away; the next renewal restores the lease.
                continue
            }
        }
    }

    /// The count of a lease so far, from a notice or from the reply to a renewal.
    private struct Progress {
        var number: UInt64
        var steps: UInt64
        var t: Double
    }

    /// Passes on the data of new notices. A repeated notice has a number that is not above the last one.
    private func read(
        _ messages: AsyncStream<[UInt8]>, _ lease: LiveLeaseData, _ body: (PedometerData) -> Void
    ) async throws {
        var last = lease.number
        for await message in messages {
            guard let progress = progress(message), progress.number > last else { continue }
            last = progress.number
            body(try await data(progress, lease))
        }
        try Task.checkCancellation()
    }

    /// Reads a notice, or the reply to a renewal: after a restart of history its counts may be in no notice.
    private func progress(_ message: [UInt8]) -> Progress? {
        guard case .ok(_, let json)? = try? HistoryReply(json: message) else { return nil }
        if let notice = try? LiveNotice(json: json) {
            return Progress(number: notice.number, steps: notice.counted, t: notice.t)
        }
        guard let lease = try? LiveLeaseData(json: json) else { return nil }
        return Progress(
            number: lease.number, steps: lease.number &* every, t: lease.expiresT - Double(Self.leaseSeconds))
    }

    /// The data of a notice: its steps, and the other values from an interval request.
    private func data(_ progress: Progress, _ lease: LiveLeaseData) async throws -> PedometerData {
        let end = max(progress.t, lease.from + 60)
        let interval = try await patiently {
            try await bus.interval(device: device, from: .instant(seconds: lease.from), to: .instant(seconds: end))
        }
        var data = PedometerData(interval)
        data.steps = progress.steps
        // An interval ends with a whole minute, which is not over yet.
        data.end = max(progress.t, data.start)
        return data
    }

    /// Retries a request for the length of a lease, because history may be restarting or busy; and for as long as the
    /// broker is away, because nobody can answer then.
    private func patiently<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        var deadline = ContinuousClock.now + .seconds(Self.leaseSeconds)
        while true {
            do {
                return try await ask()
            } catch let error as StrideClientError where bus.mayPass(error) {
                if case .connection = error { deadline = .now + .seconds(Self.leaseSeconds) }
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .seconds(Self.pauseSeconds))
            }
        }
    }

    /// The pause before a request is tried again, in seconds.
    private static let pauseSeconds = 0.5

    /// Ends the lease without waiting for its expiry, in a new task, because the current one may be cancelled.
    private func stop(_ path: String) {
        Task { [bus, device] in
            try? await bus.stopLive(device: device, path: path)
        }
    }
}
