import Testing
import Wire

@testable import Counter

@Suite("Devices are stored a few at a time, and what the log still has is counted once")
struct StoringTests {
    private let walkers: [Walk]

    init() throws {
        walkers = try ["a", "b", "c"].map { try Walk($0) }
    }

    /// A loop with the log and the store that it asks for.
    private struct Bench {
        var loop: CounterLoop
        var log: [[UInt8]] = []
        var states: [DeviceID: [UInt8]] = [:]
        /// The storing that is not done yet.
        var storing: CounterCommit?
        var steps: Int64 = 0
        private(set) var position: UInt64 = 0
        var isAwaited = false

        init(position: UInt64 = 0, states: [DeviceID: [UInt8]] = [:], limits: CounterLimits = CounterLimits()) {
            var limits = limits
            limits.maximumStatesAtOnce = 1
            loop = CounterLoop(
                limits: limits, partitions: .all, knownDevices: states.count, storedPosition: position,
                nowMicroseconds: Walk.start)
            self.states = states
            self.position = position
        }

        mutating func take(_ messages: [CounterLoop.Message]) { perform(loop.handle(.batch(messages))) }

        mutating func perform(_ effects: [CounterLoop.Effect]) {
            for effect in effects {
                switch effect {
                case .log(let payloads):
                    log += payloads
                    perform(loop.handle(.logged))
                case .load(let devices):
                    let known = devices.map { StoredDevice(device: $0, state: states[$0], config: nil) }
                    perform(loop.handle(.loaded(known)))
                case .store(let commit): storing = commit
                case .acknowledge: perform(loop.handle(.acknowledged))
                case .awaitStored: isAwaited = true
                default: break
                }
            }
        }

        /// The store is done with what it was given.
        mutating func finishStoring() {
            guard let done = storing else { return }
            (storing, isAwaited) = (nil, false)
            for state in done.states { states[state.device] = state.bytes }
            for increment in done.increments { steps += increment.steps }
            position = done.progress?.stored ?? 0
            perform(loop.handle(.stored([])))
        }

        /// The process dies: another has the store's states and counts the log beyond its position.
        mutating func restart() {
            var next = Bench(position: position, states: states)
            (next.log, next.steps) = (log, steps)
            for (index, payload) in log.enumerated() where UInt64(index) >= position {
                next.perform(next.loop.handle(.replayed(payload, position: UInt64(index + 1))))
            }
            next.loop.begin(nowMicroseconds: Walk.start)
            self = next
        }

        /// Stops in order.
        mutating func stop() {
            perform(loop.handle(.stopping))
            while storing != nil { finishStoring() }
        }
    }

    private func message(_ seconds: Range<Int>, of walker: Walk) -> CounterLoop.Message {
        var encoder = MotionBatchEncoder()
        for record in walker.records(seconds: seconds) { _ = encoder.append(record) }
        return .motion(encoder.bytes)
    }

    @Test("The log is needed from the oldest change on, and states say how far they are ahead of that")
    func slices() throws {
        var bench = Bench()
        for walker in walkers { bench.take([message(0..<20, of: walker)]) }
        // The first device is being stored while the others come.
        let first = try #require(bench.storing)
        #expect(first.states.map(\.device) == [walkers[0].device])
        #expect(first.progress == LogProgress(stored: 1, counted: 1))
        bench.take([message(20..<40, of: walkers[0])])
        bench.finishStoring()
        bench.perform(bench.loop.handle(.tick(nowMicroseconds: Walk.start + 20_000_000)))
        let second = try #require(bench.storing)
        #expect(second.states.map(\.device) == [walkers[1].device])
        #expect(second.progress == LogProgress(stored: 2, counted: 4))
        bench.finishStoring()
        let third = try #require(bench.storing)
        #expect(third.states.map(\.device) == [walkers[2].device])
        #expect(third.progress == LogProgress(stored: 3, counted: 4))
    }

    @Test("After an end at any time each step is counted once", arguments: 0..<6)
    func counted(endAfter commits: Int) throws {
        var whole = Bench()
        var broken = Bench()
        for second in stride(from: 0, to: 40, by: 10) {
            for walker in walkers {
                let message = message(second..<second + 10, of: walker)
                whole.take([message])
                broken.take([message])
                if second == 20 { broken.finishStoring() }
            }
        }
        for _ in 0..<commits { broken.finishStoring() }
        broken.restart()
        #expect(broken.loop.pipeline.tally.duplicate == 0)
        whole.stop()
        broken.stop()
        #expect(broken.steps == whole.steps && whole.steps > 100)
        #expect(broken.loop.isSettled)
    }

    @Test("Devices that are taken up because they are quiet leave memory again, though nothing of them has changed")
    func takenUp() throws {
        let names = try (0..<40).map { try DeviceID("quiet-\($0)") }
        let states = names.map { ($0, DeviceCounter(device: $0).encodedState()) }
        let limits = CounterLimits(maximumResidentDevices: 4, maximumSurplusDevices: 2)
        var bench = Bench(states: Dictionary(uniqueKeysWithValues: states), limits: limits)
        bench.loop.begin(nowMicroseconds: Walk.start, recent: names)
        var now = Walk.start
        var isTakenUp = false
        for _ in 0..<80 {
            now += 250_000
            bench.perform(bench.loop.handle(.tick(nowMicroseconds: now)))
            bench.finishStoring()
            let resident = bench.loop.pipeline.residentDevices
            #expect(resident <= 6)
            isTakenUp = isTakenUp || resident > 0
        }
        #expect(isTakenUp)
        #expect(bench.loop.pipeline.devicesToWake(nowMicroseconds: now, atMost: 40).isEmpty)
    }

    @Test("A config is stored with its device, whoever changed before")
    func config() throws {
        var bench = Bench()
        for walker in walkers { bench.take([message(0..<20, of: walker)]) }
        bench.finishStoring()
        let json = Array(#"{"zone":"Europe/Berlin"}"#.utf8)
        bench.take([.config(walkers[2].device, json)])
        let stored = try #require(bench.storing)
        #expect(bench.isAwaited)
        #expect(stored.configs.map(\.device) == [walkers[2].device])
        #expect(stored.states.map(\.device) == [walkers[1].device, walkers[2].device])
        bench.finishStoring()
        #expect(!bench.loop.isBusy)
    }

    @Test("A configuration that the broker sends again with its next connection changes nothing, and stores nothing")
    func repeatedConfig() throws {
        var bench = Bench()
        bench.take([message(0..<20, of: walkers[0])])
        bench.finishStoring()
        let json = Array(#"{"zone":"Europe/Berlin"}"#.utf8)
        bench.take([.config(walkers[0].device, json)])
        bench.finishStoring()
        bench.take([.config(walkers[0].device, json)])
        #expect(bench.storing == nil && !bench.isAwaited && !bench.loop.isBusy)
        bench.take([.config(walkers[0].device, Array(#"{"zone":"Asia/Tokyo"}"#.utf8))])
        #expect(bench.storing?.configs.count == 1)
    }
}
