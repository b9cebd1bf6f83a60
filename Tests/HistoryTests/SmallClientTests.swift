import History
import Testing
import Wire

@Suite("Clients with little memory")
struct SmallClientTests {
    let bike: DeviceID
    let folder: TemporaryFolder
    static let start: Int64 = 1_795_194_000 / 60

    init() throws {
        bike = try DeviceID("bike-07")
        folder = try TemporaryFolder()
    }

    @Test(
        "A day's minutes come whole in replies of at most 256 bytes, named or compact",
        arguments: [true, false], [160, 256, 2000])
    func pages(isCompact: Bool, maximum: Int) async throws {
        let store = try await filled()
        var request = HistoryRequest(
            verb: .historySeries, device: bike, from: .instant(seconds: Double(Self.start) * 60),
            to: .instant(seconds: Double(Self.start + 90) * 60), bucket: .minute, transaction: .text("a1"))
        request.maximumReplyBytes = maximum
        request.isCompact = isCompact
        guard isCompact || maximum > 256 else {
            request.bucket = .hour
            return try await tooLargeOrFits(store, request)
        }
        var revolutions: UInt64 = 0
        var count = 0
        repeat {
            let data = try await data(store, request)
            if isCompact {
                let page = try CompactData(json: data)
                revolutions += page.rows.reduce(0) { $0 + ($1[2].unsignedInteger ?? 0) }
                request.cursor = page.cursor
            } else {
                let page = try SeriesData(json: data)
                revolutions += page.buckets.reduce(0) { $0 + $1.revolutions }
                request.cursor = page.cursor
            }
            count += 1
        } while request.cursor != nil && count < 200
        #expect(revolutions == 90 * 84)
    }

    @Test("An error, too, is no longer than was asked for")
    func errors() async throws {
        var request = HistoryRequest(verb: .historyDays, device: bike, zone: "Mars/Olympus", transaction: .text("abc"))
        request.maximumReplyBytes = 128
        let answers = HistoryAnswers(store: try folder.store())
        let reply = await answers.reply(to: request, nowSeconds: Double(Self.start) * 60)
        #expect(reply.encodedJSON().count <= 128)
        guard case .error(_, let error) = reply else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .badRequest)
    }

    @Test("Every verb with records has a compact form with as many rows")
    func forms() async throws {
        let store = try await filled()
        for (verb, columns) in [
            (RequestVerb.historyDays, 7), (.historySeries, 7), (.historyInterval, 8), (.historyActivity, 6),
            (.devices, 6), (.people, 6),
        ] {
            var request = HistoryRequest(verb: verb, device: bike)
            request.person = "Anna"
            request.isCompact = true
            let rows = try CompactData(json: try await data(store, request)).rows
            #expect(!rows.isEmpty && rows.allSatisfy { $0.count == columns }, "\(verb)")
        }
    }

    private func tooLargeOrFits(_ store: HistoryStore, _ request: HistoryRequest) async throws {
        let answers = HistoryAnswers(store: store)
        let reply = await answers.reply(to: request, nowSeconds: Double(Self.start) * 60)
        #expect(reply.encodedJSON().count <= request.maximumReplyBytes ?? 0)
        if case .error(_, let error) = reply {
            #expect(error.code == .tooLarge)
            #expect(error.message.contains("compact"))
        }
    }

    private func filled() async throws -> HistoryStore {
        let store = try folder.store()
        _ = try await store.keep(
            (0..<90 as Range<Int64>).map { minute in
                var row = MinuteTotals(device: bike, minute: Self.start + minute, epoch: 1, revision: 1)
                row.revolutions = 84
                row.activeMilliseconds = 60_000
                row.coveredMilliseconds = 60_000
                row.activityMilliseconds[Int(ActivityKind.cycling.rawValue)] = 60_000
                return row
            })
        return store
    }

    private func data(_ store: HistoryStore, _ request: HistoryRequest) async throws -> [UInt8] {
        let answers = HistoryAnswers(store: store)
        let reply = await answers.reply(to: request, nowSeconds: Double(Self.start + 90) * 60)
        #expect(reply.encodedJSON().count <= request.maximumReplyBytes ?? .max)
        switch reply {
        case .ok(_, let data): return data
        case .error(_, let error): throw error
        }
    }
}
