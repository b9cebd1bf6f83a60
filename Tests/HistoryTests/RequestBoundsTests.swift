import Synchronization
import Testing

@testable import History
@testable import Wire

@Suite("The work for a request is bounded by its reply")
struct RequestBoundsTests {
    static let start: Int64 = 1_795_132_800 / 60
    static let now = Double(start + days * 1440) * 60
    static let days: Int64 = 12
    let bike: DeviceID
    let folder: TemporaryFolder

    init() throws {
        bike = try DeviceID("bike-07")
        folder = try TemporaryFolder()
    }

    @Test("An answer of more rows than a reply holds is refused with their number, and comes in pages with 'limit'")
    func pages() async throws {
        let store = try await filled(minutes: 1600)
        var request = HistoryRequest(
            verb: .historySeries, device: bike, from: .instant(seconds: Double(Self.start) * 60),
            to: .instant(seconds: Double(Self.start + 1600) * 60), bucket: .minute)
        await #expect {
            _ = try await store.ask(request, at: Self.now, as: SeriesData.self)
        } throws: { error in
            let error = try #require(error as? ReplyError)
            return error.code == .tooLarge && error.message.contains("1500")
        }
        for limit in [1, 7, PayloadLimits.rowsAPage] {
            request.limit = limit
            request.cursor = nil
            var (revolutions, pages) = (UInt64(0), 0)
            repeat {
                let page = try await store.ask(request, at: Self.now, as: SeriesData.self)
                #expect(page.buckets.count <= limit)
                revolutions += page.buckets.reduce(0) { $0 + $1.revolutions }
                request.cursor = page.cursor
                pages += 1
            } while request.cursor != nil && pages < 40
            #expect(revolutions == 84 * UInt64(min(1600, limit * pages)))
        }
    }

    @Test("No limit and no range makes an answer read more than its rows are made of")
    func rows() async throws {
        let store = try await filled(minutes: Int(Self.days) * 1440)
        let whole = Self.days * 1440
        let (day, long) = (
            TimePoint.instant(seconds: Self.now - 86_400), TimePoint.instant(seconds: Self.now - 400 * 86_400)
        )
        for (verb, from, bucket, limit, most) in [
            (RequestVerb.historySeries, day, Bucket.minute, 1, 10), (.historySeries, long, .minute, 1500, 1600),
            (.historySeries, long, .hour, 100, 6100), (.historySeries, long, .month, 400, Int(whole) + 100),
            (.historyInterval, long, nil, 1, Int(whole) + 100), (.historyDays, long, nil, 400, 500),
            (.historyActivity, long, nil, 1, 1500), (.devices, day, nil, 1, 10), (.people, day, nil, 1500, 100),
        ] as [(RequestVerb, TimePoint, Bucket?, Int, Int)] {
            let measured = MeasuredDatabase(store.database)
            var request = HistoryRequest(verb: verb, device: bike, from: from, bucket: bucket)
            request.limit = limit
            let reply = await HistoryAnswers(store: HistoryStore(measured, defaultZone: store.defaultZone)).reply(
                to: request, nowSeconds: Self.now)
            guard case .ok = reply else {
                Issue.record("\(verb): \(String(decoding: reply.encodedJSON(), as: UTF8.self))")
                continue
            }
            #expect(measured.rowCount <= UInt64(most), "\(verb) \(bucket?.rawValue ?? "")")
            #expect(measured.rowCount > 0 || verb == .people, "\(verb)")
        }
    }

    @Test("An answer that nobody waits for ends before it is read", arguments: RequestVerb.allCases)
    func overtime(verb: RequestVerb) async throws {
        let store = try await filled(minutes: 100)
        let checkIn = HistoryRequest(verb: .peopleCheckin, device: bike, person: "Anna")
        _ = try await store.ask(checkIn, at: Self.now, as: AssignmentData.self)
        var answers = HistoryAnswers(store: store)
        answers.isOver = { true }
        let request = HistoryRequest(
            verb: verb, device: verb == .people ? nil : bike, from: .localDate(year: 2026, month: 11, day: 1),
            zone: "Asia/Kolkata")
        let reply = await answers.reply(to: request, nowSeconds: Self.now)
        switch verb {
        case .historyDays, .historyInterval, .historySeries, .historyActivity, .people:
            guard case .error(_, let error) = reply else {
                Issue.record("\(verb) was answered")
                return
            }
            #expect(error.code == .tooLarge && error.message.contains("10 s"), "\(error.message)")
        default: break
        }
    }

    @Test("A page of the longest rows is no larger than a reply may be")
    func largest() {
        let name = String(repeating: "\"", count: PayloadLimits.maximumTextBytes)
        let figures = CadenceFigures(average: 999.99, minimum: 999.99, maximum: 999.99)
        let counts = Counts(Dictionary(uniqueKeysWithValues: Amount.ofDays.map { ($0, .max) }))
        let bucket = SeriesBucket {
            ($0.start, $0.counts, $0.rpm, $0.spm) = (PayloadLimits.timeSeconds.upperBound, counts, figures, figures)
        }
        let device = DeviceEntry {
            $0.device = try! DeviceID(String(repeating: "a", count: DeviceID.maximumBytes))
            ($0.name, $0.placement, $0.zone) = (name, "unknown", String(repeating: "Z", count: 64))
            ($0.firstT, $0.lastT) = (PayloadLimits.timeSeconds.upperBound, PayloadLimits.timeSeconds.upperBound)
            ($0.steps, $0.revolutions, $0.isNew) = (.max, .max, true)
        }
        let person = PersonEntry { ($0.person, $0.alias) = (name, name) }
        for row in [bucket.encodedJSON(), device.encodedJSON(), person.encodedJSON()] {
            #expect(row.count < PayloadLimits.maximumRowBytes)
        }
    }

    private func filled(minutes: Int) async throws -> HistoryStore {
        let store = try folder.store()
        for first in stride(from: 0, to: minutes, by: 5_000) {
            _ = try await store.keep(
                (first..<min(minutes, first + 5_000)).map { minute in
                    var row = MinuteRow(device: bike, minute: Self.start + Int64(minute), epoch: 1, revision: 1)
                    row.revolutions = 84
                    row.activeMilliseconds = 60_000
                    row.coveredMilliseconds = 60_000
                    row.counts[minute % 2 == 0 ? .cycling : .stationary] = 60_000
                    return row
                })
        }
        return store
    }
}

/// A database that counts the rows that are read from it, those that sums are made of among them.
private final class MeasuredDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let count = Atomic<UInt64>(0)

    init(_ database: any SQLDatabase) { self.database = database }

    var rowCount: UInt64 { count.load(ordering: .relaxed) }
    var name: String { database.name }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.write(work)
    }

    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await database.read(isSnapshot: isSnapshot) { session in
            try work(MeasuredSession(session: session, database: self))
        }
    }

    func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {}
    func dropEmptyMonths(before minute: Int64) async throws(HistoryError) -> Int { 0 }
    func close() async {}

    fileprivate func note(_ rows: Int64) { count.wrappingAdd(UInt64(clamping: rows), ordering: .relaxed) }
}

private struct MeasuredSession: SQLSession {
    let session: any SQLSession
    let database: MeasuredDatabase

    var forUpdate: String { session.forUpdate }

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        let results = try session.execute(statements)
        for result in results { database.note(Int64(result.rows.count)) }
        return results
    }

    func run(script: String) throws { try session.run(script: script) }
    func lock(_ lock: SQLLock) throws { try session.lock(lock) }

    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        let rows = try session.find(columns, in: table, keys)
        database.note(Int64(rows.count { $0 != nil }))
        return rows
    }

    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws { try session.upsert(rows, into: table) }

    /// Asks for the number of rows in each sum as well, in a last column that nobody else reads.
    func aggregate(
        _ columns: String, of table: String, at column: String, subject: Int64, in ranges: [Range<Int64>]
    ) throws -> [SQLRow] {
        let rows = try session.aggregate("\(columns), count(*)", of: table, at: column, subject: subject, in: ranges)
        for row in rows { database.note(row.lastNumber ?? 0) }
        return rows
    }
}
