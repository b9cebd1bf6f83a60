import Testing
import Wire

@testable import History

@Suite("What is available on a device")
struct CapabilitiesTests {
    @Test("Of a device that was never heard nothing is available, and it is told why")
    func unheard() throws {
        let data = CapabilitiesData(DeviceRecord(device: try DeviceID("watch-3")))
        for capability in Capability.allCases {
            guard case .unavailable(let why) = data.availabilities[capability] else {
                Issue.record("\(capability) is available")
                continue
            }
            #expect(!why.isEmpty && why.utf8.count <= PayloadLimits.maximumTextBytes)
        }
    }

    @Test("A bike has revolutions and no steps; with a length a revolution it has distance and pace")
    func bike() throws {
        var record = DeviceRecord(device: try DeviceID("bike-07"))
        record.settings.kind = "bike"
        record.firstMinute = 29_900_000
        let short = CapabilitiesData(record)
        #expect(short[.revolutions] && short[.cadence] && short[.events] && short[.activity])
        #expect(!short[.steps] && !short[.distance] && !short[.pace] && !short[.floors])
        record.settings.knowsRevolutionLength = true
        let long = CapabilitiesData(record)
        #expect(long[.distance] && long[.pace])
    }

    @Test("What was counted once is available, whatever the operator says")
    func counted() throws {
        var record = DeviceRecord(device: try DeviceID("watch-3"))
        record.settings.kind = "wearable"
        record.firstMinute = 29_900_000
        #expect(!CapabilitiesData(record)[.revolutions])
        record.counts.revolutions = 1
        record.counts.distanceMillimetres = 1
        let data = CapabilitiesData(record)
        #expect(data[.revolutions] && data[.steps] && data[.distance])
    }

    @Test("Floors are available where a barometer has spoken, but not on a bike")
    func floors() throws {
        var record = DeviceRecord(device: try DeviceID("watch-3"))
        record.firstMinute = 29_900_000
        #expect(!CapabilitiesData(record)[.floors])
        record.counts.floors = Counts.Floors()
        #expect(CapabilitiesData(record)[.floors])
        record.settings.kind = "bike"
        #expect(!CapabilitiesData(record)[.floors])
    }

    @Test("The zone is the device's own, else the one of devices that name none, else the one that is asked for")
    func zone() async throws {
        let folder = try TemporaryFolder()
        let store = try HistoryStore.sqlite(directory: folder.path, defaultZone: "Europe/Berlin", nowSeconds: 0)
        let watch = try DeviceID("watch-3")
        let answers = HistoryAnswers(store: store)
        #expect(
            try await answers.capabilities(HistoryRequest(verb: .capabilities, device: watch)).zone == "Europe/Berlin")
        var changes = HistoryChanges()
        let settings = DeviceSettings(kind: "wearable", zone: "Asia/Kathmandu")
        changes.settings = [SettingsChange(device: watch, settings: settings)]
        _ = try await store.commit(changes, nowSeconds: 0)
        #expect(
            try await answers.capabilities(HistoryRequest(verb: .capabilities, device: watch)).zone == "Asia/Kathmandu")
        let request = HistoryRequest(verb: .capabilities, device: watch, zone: "UTC")
        #expect(try await answers.capabilities(request).zone == "UTC")
    }

    @Test("A height is as good as a stride for a distance")
    func height() throws {
        var config = DeviceConfig()
        config.kind = .wearable
        #expect(try !DeviceSettings(config).knowsStepLength)
        config.heightMetres = 1.8
        #expect(try DeviceSettings(config).knowsStepLength)
    }

    @Test("The operator's words are kept, and asked for over the request")
    func kept() async throws {
        let folder = try TemporaryFolder()
        let store = try folder.store()
        let device = try DeviceID("watch-3")
        var config = DeviceConfig()
        config.kind = .wearable
        config.metresPerStride = 1.4
        config.person = "Anna"
        var changes = HistoryChanges()
        changes.settings = [SettingsChange(device: device, settings: try DeviceSettings(config))]
        var row = MinuteTotals(device: device, minute: 29_900_000, epoch: 1, revision: 1)
        row.coveredMilliseconds = 60_000
        changes.rows = [row]
        _ = try await store.commit(changes, nowSeconds: 0)
        #expect(try await store.device(device)?.settings.person == "Anna")
        let answers = HistoryAnswers(store: store)
        let reply = await answers.reply(to: HistoryRequest(verb: .capabilities, device: device), nowSeconds: 0)
        guard case .ok(_, let json) = reply else {
            Issue.record("\(reply)")
            return
        }
        let data = try CapabilitiesData(json: json)
        #expect(data[.distance] && data[.pace] && data[.steps])
        #expect(data.kind == .wearable)
    }
}
