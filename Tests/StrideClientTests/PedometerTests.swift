import PrivateBroker
import MQTT
import Testing

@testable import StrideClient
@testable import Wire

@Suite("A pedometer over the bus", .timeLimit(.minutes(5)))
struct PedometerTests {
    @Test(
        "Updates are cumulative, one a notice; a notice that comes again is passed over; the lease ends with the task")
    func updates() async throws {
        let scene = try await Scene(version: .v5)
        let pedometer = Pedometer(bus: scene.client, device: scene.first)
        let history = ScriptedHistory(scene)
        let answering = Task { try await history.answer() }
        var steps: [UInt64] = []
        for try await data in pedometer.updates(every: 10) {
            steps.append(data.steps)
            #expect(data.start == 0 && data.end == 1000)
            #expect(data.distanceMetres == 70)
            #expect(data.currentCadenceStepsPerSecond == 2)
            #expect(data.floorsAscended == 4 && data.floorsDescended == 2)
            if steps.count == 3 { break }
        }
        #expect(steps == [10, 20, 30])
        let stopped = try await answering.value
        #expect(stopped)
        await scene.end()
    }

    @Test(
        "Updates outlast a broker that is away for longer than any request waits", arguments: [MQTTVersion.v5, .v311])
    func outage(version: MQTTVersion) async throws {
        let gone = try await EmbeddedBroker.start()
        let client = try StrideBus(
            endpoint: try MQTTEndpoint(gone.url), root: "test", version: version, timeoutSeconds: 0.5)
        for await state in client.connectionStates {
            if case .connected = state { break }
        }
        gone.kill()
        await gone.ended()
        for await state in client.connectionStates {
            if case .disconnected = state { break }
        }
        let bike = try DeviceID("bike-1")
        let updates = Task {
            var steps: [UInt64] = []
            for try await data in Pedometer(bus: client, device: bike).updates(every: 10) {
                steps.append(data.steps)
                if steps.count == 3 { break }
            }
            return steps
        }
        // Some requests have run out of time.
        for _ in 0..<3 { await #expect(throws: StrideClientError.self) { _ = try await client.devices() } }
        let scene = try await Scene(version: version, port: gone.port, client: client)
        let history = ScriptedHistory(scene)
        let answering = Task { try await history.answer() }
        #expect(try await updates.value == [10, 20, 30])
        #expect(try await answering.value)
        await scene.end()
    }

    @Test("A bus that is closed ends its leases first, although nobody waits for the answer")
    func closing() async throws {
        let scene = try await Scene(version: .v5)
        let history = ScriptedHistory(scene)
        let answering = Task { try await history.answer() }
        var updates = Pedometer(bus: scene.client, device: scene.first).updates(every: 10).makeAsyncIterator()
        #expect(try await updates.next()?.steps == 10)
        await scene.client.close()
        #expect(try await answering.value)
        await scene.end()
    }

    @Test("A lease that history refuses ends the sequence with history's words")
    func refused() async throws {
        let scene = try await Scene(version: .v5)
        let pedometer = Pedometer(bus: scene.client, device: scene.first)
        let refusal = ReplyError(code: .notAvailable, message: "no steps from this device: this is a bike")
        let answering = Task {
            try await scene.answering(count: 1) { requests in
                requests.map { ($0, .error(transaction: $0.transaction, refusal)) }
            } during: {
            }
        }
        await #expect {
            for try await _ in pedometer.updates() {}
        } throws: { error in
            guard case .refused(refusal) = error as? StrideClientError else { return false }
            return true
        }
        try await answering.value
        await scene.end()
    }

    @Test("Pauses and resumptions are told once each")
    func pauses() {
        var detector = PauseDetector()
        let cadences: [Double] = [0, 0, 84, 90, 0, 0, 60]
        let events = cadences.enumerated().compactMap { index, rpm in
            detector.take(
                CadenceReport(
                    t: Double(index), rpm: rpm, spm: nil, confidence: 1, state: .cycling, revolutions: nil))
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
        let moving = { CadenceReport(t: $0, spm: 110, confidence: 1, state: .walking) }
        let silent = { CadenceReport(t: $0, spm: 0, confidence: 0, state: .unknown) }
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
        continuation.yield(CadenceReport(t: 1, spm: 110, confidence: 1, state: .walking))
        continuation.yield(CadenceReport(t: 4, spm: 0, confidence: 0, state: .unknown))
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
        let scene = try await Scene(version: .v5)
        let midnight = 1_795_215_600.0
        var day = DayTotals(date: "2026-11-20", zone: "Europe/Berlin", totals: Totals(steps: 8_000), end: midnight)
        try await scene.retain("test/bike-1/day", day.encodedJSON())
        let pedometer = Pedometer(bus: scene.client, device: scene.first)
        var first = pedometer.today.makeAsyncIterator()
        #expect(await first.next()?.steps == 8_000)
        var second = pedometer.today.makeAsyncIterator()
        #expect(await second.next()?.steps == 8_000)
        day.steps = 8_100
        try await scene.retain("test/bike-1/day", day.encodedJSON())
        #expect(await first.next()?.steps == 8_100)
        // History is away from here on, and the walk goes on over midnight.
        for second in -20..<20 {
            let report = StepsReport(t: midnight + Double(second), steps: 2, total: 0, cadenceSPM: 120)
            try await scene.publish("test/bike-1/steps", report.encodedJSON())
        }
        var last: StepsToday?
        while last?.date != "2026-11-21" || last?.steps != 38 { last = await first.next() }
        (day.date, day.steps, day.end) = ("2026-11-21", 40, midnight + 86_400)
        try await scene.retain("test/bike-1/day", day.encodedJSON())
        #expect(await first.next()?.steps == 40)
        await scene.client.close()
        await scene.end()
    }

    @Test("Cadence is heard of the device that was asked for, and the stream ends with the bus")
    func cadence() async throws {
        let scene = try await Scene(version: .v5)
        let reports = Cadence(bus: scene.client, device: scene.first).reports
        let report = CadenceReport(t: 7, rpm: 84, spm: nil, confidence: 1, state: .cycling, revolutions: 9)
        let other = CadenceReport(t: 8, rpm: 50, spm: nil, confidence: 1, state: .cycling, revolutions: 9)
        try await scene.retain("test/bike-2/cadence", other.encodedJSON())
        // Retained, so that it is heard whether or not the subscription is in force yet.
        try await scene.retain("test/bike-1/cadence", report.encodedJSON())
        var heard: [CadenceReport] = []
        for await one in reports {
            heard.append(one)
            await scene.client.close()
        }
        #expect(heard == [report])
        await scene.end()
    }
}

/// A history that gives three notices, the second of them twice, and then waits for the end of the lease.
private struct ScriptedHistory: Sendable {
    let scene: Scene

    init(_ scene: Scene) {
        self.scene = scene
    }

    /// Answers until the lease is stopped.
    func answer() async throws -> Bool {
        try await scene.each { verb, request in
            switch verb {
            case .liveStart:
                let lease = LiveLeaseData(
                    device: scene.first, counts: .steps, every: request.every ?? 0, from: 0, counted: 0, number: 0,
                    expiresT: 120)
                try await scene.reply(to: request, lease)
                for number in [1, 2, 2, 3] as [UInt64] {
                    try await scene.reply(
                        to: request,
                        LiveNotice(
                            device: scene.first, counts: .steps, number: number, counted: number * 10, today: 99,
                            t: 1000))
                }
                return false
            case .historyInterval:
                var data = IntervalData(
                    device: scene.first, from: 0, to: 1020, totals: Totals(steps: 5, distanceMetres: 70))
                data.now = MomentaryFigures(cadenceSPM: 120)
                data.floors = FloorCounts(ascended: 4, descended: 2)
                try await scene.reply(to: request, data)
                return false
            case .liveStop: return true
            default: return false
            }
        }
    }
}

extension Scene {
    /// Hands over each request until the answer is that it was the last.
    func each(_ body: (RequestVerb, HistoryRequest) async throws -> Bool) async throws -> Bool {
        let topics = try TopicTree(root: "test")
        for try await batch in requests.batches {
            var received: [(RequestVerb, HistoryRequest)] = []
            for message in batch {
                guard case .request(let verb) = try topics.parse(message.topic) else { continue }
                received.append((verb, try HistoryRequest(verb: verb, json: message.payload)))
            }
            batch.acknowledge()
            for (verb, request) in received where try await body(verb, request) { return true }
        }
        return false
    }

    func reply(to request: HistoryRequest, _ data: some JSONPayload) async throws {
        try await replies.publish(
            MQTTPublication(
                topic: request.replyTo ?? "test/reply/lost",
                payload: HistoryReply.ok(transaction: request.transaction, data: data).encodedJSON()))
    }

    func publish(_ topic: String, _ payload: [UInt8]) async throws {
        try await replies.publish(MQTTPublication(topic: topic, payload: payload))
    }

    func retain(_ topic: String, _ payload: [UInt8]) async throws {
        try await replies.publish(MQTTPublication(topic: topic, payload: payload, retain: true))
    }
}
