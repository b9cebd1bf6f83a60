import HookedDatabase
import Synchronization
import TestBroker
import Testing
import Wire

@testable import History

@Suite("In which order rows are locked", .timeLimit(.minutes(5)))
struct LockOrderTests {
    private static let minute: Int64 = 1_795_195_800 / 60
    private let devices: [DeviceID] = ["bike-07", "anna", "watch-3"]

    private enum Lock: Equatable {
        case newcomers
        case row(Subject)
    }

    @Test("Whatever changes what is kept takes the lock of who comes and goes first, and then rows in one order")
    func order() async throws {
        // The locks of each transaction, in their order.
        let noted = Mutex<[[Lock]]>([])
        @Sendable func note(_ lock: Lock) { noted.withLock { $0[$0.count - 1].append(lock) } }
        let database = HookedDatabase(try HistoryStore.inMemory().database) { statement, rows in
            // SQLite locks no rows: here it is what another database would lock.
            guard statement.sql.hasSuffix(HookedDatabase.lockingMark), let row = rows.first else { return }
            if let record = try? SubjectRecord.read(row)?.record { note(.row(record.subject)) }
        } onLock: { lock in
            if lock == .newcomers { note(.newcomers) }
        } onCall: { call throws(HistoryError) in
            if call == .write { noted.withLock { $0.append([]) } }
        }
        let store = HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC"))
        for person in ["Zoe", "Anna"] {
            for device in devices {
                let minutes = Self.minute - (person == "Zoe" ? 60 : 30)..<Assignment.forGood
                #expect(try await store.assign(Assignment(person: person, device: device, minutes: minutes)) == nil)
            }
        }
        // Known devices of people of whom nothing was counted before.
        for minute in [Self.minute - 50, Self.minute - 20] {
            let rows = devices.map { MinuteRow($0, minute, revision: UInt64(minute), steps: 90) }
            _ = try await store.commit(HistoryChanges(rows: rows), nowSeconds: Self.minute * 60)
        }
        let word = try #require(
            StepWord(
                start: (Self.minute - 90) * 60_000_000, end: Self.minute * 60_000_000, microSteps: 900 * StepWord.micro)
        )
        _ = try await store.commit(
            HistoryChanges(words: [WordRow(device: devices[0], word: word, epoch: 7, revision: 9)]),
            nowSeconds: Self.minute * 60)
        _ = try await store.makeDue(days: .max, nowMinute: Self.minute)
        for (verb, json) in [
            (.peopleCheckin, #"{"device":"bike-07","person":"Ben","from":1795193000}"#),
            (.peopleForget, #"{"person":"Anna"}"#), (.devicesForget, #"{"device":"watch-3"}"#),
        ] as [(RequestVerb, String)] {
            let request = try HistoryRequest(verb: verb, json: Array(json.utf8))
            _ = await HistoryAnswers(store: store).reply(to: request, nowSeconds: Double(Self.minute) * 60)
        }
        let transactions = noted.withLock(\.self)
        #expect(transactions.count { $0.first == .newcomers } > 6)
        for locks in transactions {
            #expect(!locks.dropFirst().contains(.newcomers) || locks.first == .newcomers, "\(locks)")
            let rows = locks.compactMap { lock -> Subject? in if case .row(let subject) = lock { subject } else { nil }
            }
            let firsts = rows.indices.filter { rows.firstIndex(of: rows[$0]) == $0 }.map { rows[$0] }
            #expect(firsts == firsts.sorted(), "\(firsts)")
        }
    }
}
