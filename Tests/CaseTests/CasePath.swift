import Counter
import History
import Ingest
import Simulation
import Wire

/// The way from a device's message to the days of history, without a broker: the decisions of ingest and counter, and
/// the rows that a store gives to history. All of it can be restarted between any two messages.
struct CasePath {
    private let topics: TopicTree
    private let sources: [DeviceSource]
    private let zone: String
    private var ingest: IngestPipeline
    private var counter: CounterPipeline
    private var stores: QuietStores
    private var configs: [DeviceID: DeviceConfig]
    private(set) var health: [DeviceID: DeviceHealth] = [:]
    /// All problems and notes that were told of a device.
    private(set) var words: [DeviceID: Set<String>] = [:]
    /// The clock, in microseconds since 1970.
    private(set) var now: Int64

    /// A wait beyond this is passed at once, in microseconds: nothing happens in it any more.
    private static let watchedMicroseconds: Int64 = 130_000_000

    init(_ situation: Situation) throws {
        stores = try QuietStores()
        topics = try TopicTree(root: "stride")
        sources = situation.sources
        zone = situation.zone
        configs = situation.configs
        now = situation.beginMicroseconds
        ingest = IngestPipeline(topics: topics, sources: sources)
        counter = CounterPipeline(zone: zone)
        for (device, config) in configs { counter.configure(device: device, config) }
    }

    /// All services end and begin again: what they had in memory alone is gone.
    mutating func restart() async throws {
        ingest = IngestPipeline(topics: topics, sources: sources)
        counter = CounterPipeline(zone: zone)
        for device in try await stores.devices() {
            guard let state = try await stores.load(device)?.state else { continue }
            _ = counter.restore(device: device, state: state, config: configs[device])
        }
        for (device, config) in configs { counter.configure(device: device, config) }
        counter.measureSilence(from: now)
    }

    /// A message comes from the broker.
    mutating func take(topic: String, payload: [UInt8]) async throws {
        let now = now
        Array(topic.utf8).withUnsafeBytes { topic in
            payload.withUnsafeBytes { payload in
                ingest.take(topic: topic, payload: payload, isRetained: false, arrivalMicroseconds: now)
            }
        }
        for batch in ingest.finish(nowMicroseconds: now) { try await count(batch.payload) }
        try await commit()
    }

    private mutating func count(_ batch: [UInt8]) async throws {
        for record in try batch.withUnsafeBytes({ try Self.records(in: $0) }) {
            counter.accept(record)
        }
    }

    private static func records(in batch: UnsafeRawBufferPointer) throws -> [MotionRecord] {
        var decoder = try MotionBatchDecoder(batch)
        var records: [MotionRecord] = []
        while let record = decoder.next() { records.append(record) }
        return records
    }

    private mutating func commit() async throws {
        while counter.hasChanged { counter.note(try await stores.commit(counter.takeCommit())) }
        for output in counter.takeLive() {
            guard case .health(let report) = output.payload else { continue }
            health[output.device] = report
            words[output.device, default: []].formUnion([report.problem, report.note].compactMap(\.self))
        }
    }

    /// Time passes without a message.
    mutating func wait(_ microseconds: Int64) async throws {
        let end = now + microseconds
        let watched = min(end, now + Self.watchedMicroseconds)
        while now < end {
            now = now < watched ? min(watched, now + 250_000) : end
            counter.accept(counter.findSilent(nowMicroseconds: now))
            try await commit()
        }
    }

    /// What history has of a device.
    mutating func totals(of device: DeviceID) async throws -> (steps: Int64, revolutions: Int64) {
        try await stores.counts(of: device).reduce((0, 0)) { ($0.0 + $1.steps, $0.1 + $1.revolutions) }
    }

    /// The heart rate and the power of all minutes of a device.
    mutating func rates(of device: DeviceID) async throws -> (heart: RateSum, power: RateSum) {
        try await stores.rates(of: device)
    }

    /// The steps and revolutions of each local day of a device.
    mutating func days(of device: DeviceID) async throws -> [String: Int64] {
        let config = configs[device]
        let calendar = try DayCalendar(zone: config?.zone ?? zone, dayStartMinutes: config?.dayStartMinutes ?? 0)
        var days: [String: Int64] = [:]
        for minute in try await stores.counts(of: device) {
            days["\(calendar.date(ofMinute: minute.minute))", default: 0] += minute.steps + minute.revolutions
        }
        return days.filter { $0.value != 0 }
    }

    /// The devices that were counted or told.
    func devices() async throws -> [DeviceID] {
        Array(Set(try await stores.devices()).union(health.keys)).sorted()
    }
}
