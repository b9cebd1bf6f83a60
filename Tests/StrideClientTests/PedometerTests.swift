import PrivateBroker
import MQTT
import TestBroker
import Testing

@testable import StrideClient
@testable import Wire

@Suite("A pedometer over the bus", .timeLimit(.minutes(5)))
struct PedometerTests {
    @Test("Updates are cumulative, one at each multiple; what was counted before and the other values are history's")
    func updates() async throws {
        try await Scene.with(version: .v5) { scene in
            let answering = Task { try await scene.answerIntervals() }
            // Retained, so that it is heard whether or not the subscription is in force yet.
            try await scene.retainSteps(total: 1_003, steps: 3)
            var steps: [UInt64] = []
            let since = TimePoint.instant(seconds: 0)
            for try await data in Pedometer(bus: scene.client, device: scene.first).updates(from: since, every: 10) {
                steps.append(data.steps)
                #expect(data.start == 0 && data.end == 1_000)
                #expect(data.distanceMetres == 70)
                #expect(data.currentCadenceStepsPerSecond == 2)
                #expect(data.floorsAscended == 4 && data.floorsDescended == 2)
                // One report has been lost.
                if steps.count == 1 { try await scene.retainSteps(total: 1_025, steps: 4) }
                if steps.count == 3 { break }
            }
            #expect(steps == [10, 20, 30])
            answering.cancel()
        }
    }

    @Test(
        "Updates outlast a broker that is away for longer than any request waits", arguments: [MQTTVersion.v5, .v311])
    func outage(version: MQTTVersion) async throws {
        let gone = try await EmbeddedBroker.start()
        let client = try StrideBus(
            endpoint: try MQTTEndpoint(gone.url), root: "test", version: version, timeoutSeconds: 0.5)
        for await case .connected in client.connectionStates { break }
        gone.kill()
        await gone.ended()
        for await case .disconnected in client.connectionStates { break }
        let bike: DeviceID = "bike-1"
        let updates = Task {
            for try await data in Pedometer(bus: client, device: bike)
                .updates(from: .instant(seconds: 0), every: 10)
            { return data.steps }
            return 0
        }
        // Some requests have run out of time.
        for _ in 0..<3 { await #expect(throws: StrideClientError.self) { _ = try await client.devices() } }
        try await Scene.with(version: version, port: gone.port, client: client) { scene in
            let answering = Task { try await scene.answerIntervals() }
            try await scene.retainSteps(total: 2_000, steps: 8)
            #expect(try await updates.value == 10)
            answering.cancel()
        }
    }

    @Test("Updates need no history after their beginning")
    func withoutHistory() async throws {
        try await Scene.with(version: .v5, timeoutSeconds: 0.2) { scene in
            try await scene.retainSteps(total: 80, steps: 9)
            for try await data in Pedometer(bus: scene.client, device: scene.first).updates(every: 4) {
                #expect(data.steps == 4 && data.end == 1_000)
                break
            }
        }
    }

    @Test("What history refuses ends the sequence with history's words")
    func refused() async throws {
        try await Scene.with(version: .v5) { scene in
            let pedometer = Pedometer(bus: scene.client, device: scene.first)
            let refusal = ReplyError(code: .notAuthorised, message: "bike-1 was not yours for all of that time")
            let answering = Task {
                try await scene.answering {
                    .error(transaction: $0.transaction, refusal)
                } during: {
                }
            }
            let error = await #expect(throws: StrideClientError.self) {
                for try await _ in pedometer.updates(from: .instant(seconds: 0)) {}
            }
            #expect(error?.refusal == refusal)
            try await answering.value
        }
    }

    @Test("Totals are counted from the first report on, lost ones made good, late ones passed over")
    func counting() {
        var count = StepCount(every: 10)
        let reports: [(steps: Int, total: UInt64, counted: UInt64)] = [
            (7, 507, 7), (2, 520, 20), (3, 518, 20), (1, 521, 21),
            // The device was forgotten, and begins anew.
            (4, 4, 25), (6, 10, 31),
        ]
        for report in reports {
            count.take(StepsReport(t: 1, steps: report.total, newSteps: report.steps, cadenceSPM: 110))
            #expect(count.steps == report.counted)
        }
        #expect(count.takeDue() == [10, 20, 30])
        #expect(count.takeDue().isEmpty)
        count.raise(to: 29)
        #expect(count.steps == 31)
    }

    @Test("Of a total that leaps only the last multiples are told, and nothing traps", arguments: [0, 1, UInt64.max])
    func leaps(every: UInt64) {
        var count = StepCount(every: every)
        count.begin(at: .max - 1)
        count.take(StepsReport(t: 1, steps: .max, newSteps: .max, cadenceSPM: 110))
        #expect(count.takeDue() == [UInt64.max])
        count.take(StepsReport(t: 1, steps: 0, newSteps: 0, cadenceSPM: 110))
        #expect(count.takeDue().isEmpty)
        var other = StepCount(every: 1)
        other.take(StepsReport(t: 1, steps: 1_000, newSteps: 1_000, cadenceSPM: 110))
        let told = other.takeDue()
        #expect(told.count == Int(StepCount.maximumTold) && told.last == 1_000)
    }

    @Test("Pauses and resumptions are told once each")
    func pauses() {
        var detector = PauseDetector()
        let cadences: [Double] = [0, 0, 84, 90, 0, 0, 60]
        let events = cadences.enumerated().compactMap { index, rpm in
            detector.take(
                CadenceReport(
                    t: Double(index), cadenceRPM: rpm, cadenceSPM: nil, confidence: 1, activity: .cycling,
                    revolutions: nil))
        }
        #expect(
            events == [
                PedometerEvent(kind: .resume, t: 2), PedometerEvent(kind: .pause, t: 4),
                PedometerEvent(kind: .resume, t: 6),
            ])
    }

    @Test("Silence is a pause only when it lasts")
    func silence() {
        var detector = PauseDetector()
        let moving = { CadenceReport(t: $0, cadenceSPM: 110, confidence: 1, activity: .walking) }
        let silent = { CadenceReport(t: $0, cadenceSPM: 0, confidence: 0, activity: .unknown) }
        #expect(detector.take(moving(0))?.kind == .resume)
        // A service was away, and the walk went on.
        #expect(detector.take(silent(10)) == nil)
        #expect(detector.kept != nil)
        #expect(detector.take(moving(12)) == nil)
        #expect(detector.giveUp() == nil)
        // The device was switched off.
        #expect(detector.take(silent(20)) == nil)
        #expect(detector.take(silent(30)) == nil)
        #expect(detector.giveUp() == PedometerEvent(kind: .pause, t: 20))
        #expect(detector.take(silent(40)) == nil)
        #expect(detector.take(moving(50)) == PedometerEvent(kind: .resume, t: 50))
    }

    @Test("A pause that was kept back is told when nothing follows")
    func patience() async {
        let (reports, continuation) = AsyncStream<CadenceReport>.makeStream()
        let (events, told) = AsyncStream<PedometerEvent>.makeStream()
        continuation.yield(CadenceReport(t: 1, cadenceSPM: 110, confidence: 1, activity: .walking))
        continuation.yield(CadenceReport(t: 4, cadenceSPM: 0, confidence: 0, activity: .unknown))
        let running = Task {
            await PauseEvents(reports: reports, silenceSeconds: 0.05).run { told.yield($0) }
        }
        var heard: [PedometerEvent] = []
        for await event in events {
            heard.append(event)
            if heard.count == 2 { break }
        }
        #expect(heard == [PedometerEvent(kind: .resume, t: 1), PedometerEvent(kind: .pause, t: 4)])
        continuation.finish()
        await running.value
    }

    @Test("Today is told at once to each who asks, goes on with history's word, and begins again with the next day")
    func today() async throws {
        try await Scene.with(version: .v5) { scene in
            let midnight = 1_795_215_600.0
            var day = DayTotals(
                date: "2026-11-20", zone: "Europe/Berlin", counts: Counts([.steps: 8_000]), end: midnight)
            try await scene.retain("test/bike-1/day", day.encodedJSON())
            let total = DeviceTotals { $0.counts.steps = 50_000 }
            try await scene.retain("test/bike-1/total", total.encodedJSON())
            let pedometer = Pedometer(bus: scene.client, device: scene.first)
            var first = pedometer.today.makeAsyncIterator()
            #expect(await first.next()?.steps == 8_000)
            var second = pedometer.today.makeAsyncIterator()
            #expect(await second.next()?.steps == 8_000)
            (day.counts.steps, day.revision) = (8_100, 1)
            try await scene.retain("test/bike-1/day", day.encodedJSON())
            #expect(await first.next()?.steps == 8_100)
            try await scene.retain(
                "test/bike-1/total", DeviceTotals { ($0.counts.steps, $0.revision) = (50_100, 1) }.encodedJSON())
            // History is away from here on, and the walk goes on over midnight.
            for second in -20..<20 {
                let report = StepsReport(
                    t: midnight + Double(second), steps: UInt64(50_142 + second * 2), newSteps: 2, cadenceSPM: 120)
                try await scene.publish("test/bike-1/steps", report.encodedJSON())
            }
            var last: StepsToday?
            while last?.date != "2026-11-21" || last?.steps != 38 { last = await first.next() }
            (day.date, day.counts.steps, day.end, day.revision) = ("2026-11-21", 40, midnight + 86_400, 2)
            try await scene.retain("test/bike-1/day", day.encodedJSON())
            #expect(await first.next()?.steps == 40)
            await scene.client.close()
        }
    }

    @Test("Cadence is heard of the device that was asked for, and the stream ends with the bus")
    func cadence() async throws {
        try await Scene.with(version: .v5) { scene in
            let reports = Cadence(bus: scene.client, device: scene.first).reports
            let report = CadenceReport(
                t: 7, cadenceRPM: 84, cadenceSPM: nil, confidence: 1, activity: .cycling, revolutions: 9)
            let other = CadenceReport(
                t: 8, cadenceRPM: 50, cadenceSPM: nil, confidence: 1, activity: .cycling, revolutions: 9)
            try await scene.retain("test/bike-2/cadence", other.encodedJSON())
            // Retained, so that it is heard whether or not the subscription is in force yet.
            try await scene.retain("test/bike-1/cadence", report.encodedJSON())
            var heard: [CadenceReport] = []
            for await one in reports {
                heard.append(one)
                await scene.client.close()
            }
            #expect(heard == [report])
        }
    }
}

extension Scene {
    /// Plays a history that knows of 8 steps since second 0.
    func answerIntervals() async throws {
        try await each { request in
            guard request.verb == .historyInterval else { return false }
            let counts = Counts([.steps: 8, .distance: 70_000, .floorsUp: 4, .floorsDown: 2])
            var data = IntervalData(device: first, from: 0, to: 1020, counts: counts)
            data.now = MomentaryFigures(cadenceSPM: 120)
            try await answer(request, with: .ok(transaction: request.transaction, data: data))
            return false
        }
    }

    func retainSteps(total: UInt64, steps: Int) async throws {
        let report = StepsReport(t: 1_000, steps: total, newSteps: steps, cadenceSPM: 120)
        try await retain("test/bike-1/steps", report.encodedJSON())
    }

    func retain(_ topic: String, _ payload: [UInt8]) async throws {
        try await publish(topic, payload, retain: true)
    }
}
