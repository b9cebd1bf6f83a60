import Seeded
import Wire

@testable import Counter

/// A pipeline with a store in memory: what a service would have after its commits.
struct CountingRun {
    struct Minute: Hashable {
        var device: DeviceID
        var minute: Int64
    }

    var pipeline: CounterPipeline
    var states: [DeviceID: [UInt8]] = [:]
    private(set) var totals: [Minute: MinuteIncrement] = [:]
    /// What devices said of stretches of time.
    private(set) var words: [DeviceID: [Range<Int64>: StepWord]] = [:]
    var live: [LiveOutput] = []
    private var configs: [DeviceID: DeviceConfig] = [:]
    private let limits: CounterLimits

    init(limits: CounterLimits = CounterLimits()) {
        self.limits = limits
        pipeline = CounterPipeline(limits: limits)
    }

    /// Counts records to their end.
    init(counting records: [MotionRecord]) {
        self.init()
        count(records)
        finish()
    }

    /// Counts records as they come on a bad way, each committed by itself: some overtaken by the next, some again, at once
    /// or later, all of them again at the end, and restarts between.
    init(disturbing records: [MotionRecord], _ random: inout SeededGenerator) {
        self.init()
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        var order = records
        for index in stride(from: 0, to: order.count - 1, by: 2) where chance(40) { order.swapAt(index, index + 1) }
        for (index, record) in order.enumerated() {
            count([record])
            if chance(20) { count([record]) }
            if chance(10) { count([order[Int.random(in: 0...index, using: &random)]]) }
            if chance(15) { restart() }
        }
        restart()
        count(records)
        finish()
    }

    /// Counts records and commits.
    mutating func count(_ records: [MotionRecord]) {
        for record in records { pipeline.accept(record) }
        commit()
    }

    mutating func configure(_ device: DeviceID, _ config: DeviceConfig) {
        configs[device] = config
        pipeline.configure(device: device, config)
        commit()
    }

    mutating func tick(_ microseconds: Int64) {
        pipeline.accept(pipeline.findSilent(nowMicroseconds: microseconds))
        commit()
    }

    mutating func finish() {
        pipeline.finish()
        commit()
    }

    mutating func commit() {
        let commit = pipeline.takeCommit()
        for state in commit.states { states[state.device] = state.bytes }
        for increment in commit.increments {
            let key = Minute(device: increment.device, minute: increment.minute)
            totals[key, default: MinuteIncrement(device: increment.device, minute: increment.minute)].add(increment)
        }
        for row in commit.words { words[row.device, default: [:]][row.word.start..<row.word.end] = row.word }
        live += pipeline.takeLive()
    }

    /// The process dies, and another takes up the committed states.
    mutating func restart() {
        pipeline = CounterPipeline(limits: limits)
        for (device, state) in states.sorted(by: { $0.key < $1.key }) {
            _ = pipeline.restore(device: device, state: state, config: configs[device])
        }
        for (device, config) in configs { pipeline.configure(device: device, config) }
    }

    /// Damages a stored state.
    mutating func damage(_ device: DeviceID, at index: Int) {
        states[device]?[index] ^= 0x40
    }

    /// The steps of all stretches of time that devices told; fractions of them add up.
    var toldSteps: Int64 {
        let microSteps = words.values.flatMap(\.values).reduce(0) { $0 + $1.microSteps }
        return (microSteps + StepWord.micro / 2) / StepWord.micro
    }

    /// A sum over all minutes.
    func sum(_ value: Amount) -> Int64 {
        totals.values.reduce(0) { $0 + $1[value] }
    }

    /// A sum over one minute, counted from the start of the walk.
    func sum(_ value: Amount, minute: Int64) -> Int64 {
        let wanted = Walk.start / 60_000_000 + minute
        return totals.filter { $0.key.minute == wanted }.values.reduce(0) { $0 + $1[value] }
    }

    /// The cadences told, in order.
    var cadences: [CadenceReport] {
        live.compactMap { if case .cadence(let report) = $0.payload { report } else { nil } }
    }

    /// The live totals of steps, in order.
    var stepTotals: [UInt64] {
        live.compactMap { if case .steps(let report) = $0.payload { report.steps } else { nil } }
    }

    /// The last health told of the device.
    var health: DeviceHealth? {
        live.reversed().lazy.compactMap { if case .health(let health) = $0.payload { health } else { nil } }.first
    }
}

extension MinuteIncrement {
    /// What was counted in a minute.
    init(
        _ device: DeviceID, _ minute: Int64, origin: Origin = .samples, _ amounts: KeyValuePairs<Amount, Int64>
    ) {
        self.init(device: device, minute: minute, origin: origin)
        for (amount, value) in amounts { self[amount] = value }
    }
}

extension CounterCommit {
    /// A commit of some minutes.
    init(_ increments: [MinuteIncrement]) {
        self.init()
        self.increments = increments
    }
}

extension CounterStore {
    /// What is stored of a device.
    func stored(_ device: DeviceID) async throws -> StoredDevice? {
        try await devices(after: nil, atMost: .max).first { $0.device == device }
    }
}
