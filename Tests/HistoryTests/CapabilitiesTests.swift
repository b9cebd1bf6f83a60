import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("What is available on a device", .timeLimit(.minutes(5)))
struct CapabilitiesTests {
    @Test("Of a device that was never heard nothing is available, and it is told why")
    func unanswered() async throws {
        let data = try await capabilities(nil)
        for capability in Capability.allCases {
            guard case .unavailable(let why) = data.availabilities[capability] else {
                Issue.record("\(capability) is available")
                continue
            }
            #expect(!why.isEmpty && why.utf8.count <= PayloadLimits.maximumTextBytes)
        }
    }

    @Test("A bike has revolutions and no steps; with a length of a turn or a stride a device has distance and pace")
    func bike() async throws {
        let short = try await capabilities(DeviceSettings(kind: "bike")) { _ in }
        #expect(short[.revolutions] && short[.cadence] && short[.events] && short[.activity])
        #expect(!short[.steps] && !short[.distance] && !short[.pace] && !short[.floors])
        var settings = DeviceSettings(kind: "bike")
        settings.knowsRevolutionLength = true
        let long = try await capabilities(settings) { _ in }
        #expect(long[.distance] && long[.pace])
        var wearable = DeviceConfig()
        (wearable.kind, wearable.metresPerStride) = (.wearable, 1.4)
        let walker = try await capabilities(DeviceSettings(wearable)) { _ in }
        #expect(walker[.distance] && walker[.pace] && walker[.steps] && walker.kind == .wearable)
    }

    @Test("A strap alone counts nothing that moves, and it is told why")
    func strap() async throws {
        let data = try await capabilities(nil) {
            $0.coveredMilliseconds = 0
            $0.heart = RateSum(integral: 60 * 130, seconds: 60, minimum: 130, maximum: 130)
        }
        for capability in [Capability.steps, .revolutions, .cadence, .events, .activity, .distance, .pace] {
            #expect(!data[capability], "\(capability)")
        }
        guard case .unavailable(let why)? = data.availabilities[.revolutions] else { return }
        #expect(why.contains("heart rate") && why.utf8.count <= PayloadLimits.maximumTextBytes)
    }

    @Test("What was counted once is available, whatever the operator says")
    func counted() async throws {
        let wearable = DeviceSettings(kind: "wearable")
        #expect(!(try await capabilities(wearable) { _ in })[.revolutions])
        let data = try await capabilities(wearable) { ($0.revolutions, $0.distanceMillimetres) = (1, 1) }
        #expect(data[.revolutions] && data[.steps] && data[.distance])
    }

    @Test(
        "What the messages of a device cannot tell is unavailable, with the reason, though it was counted once",
        arguments: [
            (#""sensors":["acc","gyro"],"rate_hz":50"#, [], ""),
            (#""sensors":["acc"],"rate_hz":5"#, [.steps, .revolutions, .cadence, .events, .activity], "5.0 a second"),
            (#""sensors":["gyro"],"rate_hz":50"#, [.steps], "no acceleration"),
            (#""self_counted":"steps""#, [.revolutions, .cadence, .events, .activity], "publish frames on imu"),
            (#""self_counted":"cadence""#, [.steps], "counts crank revolutions"),
            (#""sensors":["acc"],"rate_hz":5,"self_counted":"revolutions""#, [.steps], "5.0 a second"),
        ] as [(String, Set<Capability>, String)])
    func lacks(fields: String, unavailable: Set<Capability>, words: String) async throws {
        let json = #"{"t":1,"ok":true,"accepted":1,"duplicate":0,"late":0,"missing":0,"refused":0,\#(fields)}"#
        var health = try DeviceHealth(json: Array(json.utf8))
        health.note = "no gyroscope: revolutions are counted less surely"
        let data = try await capabilities(nil, health: health) { ($0.steps, $0.revolutions) = (1, 1) }
        #expect(data.note == health.note)
        for capability in [Capability.steps, .revolutions, .cadence, .events, .activity] {
            #expect(data[capability] != unavailable.contains(capability), "\(capability)")
        }
        let reasons = unavailable.compactMap { capability -> String? in
            if case .unavailable(let why)? = data.availabilities[capability] { why } else { nil }
        }
        #expect(reasons.allSatisfy { $0.utf8.count <= PayloadLimits.maximumTextBytes })
        #expect(words.isEmpty || reasons.contains { $0.contains(words) }, "\(reasons)")
    }

    @Test("The bus is asked: a device whose retained health says that its samples come too slowly counts no steps")
    func overTheBus() async throws {
        try await withScope { scope in
            let device: DeviceID = "watch-3"
            var health = DeviceHealth(t: 1_795_194_000, ok: false, problem: "samples come too slowly to count")
            (health.sensors, health.rateHz) = (["acc"], 4)
            try await scope.publish(.device(device, .health), health.encodedJSON(), retain: true)
            try await scope.withHistory(now: { 1_795_194_010 }) {
                // The answer to a question that comes before the retained health is the one without it.
                while true {
                    let reply = try await scope.answer(to: .capabilities, #"{"device":"watch-3"}"#)
                        .data(CapabilitiesData.self)
                    if case .unavailable(let why)? = reply.availabilities[.steps], why.contains("4.0 a second") {
                        break
                    }
                }
            }
        }
    }

    @Test("Floors are available where a barometer has spoken, but not on a bike")
    func floors() async throws {
        #expect(!(try await capabilities(nil) { _ in })[.floors])
        #expect(try await capabilities(nil) { $0.floors = FloorCounts() }[.floors])
        #expect(!(try await capabilities(DeviceSettings(kind: "bike")) { $0.floors = FloorCounts() })[.floors])
    }

    @Test("The zone is the device's own, else the one of devices that name none, else the one that is asked for")
    func zone() async throws {
        let folder = StoreFolder()
        let store = try HistoryStore.sqlite(directory: folder.path, defaultZone: "Europe/Berlin")
        let watch: DeviceID = "watch-3"
        func zone(_ json: String) async throws -> String? {
            try await store.ask(.capabilities, json, at: 0, as: CapabilitiesData.self).zone
        }
        #expect(try await zone(#"{"device":"watch-3"}"#) == "Europe/Berlin")
        try await store.setZone(watch, "Asia/Kathmandu", nowSeconds: 0)
        #expect(try await zone(#"{"device":"watch-3"}"#) == "Asia/Kathmandu")
        #expect(try await zone(#"{"device":"watch-3","zone":"UTC"}"#) == "UTC")
    }

    /// What is available on a device with some settings, of which one minute was counted, if any.
    private func capabilities(
        _ settings: DeviceSettings?, health: DeviceHealth? = nil, _ count: ((inout MinuteRow) -> Void)? = nil
    ) async throws -> CapabilitiesData {
        let folder = StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let device: DeviceID = "watch-3"
        var changes = HistoryChanges()
        changes.settings = [SettingsChange(device: device, settings: settings)]
        if let count { changes.rows = [MinuteRow(device, 29_900_000, count)] }
        let store = try folder.store()
        _ = try await store.commit(changes, nowSeconds: 0)
        var answers = HistoryAnswers(store: store)
        answers.deviceHealth = health
        let answer = await answers.answer(HistoryRequest(verb: .capabilities, device: device), nowSeconds: 0)
        guard case .ok(_, let json) = answer.reply else { throw WireError.malformed }
        return try CapabilitiesData(json: json)
    }

    @Test("A height is as good as a stride for a distance")
    func height() throws {
        var config = DeviceConfig()
        config.kind = .wearable
        #expect(!DeviceSettings(config).knowsStepLength)
        config.heightMetres = 1.8
        #expect(DeviceSettings(config).knowsStepLength)
    }
}
