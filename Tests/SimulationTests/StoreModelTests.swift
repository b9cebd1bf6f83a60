import Seeded
import Foundation
import History
import Testing
import Wire

@testable import Counter
@testable import Simulation

extension SimulationTests {
    /// What the simulation takes for a store keeps what the real one keeps.
    @Suite("The modelled stores and the real ones")
    struct StoreModelTests {
        private static let changes = 40
        private static let parts = 4
        private let folder = FileManager.default.temporaryDirectory
            .appending(path: "stridebus-model-\(UUID().uuidString)").path(percentEncoded: false)

        @Test("The counter's stores have the same states and rows, restarts included", arguments: 1...4)
        func counter(seed: UInt64) async throws {
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var random = SeededGenerator(seed: seed)
            let devices = try (0..<3).map { try DeviceID("device-\($0)") }
            var model = CounterStoreModel()
            // Each part ends with the store let go, as a process that ends lets go of it.
            for part in 0..<Self.parts {
                let store = try CounterStore(directory: folder, newEpoch: model.epoch)
                for _ in 0..<Self.changes / Self.parts { try await change(&model, store, devices, &random) }
                #expect(try await store.published() == model.published, "part \(part)")
                for stored in try await store.load(devices) { #expect(stored.state == model.states[stored.device]) }
                try store.close()
            }
        }

        private func change(
            _ model: inout CounterStoreModel, _ store: CounterStore, _ devices: [DeviceID],
            _ random: inout SeededGenerator
        ) async throws {
            if random.chance(0.2) {
                let revision = UInt64(random.below(9))
                try await store.setPublished(revision)
                model.setPublished(revision)
            } else {
                let commit = Self.commit(devices, &random)
                try await store.commit(commit, nowMicroseconds: 1)
                model.commit(commit)
            }
            let after = UInt64(random.below(12))
            let (rows, expected) = (try await Self.rows(after: after, store), model.allRows(after: after))
            for (row, wanted) in zip(rows, expected) { try #require(row == wanted) }
            #expect(rows.count == expected.count)
        }

        @Test("History's stores say the same of every minute, in whatever order rows come", arguments: 1...4)
        func history(seed: UInt64) async throws {
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var random = SeededGenerator(seed: seed)
            let device = try DeviceID("device-0")
            var model = HistoryStoreModel()
            let store = try HistoryStore.sqlite(directory: folder, nowSeconds: 1_795_194_000)
            for _ in 0..<Self.changes {
                var changes = HistoryChanges()
                for _ in 0...random.below(3) { changes.rows.append(Self.row(of: device, &random)) }
                changes.cursors = [
                    ChainCursor(epoch: 1, revision: UInt64(random.below(20)), lastMessageSeconds: 5)
                ]
                _ = try await store.commit(changes, nowSeconds: 1_795_194_000)
                model.commit(changes, mutant: nil)
            }
            #expect(try await store.cursors() == model.cursors)
            for minute in Self.minutes {
                let sum = try await store.sums(of: device, in: [minute..<minute + 1])[0].counts
                let said = model.totals[MinuteKey(device: device, minute: minute)] ?? MinuteNumbers()
                #expect(sum.steps == said.steps && sum.revolutions == said.revolutions)
                #expect(sum.coveredMilliseconds == said.coveredMilliseconds)
                #expect(sum.activeMilliseconds == said.activeMilliseconds)
            }
            await store.close()
        }

        private static let minutes: Range<Int64> = 29_919_900..<29_919_903

        private static func commit(_ devices: [DeviceID], _ random: inout SeededGenerator) -> CounterCommit {
            var commit = CounterCommit()
            for device in devices where random.chance(0.6) {
                commit.states.append(
                    CounterCommit.State(device: device, bytes: [UInt8(random.below(256)), UInt8(random.below(256))]))
                var increment = MinuteIncrement(
                    device: device, minute: minutes.lowerBound + Int64(random.below(3)),
                    origin: random.chance(0.3) ? .device : .samples)
                increment[.steps] = Int64(random.below(9))
                increment[.revolutions] = Int64(random.below(4))
                increment[.coveredMicroseconds] = Int64(random.below(3_000_000))
                increment[.activeMilliseconds] = Int64(random.below(1_000))
                increment[.distanceMicrometres] = Int64(random.below(5_000_000))
                increment.sums[7 + random.below(6)] = 1_000
                commit.increments.append(increment)
            }
            for device in devices where random.chance(0.4) {
                let start = (minutes.lowerBound - 60 + Int64(random.below(4))) * 60_000_000
                let length = [30, 60, 86_400][random.below(3)] * Int64(1_000_000)
                if let word = StepWord(
                    start: start, end: start + length, microSteps: Int64(random.below(3)) * 250_000)
                {
                    commit.words.append(WordRow(device: device, word: word))
                }
            }
            return commit
        }

        private static func row(of device: DeviceID, _ random: inout SeededGenerator) -> MinuteTotals {
            let minute = minutes.lowerBound + Int64(random.below(3))
            var row = MinuteTotals(
                device: device, minute: minute, epoch: UInt64(1 + random.below(2)),
                revision: UInt64(1 + random.below(30)))
            row.steps = UInt32(random.below(100))
            row.revolutions = UInt32(random.below(50))
            row.coveredMilliseconds = UInt32(random.below(60_000))
            row.activeMilliseconds = UInt32(random.below(60_000))
            return row
        }

        private static func rows(after revision: UInt64, _ store: CounterStore) async throws -> [MinuteTotals] {
            var rows: [MinuteTotals] = []
            var last = revision
            while let batch = try await store.counts(after: last) {
                rows += batch.rows
                last = batch.lastRevision
            }
            return rows
        }
    }
}

extension CounterStoreModel {
    /// The rows of all the messages after a revision.
    fileprivate func allRows(after revision: UInt64) -> [MinuteTotals] {
        var rows: [MinuteTotals] = []
        var last = revision
        while let batch = counts(after: last, asDifferences: false) {
            rows += batch.rows
            last = batch.lastRevision
        }
        return rows
    }
}
