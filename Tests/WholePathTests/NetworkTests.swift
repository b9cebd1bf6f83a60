import Foundation
import MQTT
import PrivateBroker
import TestBroker
import Testing
import Watched
import Wire

@Suite("A bus on the network", .timeLimit(.minutes(5)))
struct NetworkTests {
    private let kept = TemporaryFolder()

    @Test("From an empty folder to a board's frames that are counted, and the page by https, in less than a minute")
    func fromAnEmptyFolder() async throws {
        let start = ContinuousClock.now
        try await NetworkBus.with { bus in
            let printed = try await bus.users("add", "bike-07")
            #expect(printed.contains("In force on the running bus."))
            let frames = try await sketch(login: printed)
            let board = try #require(frames.endpoint)
            #expect(frames.said.contains("login bike-07 \(board.password ?? "")"))
            #expect(frames.said.contains("tls \(bus.place.host) \(bus.place.tlsPort) \(bus.place.name) "))
            let person = try await bus.add("boss", "--operator")
            let health = try await BusListener(
                MQTTConnectionConfiguration(endpoint: person, clientID: "boss"), filters: ["stride/bike-07/health"])
            let producer = MQTTProducer(
                configuration: MQTTConnectionConfiguration(endpoint: board, clientID: "bike-07"))
            try await producer.publish(frames.publications)
            let sent = frames.publications.count { $0.topic == Array("stride/bike-07/imu".utf8) }
            #expect(sent > 30)
            try await health.wait(for: "stride/bike-07/health") {
                (try? DeviceHealth(json: $0.payload))?.accepted == UInt64(sent)
            }
            await producer.stop()
            #expect(try await bus.get("").contains("<title>the page</title>"))
            #expect(try await bus.get("sw.js").hasPrefix("200 text/javascript"))
            let trust = try await bus.get("trust")
            let fingerprint = try Certificates(folder: NetworkFolder.path(data: bus.data)).fingerprint()
            #expect(trust.contains(fingerprint.split(separator: ":").prefix(8).joined(separator: " ")))
            #expect(try await bus.get("stridebus-ca.crt").contains("BEGIN CERTIFICATE"))
        }
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("A revoked and a rotated session end within a second, and nobody else loses a frame")
    func revokedUnderLoad() async throws {
        try await NetworkBus.with { bus in
            let boss = try await bus.add("boss", "--operator")
            var devices: [String: MQTTProducer] = [:]
            for name in ["gone-1", "changed-1", "stays-1", "stays-2"] {
                let endpoint = try await bus.add(name)
                devices[name] = MQTTProducer(
                    configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name))
            }
            let heard = MQTTConsumer(
                configuration: MQTTConnectionConfiguration(endpoint: boss, clientID: "boss"),
                subscriptions: [MQTTSubscription("stride/+/csc")])
            try await heard.subscribed()
            let staying = devices.filter { $0.key.hasPrefix("stays") }
            // It is read all the time, as a service does: what waits for long is given up with its connection.
            let hearing = Task { try await Self.numbers(heardBy: heard, devices: staying.count) }
            let isOver = Watched(false)
            let load = Task { try await Self.numbers(from: staying, until: isOver) }
            for name in ["gone-1", "changed-1"] {
                try await devices[name]?.publish(MQTTPublication("stride/\(name)/csc", "here"))
            }
            let gone = try #require(devices["gone-1"]), changed = try #require(devices["changed-1"])
            _ = try await bus.users("revoke", "gone-1")
            #expect(await ContinuousClock().measure { await gone.ended() } < .seconds(1))
            let fresh = try await bus.users("rotate", "changed-1")
            #expect(await ContinuousClock().measure { await changed.ended() } < .seconds(1))
            isOver.change { $0 = true }
            let sent = try await load.value
            for (name, producer) in staying { try await producer.publish(MQTTPublication("stride/\(name)/csc", "end")) }
            let numbers = try await hearing.value
            for (name, count) in sent { #expect(numbers[name] == Array(0..<count), "\(name)") }
            #expect(sent.values.allSatisfy { $0 > 20 })
            // The new password lets it in again.
            let password = try #require(fresh.firstMatch(of: /#define STRIDE_PASSWORD "([^"]+)"/)).output.1
            let again = MQTTProducer(
                configuration: MQTTConnectionConfiguration(
                    endpoint: bus.endpoint("changed-1", String(password)), clientID: "changed-1"))
            try await again.publish(MQTTPublication("stride/changed-1/csc", "back"))
            await again.stop()
            heard.stop()
            for producer in devices.values { await producer.stop() }
        }
    }

    @Test(
        "A user that nobody added, a wrong password and no user are refused by every listener, told what to do, and noted"
    )
    func strangers() async throws {
        try await NetworkBus.with(["--plain-port", "0"]) { bus in
            #expect(bus.up.errorText.contains("without TLS"))
            let boss = try await bus.add("boss", "--operator")
            let topic = "stride/service/history/audit"
            let audit = try await BusListener(
                MQTTConnectionConfiguration(endpoint: boss, clientID: "boss"), filters: [topic])
            let plain = MQTTEndpoint(host: "127.0.0.1", port: try #require(bus.place.plainPort))
            for endpoint in [
                bus.endpoint("nobody", "password-1234"), bus.endpoint("operator", "wrong-password"), plain,
            ] {
                let producer = MQTTProducer(
                    configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "stranger"))
                let error = await #expect(throws: MQTTError.self) {
                    try await producer.publish(MQTTPublication("stride/a/imu", "x"))
                }
                #expect([.badCredentials, .notAuthorized].contains(error?.code), "\(endpoint)")
                await producer.stop()
            }
            try await audit.wait(for: topic) { heard in
                guard let entry = try? AuditEntry(json: heard.payload), entry.did == "login" else { return false }
                return entry.outcome == "refused" && entry.addresses == ["127.0.0.1"] && entry.count > 0
            }
        }
    }

    @Test("Who connects with the client ids of the services ends none of their sessions")
    func clientIDs() async throws {
        try await NetworkBus.with { bus in
            let ben = try await bus.add("ben", "--member")
            for service in ["ingest", "counter", "history", "users"] {
                for end in ["-in", "-out", ""] {
                    let rival = MQTTProducer(
                        configuration: MQTTConnectionConfiguration(
                            endpoint: ben, clientID: "stridebus-\(service)-stride\(end)"))
                    try await rival.publish(MQTTPublication("stride/ben/count", "{}"))
                    await rival.stop()
                }
            }
            let log = try String(contentsOfFile: bus.data + "/broker/mosquitto.log", encoding: .utf8)
            #expect(log.contains("as stridebus-ingest-stride-in ("))
            #expect(!log.contains("already connected"))
        }
    }

    @Test("What was changed while the bus was down is in force at its next start, and there is an operator")
    func changedMeanwhile() async throws {
        let data = kept.path + "/data"
        func users(_ arguments: String...) async throws {
            let program = try Program(["users"] + arguments + ["--data", data])
            #expect(try await program.exitCode() == 0, "\(program.errorText)")
        }
        try await users("add", "gone-1")
        try await NetworkBus.with(kept: data) { bus in
            let list = try await bus.users("list")
            #expect(list.contains("device    gone-1") && list.contains("operator  operator"))
            // Whom history has never heard of is not missed by it.
            try await bus.up.waitForError(containing: "users: device")
        }
        try await users("revoke", "gone-1")
        try await NetworkBus.with(kept: data) { bus in
            try await bus.up.waitForError(containing: "users: revoked")
        }
    }

    @Test("For a broker of one's own the files are written, and what is printed says whose check-ins a member's are")
    func ownBroker() async throws {
        let files = kept.path + "/files"
        func users(_ arguments: String..., at broker: String = "mqtts://bus.gym.example") async throws -> String {
            let program = try Program(
                ["users"] + arguments + ["--broker", broker, "--files", files],
                environment: ["STRIDEBUS_HOME_ASSISTANT": "homeassistant"])
            #expect(try await program.exitCode() == 0, "\(program.errorText)")
            return program.outputText
        }
        let first = try await users("add", "anna", "--member", "--person", "Anna O'Neil")
        #expect(first.contains(#"-t stride/user/anna/role -m '{"role":"member","person":"Anna O\u0027Neil","by":"#))
        #expect(first.contains("The services log in as services"))
        let access = try String(contentsOfFile: files + "/access", encoding: .utf8)
        #expect(access.contains("topic write homeassistant/#"))
        #expect(try await !users("add", "bike-07").contains("The services log in as services"))
        let plain = try await users("add", "bike-08", at: "mqtt://10.0.0.2")
        #expect(plain.contains("#define STRIDE_PLAIN") && plain.contains("--broker mqtt://10.0.0.2:1883 "))
        let revoked = try await users("revoke", "anna")
        #expect(revoked.contains("mosquitto_pub -q 1 -r -n -t stride/user/anna/role"))
        #expect(revoked.contains("rabbitmqctl delete_user anna\n") && !plain.contains("delete_user"))
    }

    @Test("A second bus from the same folder does not start, and files of secrets are their owner's alone")
    func folder() async throws {
        try await NetworkBus.with { bus in
            _ = try await bus.add("anna", "--member", "--person", "Anna")
            let second = try Program([
                "up", "--network", "--address", "127.0.0.1", "--port", "0", "--tls-port", "0", "--page", "off",
                "--data", bus.data,
            ])
            #expect(try await second.exitCode() != 0)
            #expect(second.errorText.contains("another 'stridebus up --network' uses it"))
            // What others log in with is no new user's password.
            let others = ["STRIDEBUS_PASSWORD": "password-of-ben"]
            let added = try await bus.users("add", "ben", environment: others)
            #expect(added.contains("ben is a user") && !added.contains("password-of-ben"))
            let list = try await bus.users("list")
            #expect(list.contains("member    anna (Anna)") && list.contains("operator  operator"))
            let folder = NetworkFolder.path(data: bus.data)
            for file in try FileManager.default.contentsOfDirectory(atPath: folder)
            where !file.hasSuffix(".lock") && !file.hasSuffix(".log") {
                let mode =
                    try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(file)")
            }
            let secrets = try String(contentsOfFile: folder + "/passwords", encoding: .utf8)
            #expect(!secrets.contains("password-of-anna") && !secrets.contains("password-of-ben"))
            #expect(!bus.up.errorText.contains("password-of-anna"))
            for name in ["service", "request", "reply", "user", "services", "Anna", "a/b", "-x", ""] {
                let program = try Program(["users", "add", name, "--data", bus.data])
                #expect(try await program.exitCode() != 0, "\(name)")
            }
        }
    }
}

extension NetworkTests {
    /// Publishes numbers from 0 as each device until it is enough. Returns how many the broker took of each.
    private static func numbers(
        from devices: [String: MQTTProducer], until isOver: Watched<Bool>
    ) async throws -> [String: Int] {
        var sent: [String: Int] = [:]
        while !isOver.now {
            for (name, producer) in devices {
                try await producer.publish(MQTTPublication("stride/\(name)/csc", "\(sent[name, default: 0])"))
                sent[name, default: 0] += 1
            }
        }
        return sent
    }

    /// The numbers that were heard of each device, until all have said that they end.
    private static func numbers(heardBy consumer: MQTTConsumer, devices: Int) async throws -> [String: [Int]] {
        var numbers: [String: [Int]] = [:]
        var ended = 0
        for try await batch in consumer.batches {
            for message in batch {
                let name = String(decoding: message.topic, as: UTF8.self).split(separator: "/")[1]
                if let number = Int(message.payloadText) { numbers[String(name), default: []].append(number) }
                if message.payloadText == "end" { ended += 1 }
            }
            batch.acknowledge()
            if ended == devices { break }
        }
        return numbers
    }

    /// What a board sent.
    struct Sent {
        /// Where it sends it, and as whom, as the printed lines say.
        var endpoint: MQTTEndpoint?
        var publications: [MQTTPublication] = []
        /// What its TLS and its MQTT library were told.
        var said = ""
    }

    /// Compiles the sketch of `deploy/firmware` with the printed file, on this host, and runs it for 20 seconds of its clock.
    func sketch(login printed: String) async throws -> Sent {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        let folder = kept.path + "/sketch"
        try FileManager.default.copyItem(
            atPath: package + "/deploy/firmware/arduino/stridebus-mpu6050", toPath: folder)
        let header = try #require(printed.firstMatch(of: /#pragma once[\s\S]*?\n\n/)).output
        try String(header).write(toFile: folder + "/stride_login.h", atomically: true, encoding: .utf8)
        let host = package + "/Tests/DeployTests/Firmware/Host"
        let compiler = try Program(
            ["-std=gnu++17", host + "/sketch.cpp", "-I", host + "/arduino", "-I", folder, "-o", folder + "/sketch"],
            named: "/usr/bin/g++")
        #expect(try await compiler.exitCode() == 0, "\(compiler.errorText)")
        let board = try Program(["100000", "100000", "20000"], named: folder + "/sketch")
        #expect(try await board.exitCode() == 0)
        var sent = Sent()
        sent.said = board.errorText
        for line in board.outputText.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count == 2 else { continue }
            sent.publications.append(MQTTPublication(topic: Array(parts[0].utf8), payload: Self.bytes(hex: parts[1])))
        }
        func value(_ name: String) -> String? {
            guard let found = header.firstRange(of: "#define \(name) ") else { return nil }
            return header[found.upperBound...].prefix { $0 != "\n" }.trimmingCharacters(in: ["\""])
        }
        let authority = header.matches(of: /\n  "(.*)\\n"/).map { String($0.output.1) }.joined(separator: "\n")
        let file = try kept.write("authority", authority + "\n")
        sent.endpoint = MQTTEndpoint(
            host: value("STRIDE_HOST") ?? "", port: value("STRIDE_PORT").flatMap { Int($0) } ?? 0,
            username: value("STRIDE_DEVICE"), password: value("STRIDE_PASSWORD"), tls: MQTTTLS(caFile: file))
        return sent
    }

    private static func bytes(hex: Substring) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }
}

extension MQTTProducer {
    /// Returns when the connection has ended; the suite's time limit is the deadline.
    fileprivate func ended() async {
        for await state in events {
            switch state {
            case .failed, .disconnected, .stopped: return
            default: continue
            }
        }
    }
}
