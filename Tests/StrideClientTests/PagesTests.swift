import MQTT
import StrideClient
import Testing

@testable import Wire

@Suite("Answers that come in pages", .timeLimit(.minutes(5)))
struct PagesTests {
    @Test("Days, buckets, stretches, devices and people come whole, however many pages there are")
    func whole() async throws {
        try await Scene.with(version: .v5) { scene in
            let client = scene.client
            let device = scene.first
            let history = PagingHistory(scene: scene, pages: 3)
            let answering = Task { try await history.answer(requests: 6 * 3) }
            let (from, to) = (TimePoint.instant(seconds: 0), TimePoint.instant(seconds: 180))
            #expect(try await client.days(device: device).days.map(\.steps) == [0, 1, 2])
            let series = try await client.series(device: device, from: from, to: to, bucket: .minute)
            #expect(series.buckets.map(\.start) == [0, 60, 120])
            #expect(series.cursor == nil)
            let segments = try await Pedometer(bus: client, device: device).activities(from: from, to: to)
            #expect(segments.map(\.start) == [0, 60, 120])
            #expect(try await client.devices().map(\.steps) == [0, 1, 2])
            #expect(
                try await client.series(person: "Anna", from: from, to: to, bucket: .minute).buckets.map(\.start) == [
                    0, 60, 120,
                ])
            #expect(try await client.people().map(\.person) == ["0", "1", "2"])
            try await answering.value
        }
    }

    @Test("A page that says it comes next itself ends the reading")
    func circle() async throws {
        try await Scene.with(version: .v5) { scene in
            let client = scene.client
            let answering = Task {
                _ = try await scene.each { _, request in
                    try await scene.reply(to: request, DevicesData(devices: [], cursor: "again"))
                    return request.cursor == "again"
                }
            }
            await #expect {
                _ = try await client.devices()
            } throws: { error in
                guard case .unreadableReply = error as? StrideClientError else { return false }
                return true
            }
            try await answering.value
        }
    }
}

/// A history that gives a record a page, and so many pages of everything.
private struct PagingHistory: Sendable {
    let scene: Scene
    let pages: Int

    func answer(requests: Int) async throws {
        var answered = 0
        _ = try await scene.each { verb, request in
            let page = request.cursor.flatMap { Int($0) } ?? 0
            #expect(request.limit != nil)
            try await reply(verb, request, page, cursor: page + 1 < pages ? "\(page + 1)" : nil)
            answered += 1
            return answered == requests
        }
    }

    private func reply(_ verb: RequestVerb, _ request: HistoryRequest, _ page: Int, cursor: String?) async throws {
        let (device, start, steps) = (scene.first, Double(page) * 60, UInt64(page))
        switch verb {
        case .historyDays:
            let day = DayTotals(date: "2026-11-20", zone: "UTC", counts: Counts([.steps: Int64(page)]))
            try await scene.reply(to: request, DaysData(device: device, days: [day], cursor: cursor))
        case .historySeries:
            let data = SeriesData(
                device: device, bucket: .minute, buckets: [SeriesBucket(start: start)], cursor: cursor)
            try await scene.reply(to: request, data)
        case .historyActivity:
            let segment = ActivitySegment(start: start, end: start + 60, activity: .walking, confidence: 0.97)
            try await scene.reply(to: request, ActivityData(device: device, segments: [segment], cursor: cursor))
        case .devices:
            let entry = DeviceEntry(
                device: device, kind: .wearable, zone: "UTC", firstT: 0, lastT: 60, steps: steps, revolutions: 0)
            try await scene.reply(to: request, DevicesData(devices: [entry], cursor: cursor))
        default:
            let entry = PersonEntry(person: "\(page)", devices: [])
            try await scene.reply(to: request, PeopleData(people: [entry], cursor: cursor))
        }
    }
}
