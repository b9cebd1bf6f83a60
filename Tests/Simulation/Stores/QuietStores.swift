package import Counter
import History
package import Wire

/// A counter's store and history's, in memory, and a way between them on which nothing is lost.
package struct QuietStores {
    let counter: CounterStore
    let history: HistoryStore
    private var chains = CountsChains([])
    private var published: UInt64 = 0
    private static let nowSeconds = Simulation.start / 1_000_000

    package init() throws {
        counter = try CounterStore(inMemory: SimulationCore.epoch)
        history = try .inMemory()
    }

    package func commit(_ commit: CounterCommit) async throws -> [StoringOutcome] {
        try await counter.commit(commit, nowMicroseconds: Simulation.start)
    }

    /// What is stored of a device.
    package func load(_ device: DeviceID) async throws -> StoredDevice? { try await counter.stored(device) }

    /// The devices with a state.
    package func devices() async throws -> [DeviceID] {
        try await counter.devices(after: nil, atMost: .max).filter { $0.state != nil }.map(\.device)
    }

    /// The steps and revolutions of each minute of a device, as history has them.
    package mutating func counts(
        of device: DeviceID
    ) async throws -> [(minute: Int64, steps: Int64, revolutions: Int64)] {
        try await passOn()
        return try await history.minutes(of: device).map { ($0.minute, $1.steps, $1.revolutions) }
    }

    /// The heart rate and the power of all minutes of a device, as history has them.
    package mutating func rates(of device: DeviceID) async throws -> (heart: RateSum, power: RateSum) {
        try await passOn()
        return try await history.minutes(of: device).values.reduce(into: (RateSum(), RateSum())) { sums, minute in
            sums.heart += minute.heart
            sums.power += minute.power
        }
    }

    /// What history has of every minute.
    mutating func minutes() async throws -> [MinuteKey: MinuteNumbers] {
        try await passOn()
        return try await history.allMinutes()
    }

    private mutating func passOn() async throws {
        var tally = HistoryCounters()
        while let batch = try await counter.counts(after: published) {
            var changes = HistoryChanges()
            chains.take(batch, into: &changes, &tally, nowSeconds: Double(Self.nowSeconds))
            _ = try await history.commit(changes, nowSeconds: Self.nowSeconds)
            published = batch.lastRevision
        }
        _ = try await history.makeDue(days: .max, nowMinute: Self.nowSeconds / 60)
    }
}

extension CounterStore {
    /// What is stored of a device.
    func stored(_ device: DeviceID) async throws -> StoredDevice? {
        try await devices(after: nil, atMost: .max).first { $0.device == device }
    }
}
