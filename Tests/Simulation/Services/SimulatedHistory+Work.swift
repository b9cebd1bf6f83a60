import History
import HookedDatabase
import Synchronization
import Wire

/// The calls of the database after which the process ends: before or after one of its transactions.
private final class Life: Sendable {
    private let callsLeft: Atomic<Int>
    var hasEnded: Bool { callsLeft.load(ordering: .relaxed) < 0 }

    init(calls: Int) { callsLeft = Atomic(calls) }

    func call() throws(HistoryError) {
        guard callsLeft.subtract(1, ordering: .relaxed).newValue >= 0 else { throw .closed }
    }
}

/// What history does beside the keeping of counts.
extension HistoryWorld {
    /// The store, as the process sees it that may end at any of its transactions.
    private func store() throws -> (HistoryStore, Life) {
        let ends = system.random.chance(system.rates.processCrash * Self.transactionsAWork)
        let life = Life(calls: ends ? system.random.below(Self.longestWork) : .max)
        let database = HookedDatabase(
            system.historyStore.database, onCall: { _ throws(HistoryError) in try life.call() })
        return (HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC")), life)
    }

    /// What fails because the process has ended is its end.
    private func living<Result>(_ body: (HistoryStore) async throws -> Result) async throws -> Result {
        try mayEnd()
        let (store, life) = try store()
        do {
            let result = try await body(store)
            if life.hasEnded { throw SimulatedCrash() }
            return result
        } catch {
            throw life.hasEnded ? SimulatedCrash() : error
        }
    }

    /// Answers a request, and does what the answer means.
    func answer(_ request: HistoryRequest) async throws -> HistoryAnswer {
        let nowSeconds = Double(system.now) / 1e6
        let answer = try await living { store in
            guard system.mutant == .takesDaysOffTwice, request.verb == .peopleForget else {
                return await HistoryAnswers(store: store).answer(request, nowSeconds: nowSeconds)
            }
            let tables = ["minutes", "assignments"]
            for table in tables {
                try await change([
                    "DROP TABLE IF EXISTS old_\(table)", "CREATE TABLE old_\(table) AS SELECT * FROM \(table)",
                ])
            }
            _ = await HistoryAnswers(store: store).answer(request, nowSeconds: nowSeconds)
            for table in tables { try await change(["INSERT OR IGNORE INTO \(table) SELECT * FROM old_\(table)"]) }
            return await HistoryAnswers(store: store).answer(request, nowSeconds: nowSeconds)
        }
        system.historyHasChanged = true
        totals.change(answer.changed)
        if answer.hasErasures { hasErasures = true }
        hasDue = true
        return answer
    }

    /// Changes the store as a mutant does.
    private func change(_ statements: [String]) async throws {
        try await system.historyStore.database.write { session in
            for statement in statements { try session.change(statement) }
        }
    }

    /// Brings on its way what is due: orders to forget, and retained totals.
    func work() async throws {
        if hasErasures { try await sendErasures() }
        if !cleared.isEmpty {
            try await living { try await $0.noteCleared(cleared) }
            cleared = []
        }
        // The service publishes no totals before the broker has those before them.
        guard clearing.isEmpty else { return }
        let due = totals.takeDue(nowSeconds: Double(system.nowSeconds)).sorted()
        guard !due.isEmpty else { return }
        let messages = try await living {
            try await $0.totalsMessages(of: due, nowSeconds: Double(system.now) / 1e6, topics: topics)
        }
        for subject in due {
            guard let message = messages[subject] else { continue }
            let retained = message.messages.map { system.message(.retained($0.topic), $0.payload) }
            for message in retained { publisher.publish(message) }
            // The broker confirms in order: with the last it has all.
            if message.isClearing, let last = retained.last { clearing[last.id] = subject }
        }
    }

    /// Carries out what is to be erased, and sends it to the counter until the broker has it.
    private func sendErasures() async throws {
        try await living { store in
            for message in erasures.keys.sorted() where confirmed.contains(message) {
                if let erasure = erasures.removeValue(forKey: message) { try await store.noteSent(erasure) }
                confirmed.remove(message)
            }
            let unsent = try await store.unsentErasures()
            hasErasures = !unsent.isEmpty
            for erasure in unsent where !erasures.values.contains(where: { $0.id == erasure.id }) {
                var changed: Set<Subject> = []
                _ = try await store.carryOut(erasure, isResumed: true, changed: &changed)
                totals.change(changed)
                let order = system.message(.forget(Partition(of: erasure.device)), erasure.command.encoded())
                if system.mutant != .keepsErasuresToItself {
                    publisher.publish(order)
                } else {
                    confirmed.insert(order.id)
                }
                erasures[order.id] = erasure
            }
        }
        system.historyHasChanged = true
    }

    func note(_ outcome: CommitOutcome) {
        totals.change(outcome.changedSubjects)
        hasDue = true
    }

    /// So many transactions, each of which may be the last, has a piece of work at most.
    private static let longestWork = 12
    private static let transactionsAWork = 6.0
}
