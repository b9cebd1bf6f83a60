import MQTT
import StrideClient
import Testing

@testable import Wire

@Suite("Answers that come in pages", .timeLimit(.minutes(5)))
struct PagesTests {
    @Test("They come whole, however many pages there are")
    func whole() async throws {
        try await Scene.with(version: .v5) { scene in
            let answering = Task {
                try await scene.each { request in
                    let page = request.cursor.flatMap { Int($0) } ?? 0
                    #expect(request.limit != nil)
                    let data = Page<SeriesBucket>(
                        device: scene.first, zone: "UTC", bucket: .minute,
                        rows: [SeriesBucket(start: Double(page) * 60)], cursor: page < 2 ? "\(page + 1)" : nil)
                    try await scene.answer(request, with: .ok(transaction: request.transaction, data: data))
                    return page == 2
                }
            }
            let series = try await scene.client.series(
                device: scene.first, from: .instant(seconds: 0), to: .instant(seconds: 180), bucket: .minute)
            #expect(series.rows.map(\.start) == [0, 60, 120] && series.cursor == nil && series.bucket == .minute)
            try await answering.value
        }
    }

    @Test("A page that says it comes next itself ends the reading")
    func circle() async throws {
        try await Scene.with(version: .v5) { scene in
            let client = scene.client
            let answering = Task {
                try await scene.each { request in
                    let data = Page<DeviceEntry>(cursor: "again")
                    try await scene.answer(request, with: .ok(transaction: request.transaction, data: data))
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
