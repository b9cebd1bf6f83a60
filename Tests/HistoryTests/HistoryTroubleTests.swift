import History
import MQTT
import ServiceKit
import ServiceLifecycle
import PrivateBroker
import TestBroker
import Testing
import Wire

@Suite("History in trouble, over a real broker", .timeLimit(.minutes(5)))
struct HistoryTroubleTests {
    let bike: DeviceID = "bike-07"

    @Test("A commit that fails is tried again, and nothing is lost or counted twice")
    func diskFull() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/history/+")
            let database = ScriptedDatabase(try scope.folder.store().database)
            try await scope.withHistory(try database.store()) {
                database.failWrites(
                    [.diskFull(path: "x"), .locked(path: "x"), .diskFull(path: "x")].map { .store($0) })
                try await scope.count(bike, revolutions: 40)
                try await scope.count(bike, revolutions: 42, after: 1, through: 2, heardBy: listener)
            }
            _ = try await listener.wait(for: "stride/service/history/health") { heard in
                (try? ServiceHealth(json: heard.payload))?["commit_failures"] == 3
            }
        }
    }

    @Test("A history that stops while its disk is full leaves the batch to the broker, and has it when it is back")
    func stopWhileFull() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/history/+")
            let database = ScriptedDatabase(try scope.folder.store().database)
            await #expect(throws: HistoryError.store(.diskFull(path: "x"))) {
                try await scope.withHistory(try database.store()) {
                    database.failWrites(Array(repeating: .store(.diskFull(path: "x")), count: 1000))
                    try await scope.count(bike, revolutions: 42)
                    await database.writeFails()
                }
            }
            try await scope.withHistory {
                _ = try await listener.wait(for: "stride/bike-07/total") { $0.text.contains(#""revolutions":42"#) }
            }
        }
    }

    @Test("A history whose store is damaged ends with that error, and says that it is gone")
    func endsWithError() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/service/history/status")
            let database = ScriptedDatabase(try scope.folder.store().database)
            let group = try scope.group([(scope.topics, try database.store())])
            let running = Task { try await group.run() }
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            let damage = HistoryError.store(.damaged(path: "x", problem: "y"))
            database.failWrites([damage])
            try await scope.count(bike, revolutions: 42)
            await #expect(throws: damage) { try await running.value }
            // Said by itself, and retained: an orderly end publishes no will.
            let late = try await scope.listener("stride/service/history/status")
            let status = try await late.wait(for: "stride/service/history/status")
            #expect(status.text == "offline" && status.isRetained)
        }
    }

    @Test("A history that stops with an answer for a broker that has died ends all the same")
    func stopWithoutBroker() async throws {
        try await withScope(checked: nil) { scope in
            let listener = try await scope.listener("stride/service/history/status")
            let database = ScriptedDatabase(try scope.folder.store().database)
            let group = try scope.group([(scope.topics, try database.store())])
            async let running: Void = group.run()
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            database.closeGate()
            try await scope.ask(.historyInterval, #"{"device":"bike-07","reply_to":"stride/reply/1"}"#)
            await database.someoneWaits()
            scope.broker.kill()
            await scope.broker.ended()
            await group.triggerGracefulShutdown()
            database.openGate()
            try await running
        }
    }

    @Test("A history that stops with an answer that takes too long says all the same that it is gone")
    func stopWithSlowAnswer() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/history/+")
            let database = ScriptedDatabase(try scope.folder.store().database)
            let group = try scope.group(
                [(scope.topics, try database.store())], shutdownSeconds: 1)
            async let running: Void = group.run()
            _ = try await listener.wait(for: "stride/service/history/status") { $0.text == "online" }
            try await scope.count(bike, revolutions: 42, heardBy: listener)
            database.closeGate()
            try await scope.ask(.historyInterval, #"{"device":"bike-07","reply_to":"stride/reply/1"}"#)
            await database.someoneWaits()
            await group.triggerGracefulShutdown()
            // As long as history has for its end.
            try await Task.sleep(for: .seconds(1))
            database.openGate()
            try await running
            // Whoever comes later is told, too.
            let late = try await scope.listener("stride/service/history/+")
            #expect(try await late.wait(for: "stride/service/history/status").text == "offline")
            let health = try await late.wait(for: "stride/service/history/health")
            #expect(try ServiceHealth(json: health.payload)["rows_applied"] == 1)
        }
    }

    @Test("Slow questions do not hold up the counts, and those beyond the queue are told that it is too busy")
    func tooBusy() async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/reply/#", "stride/bike-07/total", "stride/service/history/+")
            let database = ScriptedDatabase(try scope.folder.store().database)
            try await scope.withHistory(try database.store()) {
                database.closeGate()
                for number in 0..<300 {
                    let question = #"{"device":"bike-07","reply_to":"stride/reply/\#(number)"}"#
                    try await scope.ask(.historyInterval, question)
                }
                let refused = try await listener.wait(for: "stride/reply/299")
                #expect(refused.text.contains(#""code":"too_busy""#))
                try await scope.count(bike, revolutions: 42, heardBy: listener)
                database.openGate()
                let answered = try await listener.wait(for: "stride/reply/0")
                #expect(answered.text.hasPrefix(#"{"status":"ok""#))
            }
        }
    }

    @Test("Junk on every topic is refused by its reason, and everything else goes on")
    func junk() async throws {
        try await withScope { scope in
            let listener = try await scope.listener("stride/bike-07/total", "stride/service/history/+")
            try await scope.withHistory {
                let partition = Partition(of: bike)
                try await scope.publish(.counts(partition), [])
                try await scope.publish(.counts(partition), Array(repeating: 0xff, count: 5000))
                try await scope.publish(.device(bike, .config), Array(#"{"height_m":99}"#.utf8))
                try await scope.publish(.device(bike, .config), [0xff, 0xfe, 0x00])
                try await scope.producer.publish(
                    MQTTPublication(topic: "stride/service/counts/99", payload: [1, 2, 3]))
                try await scope.producer.publish(MQTTPublication(topic: "stride/Bike 7/config", payload: [1]))
                try await scope.count(bike, revolutions: 42, heardBy: listener)
            }
            let health = try await listener.wait(for: "stride/service/history/health") { heard in
                (try? ServiceHealth(json: heard.payload))?["refused_out_of_range"] == 1
            }
            let counters = try ServiceHealth(json: health.payload)
            #expect(counters["refused_invalid_device_id"] == 1)
            #expect(counters["refused_unknown_topic"] == 1)
            let refused = counters.counters.filter { $0.name.hasPrefix("refused_") }
            #expect(refused.reduce(0) { $0 + $1.value } == 6)
        }
    }
}
