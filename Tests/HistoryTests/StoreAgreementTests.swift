import PrivatePostgres
import Seeded
import TestBroker
import Testing
@testable import Wire

@testable import History

/// Does the same to both stores, drawn from a seed, and compares all that they answer.
@Suite(
    "The two stores agree", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"),
    .timeLimit(.minutes(5)))
struct StoreAgreementTests {
    let devices: [DeviceID] = ["bike-07", "watch-3", "phone-3"]
    static let start: Int64 = 1_774_569_600 / 60
    static let zones = ["Europe/Berlin", "Asia/Kathmandu", "Pacific/Kiritimati", "America/New_York", "UTC"]

    @Test("Whatever is done to both, they answer alike", arguments: 1...8 as ClosedRange<UInt64>)
    func alike(seed: UInt64) async throws {
        let folder = StoreFolder()
        let stores = [try await folder.store(.sqlite), try await folder.store(.postgres)]
        var random = SeededGenerator(seed: seed)
        var revision: UInt64 = 0
        for step in 0..<40 {
            let now = Self.start + Int64(step) * 300
            let deed = deed(&random, &revision, nowMinute: now)
            var outcomes: [String] = []
            for store in stores { outcomes.append(try await deed(store)) }
            #expect(outcomes[0] == outcomes[1], "step \(step)")
        }
        for device in devices {
            let first = try await picture(of: device, in: stores[0])
            let second = try await picture(of: device, in: stores[1])
            #expect(first == second)
        }
        #expect(try await Set(stores[0].cursors()) == Set(stores[1].cursors()))
        #expect(try await stores[0].people(after: nil, limit: 99) == stores[1].people(after: nil, limit: 99))
        #expect(try await stores[0].devices(after: nil, limit: 99) == stores[1].devices(after: nil, limit: 99))
    }

    private typealias Deed = (HistoryStore) async throws -> String

    private func deed(_ random: inout SeededGenerator, _ revision: inout UInt64, nowMinute: Int64) -> Deed {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        let minute = nowMinute - Int64.random(in: 0..<4000, using: &random)
        let length = Int64.random(in: 1..<2000, using: &random)
        let person = ["Anna", "Ben", "Cl\u{0}o", "\u{c9}mile"].randomElement(using: &random) ?? "Anna"
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return { store in "\(try await store.compact(device, before: nowMinute - 2880))" }
        case 1: return { store in "\(try await store.erase(device, in: minute..<minute + length))" }
        case 2:
            let assignment = Assignment(person: "Anna", device: device, minutes: minute..<minute + length)
            return { store in "\(String(describing: try await store.checkIn(assignment)))" }
        case 3: return { store in "\(String(describing: try await store.unassign(device, person: nil, at: minute)))" }
        case 4 where Int.random(in: 0..<3, using: &random) == 0:
            return { store in "\(try await store.erase(device, in: 0..<nowMinute, isWhole: true))" }
        default:
            let changes = changes(&random, &revision, nowMinute: nowMinute, person: person)
            return { store in
                let outcome = try await store.commit(changes, nowSeconds: nowMinute * 60)
                let changed = outcome.changedSubjects.sorted()
                return
                    "\(outcome.appliedRows) \(outcome.repeatedRows) \(outcome.lateRows) \(outcome.erasedRows) \(changed)"
            }
        }
    }

    private func changes(
        _ random: inout SeededGenerator, _ revision: inout UInt64, nowMinute: Int64, person: String
    ) -> HistoryChanges {
        var changes = HistoryChanges()
        for _ in 0..<Int.random(in: 1...80, using: &random) {
            // Some rows are older than what is known by now.
            revision += 1
            let old =
                UInt64.random(in: 0..<20, using: &random) == 0 ? UInt64.random(in: 1...revision, using: &random) : 0
            let minute = nowMinute - Int64.random(in: 0..<3000, using: &random) / 7 * 7
            var row = MinuteRow(
                device: devices[Int.random(in: 0..<devices.count, using: &random)], minute: minute,
                epoch: UInt64.random(in: 1...2, using: &random) << 63 | 7, revision: old > 0 ? old : revision)
            row.steps = .random(in: 0...200, using: &random)
            row.revolutions = .random(in: 0...90, using: &random)
            row.coveredMilliseconds = 60_000
            row.cadence.integral = Double(UInt32.random(in: 0...7200, using: &random))
            row.cadence.seconds = 60
            row.cadence.minimum = Double(UInt32.random(in: 0...60, using: &random))
            row.cadence.maximum = row.cadence.minimum + 10
            row.counts[.walking] = .random(in: 0...60_000, using: &random)
            if row.device == devices[1] {
                row.floors = FloorCounts(
                    ascended: .random(in: 0...4, using: &random), descended: .random(in: 0...4, using: &random))
            }
            changes.rows.append(row)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            var settings = DeviceSettings(
                kind: "wearable", placement: Bool.random(using: &random) ? "wrist" : nil,
                zone: Self.zones.randomElement(using: &random),
                dayStartMinutes: .random(in: 0..<600, using: &random))
            settings.knowsStepLength = Bool.random(using: &random)
            settings.person = person.contains("\0") ? nil : person
            changes.settings = [
                SettingsChange(device: devices[0], settings: settings),
                SettingsChange(device: devices[1], settings: Bool.random(using: &random) ? settings : nil),
            ]
        }
        if let epoch = (1...9 as ClosedRange<UInt64>).randomElement(using: &random) {
            changes.cursors = [
                ChainCursor(epoch: epoch, revision: revision, lastMessageSeconds: nowMinute),
                ChainCursor(epoch: epoch, revision: revision / 2, lastMessageSeconds: nowMinute + 1),
            ]
        }
        return changes
    }

    /// Everything that can be asked about a device.
    private func picture(of device: DeviceID, in store: HistoryStore) async throws -> [String] {
        let ranges = stride(from: Self.start - 6000, to: Self.start + 15_000, by: 777).map { $0..<$0 + 700 }
        var words = ["\(String(describing: try await store.device(device)))"]
        words += try await store.allDays(of: device).map { "\($0)" }
        words.append("\(String(describing: try await store.snapshot(of: device)))")
        let date = LocalDate(ofMinute: Self.start + 1_500)
        let some = try await store.snapshot(of: .device(device), from: date.advanced(by: -3), to: date.advanced(by: 4))
        words.append("\(String(describing: some))")
        words += try await store.sums(of: device, in: ranges).map { "\($0)" }
        words += try await store.minutes(of: device, in: ranges[0].lowerBound..<ranges[20].upperBound).map { "\($0)" }
        words += try await store.assignments(of: device).map { "\($0)" }
        for subject in try await store.subjects() where subject.isPerson {
            words += try await store.days(
                of: subject, from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max)
            ).map { "\(subject) \($0)" }
            words += try await store.tracedMinutes(of: subject, in: [0..<Self.start * 2])[0].map { "\($0)" }
        }
        words += try await store.assignments(of: "Anna").map { "\($0)" }.sorted()
        return words
    }
}
