import Seeded
import TestBroker
import Testing

@testable import History
@testable import Wire

/// Minutes, check-ins, corrections and forgetting come in any order: people's rows are what the pure merge makes of whose
/// the devices are and what they have.
@Suite("A person's rows in any order", .timeLimit(.minutes(5)))
struct PersonRowsAnyOrderTests {
    private static let start: Int64 = 1_774_569_600 / 60
    private static let minutes: Range<Int64> = start..<start + 3_000
    private static let nowSeconds = (start + 4_000) * 60
    private static let people = ["Anna", "Ben", "Cleo"]
    private let devices: [DeviceID] = ["bike-07", "phone-3", "watch-3"]

    private enum Deed {
        case checkIn(Assignment)
        case checkOut(DeviceID, Int64)
        case name(DeviceID, DeviceSettings)
        case forget(String)
        case forgetDevice(DeviceID)
    }

    @Test("Whenever the rows come", arguments: 1...40 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let deeds = (0..<10).map { _ in deed(&random) }
        let rows = (0..<250).map { _ in row(&random) }
        var first: [String: [TracedMinute]]?
        for _ in 0..<3 {
            let store = try HistoryStore.inMemory()
            var left = (rows + rows.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)[...]
            for deed in deeds {
                let part = left.prefix(Int.random(in: 0...80, using: &random))
                left = left.dropFirst(part.count)
                _ = try await store.commit(HistoryChanges(rows: Array(part)), nowSeconds: Self.nowSeconds)
                try await carryOut(deed, in: store)
                // Not all that is queued is merged at once.
                if Bool.random(using: &random) { _ = try await store.makeDue(nowMinute: Self.start) }
            }
            _ = try await store.commit(HistoryChanges(rows: Array(left)), nowSeconds: Self.nowSeconds)
            _ = try await store.makeDue(days: .max, nowMinute: Self.start)
            let people = try await self.people(in: store)
            #expect(try await people == merged(in: store))
            #expect(first == nil || people == first)
            first = people
        }
    }

    /// The pure merge of what the store has of devices.
    private func merged(in store: HistoryStore) async throws -> [String: [TracedMinute]] {
        var found: [String: [Int64: [(rank: Int, device: DeviceID, source: PersonMinute.Source)]]] = [:]
        for device in devices {
            guard let record = try await store.device(device) else { continue }
            let owners = DeviceOwnership.owners(try await store.assignments(of: device))
            for row in try await store.minutes(of: device, in: DayCalendar.minutes) {
                guard row.sum != CountSum(), let owner = owners.first(where: { $0.minutes.contains(row.minute) })
                else { continue }
                found[owner.person, default: [:]][row.minute, default: []].append(
                    (
                        PersonMinute.rank(of: record.settings.placement), device,
                        PersonMinute.Source(kind: DeviceKind(rawValue: record.settings.kind) ?? .unknown, sum: row.sum)
                    ))
            }
        }
        return found.mapValues { minutes in
            minutes.sorted { $0.key < $1.key }.map { minute, sources in
                let inOrder = sources.sorted { ($0.rank, $0.device) < ($1.rank, $1.device) }
                return TracedMinute(minute: minute, sum: PersonMinute(inOrder.map(\.source)).sum)
            }
        }
    }

    /// All minutes of people; days and totals are their sums.
    private func people(in store: HistoryStore) async throws -> [String: [TracedMinute]] {
        var people: [String: [TracedMinute]] = [:]
        for case .person(let name) in try await store.subjects() {
            let minutes = try await store.tracedMinutes(of: .person(name), in: [DayCalendar.minutes])[0]
            let snapshot = try #require(try await store.snapshot(of: name))
            let sum = minutes.reduce(into: Counts()) { $0 += $1.sum.counts }
            #expect(snapshot.record.counts.isSame(as: sum))
            #expect(snapshot.days.reduce(into: Counts()) { $0 += $1.counts }.isSame(as: sum))
            people[name] = minutes
        }
        return people
    }

    // MARK: - What is done

    private func carryOut(_ deed: Deed, in store: HistoryStore) async throws {
        switch deed {
        case .checkIn(let assignment): #expect(try await store.assign(assignment) == nil)
        case .checkOut(let device, let minute): _ = try await store.unassign(device, person: nil, at: minute)
        case .name(let device, let settings):
            try await store.set(device, settings, nowSeconds: Self.nowSeconds)
        case .forget(let person):
            let request = HistoryRequest(verb: .peopleForget, person: person)
            _ = try await store.ask(request, at: Double(Self.nowSeconds), as: ForgetData.self)
        case .forgetDevice(let device):
            let request = HistoryRequest(verb: .devicesForget, device: device)
            _ = try await store.ask(request, at: Double(Self.nowSeconds), as: ForgetData.self)
        }
    }

    private func deed(_ random: inout SeededGenerator) -> Deed {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        let person = Self.people[Int.random(in: 0..<Self.people.count, using: &random)]
        let minute = Int64.random(in: Self.minutes, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .forget(person)
        case 1: return .checkOut(device, minute)
        case 2, 3:
            let placement = Bool.random(using: &random) ? "wrist" : "pocket"
            let settings = DeviceSettings(
                kind: device == devices[0] ? "bike" : "wearable", placement: placement,
                person: Bool.random(using: &random) ? person : nil)
            return .name(device, settings)
        case 4 where Bool.random(using: &random): return .forgetDevice(device)
        default:
            let end = minute + Int64.random(in: 1...2_000, using: &random)
            return .checkIn(
                Assignment(person: person, device: device, minutes: minute..<end))
        }
    }

    private func row(_ random: inout SeededGenerator) -> MinuteRow {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        let minute = Self.minutes.lowerBound + Int64.random(in: 0..<Int64(Self.minutes.count) / 20, using: &random) * 20
        // The same number says the same.
        let revision = UInt64.random(in: 1...200, using: &random)
        return MinuteRow(
            device, minute, epoch: UInt64(1 + revision % 2), revision: revision, steps: Int64(revision) % 120,
            revolutions: device == devices[0] ? Int64(revision) % 90 : 0
        ) {
            $0.coveredMilliseconds = Int64(revision) * 300
            $0.activeMilliseconds = min(60_000, $0.coveredMilliseconds)
        }
    }
}

extension Counts {
    /// Whether they are equal but for floors, of which none and 0 are told apart.
    fileprivate func isSame(as other: Counts) -> Bool {
        let floors = (self - other).floors ?? FloorCounts()
        var difference = self - other
        difference.floors = nil
        return difference == Counts() && floors == FloorCounts()
    }
}
