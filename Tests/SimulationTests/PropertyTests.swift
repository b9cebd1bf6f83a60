import Seeded
import Counter
import Testing
import Wire

@testable import Simulation

extension SimulationTests {
    /// The way the frames of one walk come must not matter.
    @Suite("The same samples, whatever the way")
    struct PropertyTests {
        private static let samples = 1_500
        private static let periodMicroseconds: Int64 = 40_000

        @Test("Any cutting, order within the window, repetition and restarts give the same totals", arguments: 1...6)
        func sameTotals(seed: UInt64) async throws {
            let device = try DeviceID("walker")
            var random = SeededGenerator(seed: seed)
            let whole = try await ReferenceCount.minutes(of: Self.records(of: device) { 50 })
            let cut = Self.records(of: device) { 5 + random.below(60) }
            var stores = try QuietStores()
            var pipeline = CounterPipeline()
            for record in Self.disturbed(cut, &random) {
                if random.chance(0.1) {
                    pipeline = CounterPipeline()
                    let state = try await stores.load(device)?.state
                    if let state { _ = pipeline.restore(device: device, state: state, config: nil) }
                }
                pipeline.accept(record)
                _ = try await stores.commit(pipeline.takeCommit())
            }
            pipeline.finish()
            _ = try await stores.commit(pipeline.takeCommit())
            #expect(try await stores.minutes() == whole)
            #expect(whole.values.reduce(0) { $0 + $1.steps } > 100)
        }

        /// The walk in frames of drawn lengths.
        private static func records(of device: DeviceID, length: () -> Int) -> [MotionRecord] {
            var records: [MotionRecord] = []
            var begin = 0
            while begin < samples {
                let end = min(samples, begin + length())
                var frame = Frame()
                frame.identity = .sequenced(boot: BootID(rawValue: 1), sequence: UInt64(records.count))
                frame.time = .utc(microseconds: Simulation.start + Int64(begin) * periodMicroseconds)
                frame.timing = .uniform(periodNanoseconds: UInt32(periodMicroseconds) * 1_000)
                frame.sensors = .acceleration
                frame.sampleCount = end - begin
                frame.values = (begin..<end).flatMap { SyntheticFrames.walkingSample($0) }
                let arrival = Simulation.start + Int64(end) * periodMicroseconds
                records.append(MotionRecord(device: device, arrivalMicroseconds: arrival, content: .frame(frame)))
                begin = end
            }
            return records
        }

        /// Some are overtaken by the next, some come again, at once or later.
        private static func disturbed(_ records: [MotionRecord], _ random: inout SeededGenerator) -> [MotionRecord] {
            var order = Array(records.indices)
            for index in stride(from: 0, to: order.count - 1, by: 2) where random.chance(0.4) {
                order.swapAt(index, index + 1)
            }
            var result: [MotionRecord] = []
            for index in order {
                result.append(records[index])
                if random.chance(0.2) { result.append(records[index]) }
                if random.chance(0.1) { result.append(records[order[random.below(result.count) / 2]]) }
            }
            return result
        }
    }
}
