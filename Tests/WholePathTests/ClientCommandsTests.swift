import Foundation
import Lab
import MQTT
import StrideClient
import TestBroker
import Testing
import Wire

@Suite("Subcommands that ask and listen", .timeLimit(.minutes(5)))
struct ClientCommandsTests {
    @Test("Answers of any size come whole: as CSV under one heading, and as one JSON object")
    func longAnswers() async throws {
        let minutes = [
            "series", "--device", "watch-3", "--from", "2026-11-01T00:00:00Z", "--to", "2026-11-08T00:00:00Z",
        ]
        let days = ["days", "--device", "watch-3", "--from", "2020-01-01", "--to", "2024-01-01"]
        let texts = try await outputs(of: [minutes + ["--csv"], minutes + ["--json"], days + ["--csv"], days])
        let csv = texts[0].split(separator: "\n")
        let minuteCount = 7 * 1440
        let dayCount = 4 * 365 + 1
        #expect(csv.count == minuteCount + 1)
        #expect(csv.count { $0.hasPrefix("start") } == 1)
        #expect(texts[1].split(separator: "\n").count == 1)
        #expect(texts[1].matches(of: /"start"/).count == minuteCount)
        #expect(!texts[1].contains("cursor"))
        let dates = texts[2].split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first }
        #expect(dates.count == dayCount)
        #expect(Set(dates).count == dayCount)
        #expect(texts[3].split(separator: "\n").count == 2)
        #expect(texts[3].contains("… \(dayCount) without data"))
    }

    @Test("Tables show times by the clock of the zone and only what there is, and a rider is checked in and out")
    func tables() async throws {
        let days = ["--bucket", "day", "--from", "2026-11-01", "--to", "2026-11-03", "--zone", "Asia/Kathmandu"]
        let ride = ["--device", "bike-7", "--from", "2026-11-20T18:02:00Z", "--to", "2026-11-20T18:47:00Z"]
        let session = try await session([
            ["query", "series", "--device", "watch-3"] + days, ["query", "today", "--device", "watch-3"],
            ["query", "people"], ["people", "checkin", "Anna"] + ride, ["query", "people"],
            ["people", "checkout", "--device", "bike-7", "--at", "2026-11-20T18:30:00Z"],
            ["query", "days", "--person", "Ben"],
            ["query", "interval", "--device", "bike-7", "--from", "1795194010", "--to", "1795194100"],
        ])
        let lines = session.texts.map { $0.split(separator: "\n").map(String.init) }
        #expect(lines[0] == ["start (Asia/Kathmandu)", "2026-11-01", "2026-11-02"])
        #expect(lines[1].contains { $0.hasPrefix("steps") && $0.hasSuffix(" 0") })
        #expect(lines[2].count == 1 && session.errors[2].contains("nothing to show"))
        #expect(lines[3] == ["Anna has bike-7 from 2026-11-20T18:02:00Z to 2026-11-20T18:47:00Z"])
        #expect(lines[4][1] == "Anna    bike-7  2026-11-20 18:02  2026-11-20 18:47")
        #expect(lines[5] == ["Anna has bike-7 from 2026-11-20T18:02:00Z to 2026-11-20T18:30:00Z"])
        #expect(lines[6].count == 8 && session.errors[6].contains("nothing to show"))
        #expect(lines[7].contains { $0.hasPrefix("partial minute") && $0.hasSuffix(" yes") })
        #expect(session.errors[7].contains("'stridebus query devices' lists the devices that were heard"))
    }

    @Test("An export is a line of CSV for each minute with data, or for each workout, of a device or a person")
    func export() async throws {
        let bike: DeviceID = "bike-7"
        let session = try await session([
            ["export", "--device", "bike-7"], ["export", "--device", "bike-7", "--workouts"],
            ["people", "checkin", "Anna", "--device", "bike-7", "--from", "2026-11-20T16:00:00Z"],
            ["export", "--person", "Anna", "--workouts"], ["export", "--device", "nobody"],
        ]) { bus in
            // From 2026-11-20T17:00:00Z.
            try await bus.keepRide(of: bike, minutes: [0, 1, 3].map { 1_795_194_000 / 60 + $0 })
        }
        #expect(
            session.texts[0].split(separator: "\n").dropFirst() == [
                "2026-11-20T17:00:00Z,0,84,420,84,,60,60,,", "2026-11-20T17:01:00Z,0,84,420,84,,60,60,,",
                "2026-11-20T17:03:00Z,0,84,420,84,,60,60,,",
            ])
        for index in [1, 3] {
            let lines = session.texts[index].split(separator: "\n")
            #expect(lines.count == 2 && lines[1].hasPrefix("2026-11-20T17:00:00Z,2026-11-20T17:04:00Z,ride,"))
        }
        #expect(session.texts[4].split(separator: "\n").count == 1 && session.errors[4].contains("nothing to show"))
    }

    @Test(
        "Watching one device tells what it does, its cadence and its steps, and every so many of them",
        arguments: [true, false])
    func watchDevice(isCounted: Bool) async throws {
        let words = isCounted ? [" 50 steps", " 100 steps"] : ["walker-1 walking 1", " 0.0 spm steps="]
        let watch = ["watch", "--device", "walker-1", "--timeout", "60s"] + (isCounted ? ["--every", "50"] : [])
        let program = try await RunningBus.with { bus in
            let program = try Program(watch + bus.arguments)
            try await bus.walk { program.outputText.contains(words[0]) && program.outputText.contains(words[1]) }
            program.send(SIGKILL)
            _ = try await program.exitCode()
            return program
        }
        for word in words { #expect(program.outputText.contains(word), "\(program.errorText)") }
        #expect(program.outputText.split(separator: "\n").allSatisfy { $0.contains("walker-1") })
    }

    @Test("Watching once prints the table, which a pipe gets without anything that a terminal obeys")
    func watchOnce() async throws {
        let session = try await session([["watch", "--once"]])
        #expect(session.texts[0].hasPrefix("0 cycling, 0 on foot, 0 still\ndevice  doing  cadence"))
        #expect(!session.texts[0].contains("\u{1b}") && session.errors[0].isEmpty)
    }

    private func outputs(of queries: [[String]]) async throws -> [String] {
        try await session(queries.map { ["query"] + $0 }).texts
    }

    /// Does one thing after the other, and gives what each printed.
    private func session(
        _ commands: [[String]], prepare: (RunningBus) async throws -> Void = { _ in }
    ) async throws -> (texts: [String], errors: [String]) {
        try await RunningBus.with { bus in
            try await prepare(bus)
            var (texts, errors): ([String], [String]) = ([], [])
            for command in commands {
                let program = try Program(command + ["--timeout", "60s"] + bus.arguments)
                #expect(try await program.exitCode() == 0, "\(program.errorText)")
                texts.append(program.outputText)
                errors.append(program.errorText)
            }
            return (texts, errors)
        }
    }
}

extension RunningBus {
    /// A walker who pauses now and then, on and on until that is told: nobody knows when a program has begun to listen.
    fileprivate func walk(until isTold: () -> Bool) async throws {
        let publisher = try MotionPublisher(endpoint: endpoint, root: root)
        let pace = Pace(speed: 10, seconds: 3_000)
        let gym = SimulatedGym(bikes: 0, wearables: 1, seed: 3, startMicroseconds: pace.startMicroseconds)
        var player = FramePlayer(source: GymSource(gym: gym), pace: pace, publisher: publisher)
        try await player.publishConfigurations()
        var end = pace.startMicroseconds
        while !isTold(), end < pace.startMicroseconds + 2_000_000_000 {
            end += 5_000_000
            try await player.play(untilDevice: end)
        }
        await publisher.close()
    }

    /// Publishes minutes of a ride as a counter does once history reads, and returns when history has them.
    fileprivate func keepRide(of device: DeviceID, minutes: [Int64]) async throws {
        let rows = minutes.map { minute in
            var row = MinuteRow(device: device, minute: minute, epoch: 7, revision: 1)
            (row.revolutions, row.distanceMillimetres) = (84, 420_000)
            (row.activeMilliseconds, row.coveredMilliseconds) = (60_000, 60_000)
            (row.cadence.integral, row.cadence.seconds) = (84 * 60, 60)
            (row.cadence.minimum, row.cadence.maximum) = (84, 84)
            return row
        }
        let batch = CountsBatch(epoch: 7, previousRevision: 0, lastRevision: 1, rows: rows)
        let listener = try await listener("service/history/status", "\(device)/total")
        try await listener.wait(for: "\(root)/service/history/status") { $0.text == "online" }
        let producer = producer()
        try await producer.publish(
            MQTTPublication(topic: topics.bytes(.counts(Partition(of: device))), payload: batch.encoded()))
        try await listener.wait(for: "\(root)/\(device)/total")
        await producer.stop()
    }
}
