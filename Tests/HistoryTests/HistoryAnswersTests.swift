import History
import Seeded
import TestBroker
import Testing

@testable import Wire

@Suite("Answers from the store")
struct HistoryAnswersTests {
    let bike: DeviceID = "bike-07"
    let folder = StoreFolder()
    /// 2026-11-20T17:30:00Z
    let now = 1_795_195_800.0

    @Test("A series of minutes is what the contract shows")
    func minutes() async throws {
        let reply = try await ask(
            .historySeries,
            #"{"device":"bike-07","from":"2026-11-20T17:00:00Z","to":"2026-11-20T17:02:00Z","bucket":"minute","transaction":"a1"}"#
        )
        let expected = """
            {"status":"ok","transaction":"a1","data":{"device":"bike-07","zone":"UTC","bucket":"minute","buckets":[\
            {"start":1795194000,"steps":0,"revolutions":84,"distance_m":420,"active_s":60,\
            "covered_s":60,"cadence_avg_rpm":84,"cadence_min_rpm":80,"cadence_max_rpm":90},\
            {"start":1795194060,"steps":0,"revolutions":84,"distance_m":420,"active_s":60,\
            "covered_s":60,"cadence_avg_rpm":84,"cadence_min_rpm":80,"cadence_max_rpm":90}]}}
            """
        #expect(reply == expected)
    }

    @Test("An interval says which whole minutes it is about")
    func interval() async throws {
        let reply = try await ask(
            .historyInterval, #"{"device":"bike-07","from":"2026-11-20T16:59:30Z","to":"2026-11-20T17:00:30Z"}"#)
        let expected = """
            {"status":"ok","data":{"device":"bike-07","from":1795193940,"to":1795194060,"steps":0,"revolutions":84,\
            "distance_m":420,"active_s":60,"covered_s":60,"strides":0,"distance_active_s":60,\
            "cadence_avg_rpm":84,"cadence_min_rpm":80,"cadence_max_rpm":90,"pace_avg_s_per_m":0.1429,"speed_avg_m_per_s":7,\
            "resolution_s":60,"partial_minute":true}}
            """
        #expect(reply == expected)
    }

    @Test("Cadence is averaged over time, not over minutes, and its lowest and highest are kept")
    func cadence() async throws {
        let store = try await filled()
        let slow = MinuteRow(bike, 1_795_194_000 / 60 + 30, revision: 99, revolutions: 20) {
            $0.cadence = RateSum(integral: 60 * 20, seconds: 20, minimum: 55, maximum: 65)
            $0.activeMilliseconds = 20_000
        }
        try await store.keep([slow])
        let data = try await interval(from: 1_795_195_740, to: 1_795_195_860, in: store)
        #expect(data.rpm == CadenceFigures(average: (84 * 60 + 60 * 20) / 80, minimum: 55, maximum: 90))
        #expect(data.spm == nil)
        #expect(!data.cutsResolution)
        #expect(data.now == MomentaryFigures(cadenceRPM: 60))
    }

    @Test("Where the length of a turn was not known all the while, speed and pace are those of the rest")
    func partlyKnownLength() async throws {
        let store = try await filled()
        try await store.keep(
            (30..<40).map {
                MinuteRow(bike, 1_795_194_000 / 60 + $0, revision: 99, revolutions: 84) {
                    $0.activeMilliseconds = 60_000
                }
            })
        let data = try await interval(from: 1_795_194_000, to: 1_795_197_600, in: store)
        #expect(data.revolutions == 84 * 40)
        #expect(data.activeSeconds == 40 * 60)
        #expect(data.distanceActiveSeconds == 1800)
        #expect(data.speedAverageMetresPerSecond == 7)
        #expect(data.paceAverageSecondsPerMetre == 0.1429)
        let unknown = try await interval(from: 1_795_195_800, to: 1_795_196_400, in: store)
        #expect(unknown.revolutions == 84 * 10)
        #expect(unknown.distanceActiveSeconds == nil)
        #expect(unknown.speedAverageMetresPerSecond == nil)
        #expect(unknown.paceAverageSecondsPerMetre == nil)
    }

    @Test("What is so now is told only of an interval that reaches up to now")
    func momentary() async throws {
        let store = try await filled()
        let figures = MomentaryFigures(cadenceRPM: 84, paceSecondsPerMetre: 0.1429, speedMetresPerSecond: 7)
        #expect(try await interval(from: 1_795_194_000, in: store).now == figures)
        #expect(try await interval(from: 1_795_194_000, to: 1_795_195_200, in: store).now == MomentaryFigures())
    }

    @Test(
        "Intervals that follow each other at whole minutes count every minute once; one that cuts minutes has all of them"
    )
    func intervalsTile() async throws {
        let store = try await filled()
        var random = SeededGenerator(seed: 4)
        var cut = 1_795_193_000.0
        var sum: UInt64 = 0
        while cut < 1_795_196_000 {
            let next = cut + Double.random(in: 1...400, using: &random)
            let interval = try await interval(from: cut, to: next, in: store)
            #expect(interval.cutsResolution)
            #expect(interval.from <= cut && interval.to >= next)
            sum += interval.revolutions
            cut = interval.to
        }
        #expect(sum == 84 * 30)
    }

    @Test("Days are the device's own, those without data are zeros, today is last and not final")
    func days() async throws {
        let store = try await filled()
        try await store.setZone(bike, "Asia/Tokyo", nowSeconds: Int64(now))
        let days = try await store.ask(.historyDays, #"{"device":"bike-07"}"#, at: now, as: Page<DayTotals>.self).rows
        #expect(days.map(\.date) == (15...21).map { "2026-11-\($0)" })
        #expect(days.map(\.revolutions) == [0, 0, 0, 0, 0, 0, 84 * 30])
        #expect(days.map(\.isFinal) == [true, true, true, true, true, true, false])
        #expect(days.allSatisfy { $0.zone == "Asia/Tokyo" })
    }

    @Test("A day is final when it has been over for an hour")
    func grace() async throws {
        let store = try await filled()
        // 2026-11-21T00:59:59Z and a second later.
        for (seconds, isFinal) in [(1_795_222_799.0, false), (1_795_222_800, true)] {
            let days = try await store.ask(
                .historyDays, #"{"device":"bike-07"}"#, at: seconds, as: Page<DayTotals>.self
            ).rows
            #expect(days.suffix(2).map(\.isFinal) == [isFinal, false])
        }
    }

    @Test("Data that comes late raises the revision of its own day in the reply, and of no other")
    func revised() async throws {
        let store = try await filled()
        let (later, days) = (now + 2 * 86_400, #"{"device":"bike-07"}"#)
        let before = try await store.ask(.historyDays, days, at: later, as: Page<DayTotals>.self).rows
        try await store.keep([MinuteRow(bike, 1_795_194_000 / 60 + 45, revision: 50, revolutions: 9)])
        let after = try await store.ask(.historyDays, days, at: later, as: Page<DayTotals>.self).rows
        for (one, other) in zip(before, after) {
            let isLate = one.date == "2026-11-20"
            #expect((other.revision > one.revision) == isLate)
            #expect(other.revolutions == one.revolutions + (isLate ? 9 : 0))
        }
        #expect(after.contains { $0.date == "2026-11-20" && $0.isFinal })
    }

    @Test(
        "Of a device that nobody knows nothing is known: zeros, no error",
        arguments: [
            RequestVerb.historyDays, .historyInterval, .historySeries,
        ])
    func unknownDevice(verb: RequestVerb) async throws {
        let reply = try await ask(verb, #"{"device":"nobody"}"#)
        #expect(reply.hasPrefix(#"{"status":"ok""#))
        #expect(reply.contains(#""covered_s":0"#))
    }

    @Test(
        "What cannot be answered says why and what to do",
        arguments: [
            (RequestVerb.historyDays, #"{}"#, "bad_request", "'device' is missing"),
            (
                .historyInterval, #"{"device":"b","from":"2026-11-20T18:00Z","to":"2026-11-20T17:00Z"}"#, "bad_request",
                "'to' (2026-11-20T17:00:00Z) is not after 'from' (2026-11-20T18:00:00Z)"
            ),
            (.historyDays, #"{"device":"b","from":"2026-11-20","to":"2026-11-20"}"#, "bad_request", "is not after"),
            (.historyDays, #"{"device":"b","from":"2020-11-20"}"#, "too_large", "'limit'"),
            (.historySeries, #"{"device":"b","from":"2020-01-01","bucket":"minute"}"#, "too_large", "wider buckets"),
            (.historySeries, #"{"device":"b","zone":"Mars/Olympus"}"#, "bad_request", "Europe/Berlin"),
            (.historySeries, #"{"device":"b","cursor":"zzz"}"#, "bad_request", "'cursor'"),
            (.historyActivity, #"{}"#, "bad_request", "'device' is missing"),
            (.historyDays, #"{"device":"bike-07","person":"Anna"}"#, "bad_request", "not both"),
            (.workoutsStart, #"{"device":"bike-07","person":"Anna"}"#, "bad_request", "not both"),
            (.peopleConfigure, #"{"person":"Anna","born":1899}"#, "bad_request", "'born'"),
            (.peopleConfigure, #"{"person":"Anna","born":2027}"#, "bad_request", "'born'"),
            (.peopleCheckin, #"{"device":"b"}"#, "bad_request", "'person' is missing"),
            (.peopleCheckout, #"{"device":"b"}"#, "bad_request", "no person is checked in"),
            (.peopleForget, #"{}"#, "bad_request", "'person' is missing"),
            (.devicesForget, #"{}"#, "bad_request", "'device' is missing"),
            (.devicesConfigure, #"{"device":"b"}"#, "bad_request", "'config' is missing"),
            (
                .devicesConfigure, #"{"device":"b","config":{"kind":"bicycle"}}"#, "bad_request",
                #"'kind' is \"bicycle\": give bike, wearable or unknown"#
            ),
            (
                .devicesConfigure, #"{"device":"b","config":{"plcement":"wrist"}}"#, "bad_request",
                "there is no 'plcement'"
            ),
            (.devicesConfigure, #"{"device":"b","config":{"zone":"Mars/Base"}}"#, "bad_request", "Europe/Berlin"),
            (.capabilities, #"{}"#, "bad_request", "'device' is missing"),
        ])
    func errors(verb: RequestVerb, payload: String, code: String, words: String) async throws {
        let reply = try await ask(verb, payload)
        #expect(reply.hasPrefix(#"{"status":"error","error":{"code":"\#(code)""#))
        #expect(reply.contains(words))
    }

    @Test("Devices are listed by their ids, in pages")
    func devices() async throws {
        let store = try await filled()
        try await store.keep((10..<15).map { MinuteRow("watch-\($0)", 29_900_000) })
        // What has a config alone takes no place of a page.
        for number in 1...9 {
            try await store.set("told-\(number)", DeviceSettings(DeviceConfig()), nowSeconds: Int64(now))
        }
        let pages: [[DeviceEntry]] = try await store.pages(of: HistoryRequest(verb: .devices), limit: 4, at: now)
        #expect(
            pages.map { $0.map(\.device.description) } == [
                ["bike-07", "watch-10", "watch-11", "watch-12"], ["watch-13", "watch-14"],
            ])
        #expect(pages[0][0].revolutions == 84 * 30)
        #expect(pages[0][0].firstT == 1_795_194_000)
    }

    /// Half an hour of riding from 17:00Z, at 84 revolutions a minute.
    private func filled() async throws -> HistoryStore {
        let store = try folder.store()
        try await store.keep(
            (0..<30 as Range<Int64>).map { minute in
                MinuteRow(bike, 1_795_194_000 / 60 + minute, revision: UInt64(minute) + 1, revolutions: 84) {
                    ($0.distanceMillimetres, $0.activeMilliseconds) = (420_000, 60_000)
                    $0.cadence = RateSum(integral: 84 * 60, seconds: 60, minimum: 80, maximum: 90)
                }
            })
        return store
    }

    private func interval(from: Double, to: Double? = nil, in store: HistoryStore) async throws -> IntervalData {
        let request = HistoryRequest(
            verb: .historyInterval, device: bike, from: .instant(seconds: from), to: to.map { .instant(seconds: $0) })
        return try await store.ask(request, at: now)
    }

    private func ask(_ verb: RequestVerb, _ payload: String) async throws -> String {
        let request = try HistoryRequest(verb: verb, json: Array(payload.utf8))
        let answers = HistoryAnswers(store: try await filled())
        return String(decoding: await answers.reply(to: request, nowSeconds: now).encodedJSON(), as: UTF8.self)
    }
}
