import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("What is forgotten over a real broker", .timeLimit(.minutes(5)))
struct ForgettingServiceTests {
    let bike: DeviceID = "bike-07"

    private var topic: String { "stride/service/forget/\(Partition(of: bike).number)" }

    private func order(_ message: BusListener.Heard) throws -> CountsForget {
        try message.payload.withRawBytes { bytes throws(WireError) in try CountsForget(decoding: bytes) }
    }

    @Test("A device is forgotten: the counter is told, and its retained totals are taken away")
    func told() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/+", "stride/service/forget/+")
            try await scope.withHistory {
                try await scope.count(bike, minute: scope.minute - 5, revolutions: 84, heardBy: listener)
                let reply = try await scope.answer(to: .devicesForget, #"{"device":"bike-07"}"#)
                #expect(reply.text.contains(#""minutes":1"#))
                let order = try order(try await listener.wait(for: topic))
                #expect(order == CountsForget(device: bike, minutes: 0..<scope.minute, isWhole: true))
                for channel in ["day", "total"] {
                    _ = try await listener.wait(for: "stride/bike-07/\(channel)") { $0.payload.isEmpty }
                }
            }
        }
    }

    @Test("A history that dies while it forgets goes on with it when it is back, and so does the word to the counter")
    func resumed() async throws {
        try await withScope { scope in
            let store = try scope.folder.store()
            try await store.keep([MinuteRow(bike, scope.minute - 5, revolutions: 84)])
            // Noted, and then the process ends: nothing was deleted, and nobody was told.
            _ = try await store.begin([Erasure(device: bike, minutes: 0..<scope.minute, isWhole: true)])
            await store.close()
            try await scope.publish(.device(bike, .total), DeviceTotals().encodedJSON(), retain: true)
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/forget/+")
            try await scope.withHistory {
                #expect(try order(try await listener.wait(for: topic)).isWhole)
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.payload.isEmpty }
            }
            let after = try scope.folder.store()
            #expect(try await after.device(bike) == nil)
            #expect(try await after.unsentErasures().isEmpty)
            await after.close()
        }
    }

    @Test("A person is forgotten up to now, and what the bike counts for the next one is kept")
    func person() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/forget/+")
            let store = try scope.folder.store()
            try await store.checkIn("Anna", bike, scope.minute - 60..<Assignment.forGood)
            try await scope.withHistory(store) {
                try await scope.count(bike, minute: scope.minute - 5, revolutions: 84, heardBy: listener)
                try await scope.ask(.peopleForget, #"{"person":"Anna"}"#)
                let order = try order(try await listener.wait(for: topic))
                #expect(!order.isWhole && order.minutes.lowerBound == scope.minute - 60)
                #expect(order.minutes.upperBound - scope.minute < 5)
                try await scope.count(
                    bike, minute: scope.minute + 10, revolutions: 7, after: 1, through: 2, heardBy: listener)
            }
        }
    }
}
