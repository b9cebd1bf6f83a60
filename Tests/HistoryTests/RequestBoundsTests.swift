import HookedDatabase
import Synchronization
import TestBroker
import Testing
import Watched

@testable import History
@testable import Wire

@Suite("The work for a request is bounded by its reply")
struct RequestBoundsTests {
    static let start: Int64 = 1_795_132_800 / 60
    static let now = Double(start + days * 1440) * 60
    static let days: Int64 = 12
    let bike: DeviceID = "bike-07"
    let folder = StoreFolder()

    @Test("An answer of more rows than a reply holds is refused with their number, and comes in pages with 'limit'")
    func pages() async throws {
        let store = try await filled(minutes: 1600)
        let request = HistoryRequest(
            verb: .historySeries, device: bike, from: .instant(seconds: Double(Self.start) * 60),
            to: .instant(seconds: Double(Self.start + 1600) * 60), bucket: .minute)
        await #expect {
            _ = try await store.ask(request, at: Self.now, as: Page<SeriesBucket>.self)
        } throws: { error in
            let error = try #require(error as? ReplyError)
            return error.code == .tooLarge && error.message.contains("1500")
        }
        for limit in [7, 100, PayloadLimits.rowsAPage] {
            let pages: [[SeriesBucket]] = try await store.pages(of: request, limit: limit, at: Self.now)
            #expect(pages.joined().map(\.revolutions).reduce(0, +) == 84 * 1600)
        }
    }

    @Test("No limit and no range makes an answer read more than its rows are made of")
    func rows() async throws {
        let store = try await filled(minutes: Int(Self.days) * 1440)
        let (day, long) = (
            TimePoint.instant(seconds: Self.now - 86_400), TimePoint.instant(seconds: Self.now - 400 * 86_400)
        )
        for (verb, from, bucket, limit, most) in [
            (RequestVerb.historySeries, day, Bucket.minute, 1, 10), (.historySeries, long, .minute, 1500, 1600),
            (.historySeries, long, .hour, 100, 6100), (.historySeries, long, .month, 400, 100),
            (.historyInterval, long, nil, 1, 100), (.historyDays, long, nil, 400, 500),
            (.historyActivity, long, nil, 1, 1500), (.devices, day, nil, 1, 10), (.people, day, nil, 1500, 100),
        ] as [(RequestVerb, TimePoint, Bucket?, Int, Int)] {
            let rowCount = Atomic(0)
            let database = HookedDatabase(store.database) { _, rows in rowCount.add(rows.count, ordering: .relaxed) }
            var request = HistoryRequest(verb: verb, device: bike, from: from, bucket: bucket)
            request.limit = limit
            let reply = await HistoryAnswers(store: HistoryStore(database, defaultZone: store.defaultZone))
                .reply(to: request, nowSeconds: Self.now)
            guard case .ok = reply else {
                Issue.record("\(verb): \(String(decoding: reply.encodedJSON(), as: UTF8.self))")
                continue
            }
            let count = rowCount.load(ordering: .relaxed)
            #expect(count <= most && (count > 0 || verb == .people), "\(verb) \(bucket?.rawValue ?? "")")
        }
    }

    @Test("Of check-ins that are over a config and a member read none, and of a phone that was always theirs no minute")
    func checkIns() async throws {
        let (store, end) = (try await filled(minutes: 2_000), Self.start + 2_000)
        try await store.give(.member, to: "anna")
        for minute in stride(from: Self.start, to: end, by: 10) {
            let person = minute % 20 == 0 ? "anna" : "ben"
            _ = try await store.assign(Assignment(person: person, device: bike, minutes: minute..<minute + 8))
        }
        func name(_ person: String, _ device: DeviceID, in store: HistoryStore, at minute: Int64) async throws {
            let settings = DeviceSettings(kind: "bike", person: person)
            let change = SettingsChange(device: device, settings: settings)
            _ = try await store.commit(HistoryChanges(settings: [change]), nowSeconds: minute * 60)
        }
        try await name("ben", bike, in: store, at: end)
        let read = Watched((rows: 0, minutes: 0))
        let database = HookedDatabase(store.database) { statement, rows in
            read.change { read in
                read.rows += rows.count
                if statement.sql.contains("FROM minutes") { read.minutes += 1 }
            }
        }
        let hooked = HistoryStore(database, defaultZone: store.defaultZone)
        try await name("anna", bike, in: hooked, at: end + 5)
        #expect(read.now.rows < 20)
        let own = Self.start + 100
        let json = #"{"device":"bike-07","from":\#(own * 60),"to":\#((own + 8) * 60)}"#
        #expect(await hooked.code(of: .historyInterval, json, by: "anna", at: end + 5) == nil)
        #expect(read.now.rows < 30)
        try await store.keep((0..<20).map { MinuteRow("phone-1", Self.start + $0, revolutions: 7) })
        try await store.give(.member, to: "carla")
        try await name("carla", "phone-1", in: store, at: end)
        read.change { $0 = (0, 0) }
        let page: Page<DeviceEntry> = try await hooked.ask(.devices, "{}", by: "carla")
        #expect(page.rows.map(\.revolutions) == [140] && read.now.minutes == 0)
    }

    @Test("A bike that is forgotten goes through its own check-ins and no other bike's")
    func forgettingABike() async throws {
        let store = try await filled(minutes: 2_000)
        for number in 0..<10 {
            for minute in stride(from: Self.start, to: Self.start + 2_000, by: 20) {
                let person = "rider \((minute / 20 + Int64(number)) % 20)"
                let device = DeviceID("bike-0\(number)")
                _ = try await store.assign(Assignment(person: person, device: device, minutes: minute..<minute + 10))
            }
        }
        _ = try await store.makeDue(days: .max, nowMinute: Self.start + 2_000)
        let read = Watched(0)
        let database = HookedDatabase(store.database) { statement, rows in
            if statement.sql.contains("FROM assignments") { read.change { $0 += rows.count } }
        }
        let hooked = HistoryStore(database, defaultZone: store.defaultZone)
        let forgotten: ForgetData = try await hooked.ask(.devicesForget, #"{"device":"bike-07"}"#, at: Self.now)
        #expect(forgotten.minutes == 2_000 && read.now < 2_000)
        #expect(try await store.record(of: .person("rider 3"))?.counts == nil)
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
            let error = try #require(reply.refusal)
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
        let goals = Goals(
            stepsPerDay: 1_000_000, activeMinutesPerWeek: 10_080, ridesPerWeek: 1_000, weekStarts: .saturday)
        let person = PersonEntry {
            ($0.person, $0.alias, $0.daySteps) = (name, name, .max)
            $0.progress = GoalProgress(goals, steps: .max, weekActiveMilliseconds: .max, weekRides: .max)
        }
        for row in [bucket.encodedJSON(), device.encodedJSON(), person.encodedJSON()] {
            #expect(row.count < PayloadLimits.maximumRowBytes)
        }
    }

    @Test("Health has the time that answers took, and that of the slowest of the last hour by verb")
    func costs() {
        var costs = RequestCosts()
        costs.note(milliseconds: 70, of: .historySeries, nowSeconds: 0)
        costs.note(milliseconds: 5, of: .historySeries, nowSeconds: 1800)
        costs.note(milliseconds: 3, of: .devices, nowSeconds: 1800)
        func value(_ name: String, _ nowSeconds: Double) -> UInt64? {
            costs.counters(nowSeconds: nowSeconds).first { $0.name == name }?.value
        }
        #expect(value("requests_ms", 1800) == 78 && value("dearest_history_series_ms", 1800) == 70)
        #expect(value("dearest_history_series_ms", 3900) == 5 && value("dearest_devices_ms", 3900) == 3)
        #expect(value("dearest_history_series_ms", 6000) == nil && value("requests_ms", 6000) == 78)
    }

    private func filled(minutes: Int) async throws -> HistoryStore {
        let store = try folder.store()
        for first in stride(from: 0, to: minutes, by: 5_000) {
            try await store.keep(
                (first..<min(minutes, first + 5_000)).map { minute in
                    MinuteRow(bike, Self.start + Int64(minute), revolutions: 84) {
                        $0.activeMilliseconds = 60_000
                        $0.counts[minute % 2 == 0 ? .cycling : .stationary] = 60_000
                    }
                })
        }
        return store
    }
}
