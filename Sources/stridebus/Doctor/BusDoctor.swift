import MQTT
import ServiceKit
import StrideClient
import Wire

/// Looks at a bus from outside, as the user that it is given: what works, what will bite, and what to do about it.
///
/// It publishes below `reply/` alone, and on a device's own topics where one is named.
struct BusDoctor: Sendable {
    /// How long devices are observed, in seconds.
    var listenSeconds = 10.0
    /// The longest time that one message may take from end to end, in seconds.
    var patienceSeconds = 5.0
    /// The device as which the user is to publish; its permissions are tried where it is named.
    var device: DeviceID?
    /// Whether only the broker and the services are asked, which takes a second or two.
    var isQuick = false

    let bus: BusSettings
    /// The name of this run.
    private let name = "stridebus-doctor-" + String(UInt64.random(in: .min ... .max), radix: 36)

    /// Messages for a client that is away that a bus should keep: a gym of 100 devices for ten seconds.
    static let neededQueuedMessages = 1_200
    /// Messages without their PUBACK that make larger commits, and with them a fast ingest, possible.
    static let neededInFlightMessages = 100

    init(bus: BusSettings) {
        self.bus = bus
    }

    private var probe: BrokerProbe { BrokerProbe(bus: bus, name: name, patienceSeconds: patienceSeconds) }

    /// Looks, and gives each finding as soon as it has it.
    ///
    /// - Returns: The worst grade.
    func run(_ report: (Finding) -> Void) async -> Finding.Grade {
        var worst = Finding.Grade.good
        func note(_ findings: [Finding]) {
            for finding in findings {
                worst = max(worst, finding.grade)
                report(finding)
            }
        }
        let (connection, version) = await connect()
        note(connection)
        guard connection.allSatisfy({ $0.grade != .bad }) else { return worst }
        note(encryption())
        let role = await role()
        if let user { note([Self.finding(of: user, role)]) }
        // What only an operator may read and write is not tried as anybody else.
        guard role == nil || role == .operator || role == .services else {
            note([await answer()])
            if let device { note(await permissions(of: device)) }
            return worst
        }
        let exchange = await ownRoundTrip()
        note([exchange])
        if exchange.grade == .good, !isQuick {
            let retained = await retained()
            note([retained.finding])
            note(await durability(BrokerEngine(name: version, givesRetainedByWildcard: retained.byWildcard)))
            note([await largestPacket()])
            note([await inFlight()])
            note([await queued()])
            note([await shared()])
        }
        note(await services())
        if exchange.grade == .good || role != nil { note([await answer()]) }
        guard !isQuick else { return worst }
        if let device { note(await permissions(of: device)) }
        note(await devices())
        return worst
    }
}

// The user.
extension BusDoctor {
    /// The user that requests are asked as; nil on the operators' way.
    private var user: DeviceID? { bus.endpoint.username.flatMap { try? DeviceID($0) } }

    /// The user's role, if an operator has given one.
    private func role() async -> Role? {
        guard let user else { return nil }
        let payload = await probe.retained(bus.topics.text(.userRole(user)))
        return payload.flatMap { try? UserRole(json: $0) }?.role
    }

    private static func finding(of user: DeviceID, _ role: Role?) -> Finding {
        guard let role else {
            return .warning(
                "user", "'\(user)' has no role on this bus",
                "give it one ('stridebus users add \(user)'), or requests are refused as not_authorised")
        }
        return .good("user", "'\(user)' has the role \(role.rawValue)")
    }
}

// The broker.
extension BusDoctor {
    /// Connects and reads the broker's name where it has one.
    private func connect() async -> ([Finding], version: String?) {
        if let failure = await probe.connectionFailure(bus.version) {
            return ([await unreachable(failure)], nil)
        }
        // Where the subscription is refused the name stays unknown.
        let version = await probe.retained("$SYS/broker/version").map { String(decoding: $0, as: UTF8.self) }
        let spoken = bus.version == .v5 ? "MQTT 5" : "MQTT 3.1.1"
        let name = version ?? "tells no name ($SYS): RabbitMQ, or not allowed to read it"
        return ([.good("broker", "\(bus.endpoint), \(spoken); \(name)")], version)
    }

    private func unreachable(_ error: MQTTError) async -> Finding {
        if bus.version == .v5, await probe.connectionFailure(.v311) == nil {
            return .bad("broker", "\(bus.endpoint) speaks 3.1.1 and not MQTT 5", "give --mqtt-version 3.1.1")
        }
        // Mosquitto answers to a wrong password as to a user who may not connect.
        let remedy = error.code == .notAuthorized ? "check user name and password in --broker" : "mend this first"
        return .bad("broker", "\(bus.endpoint): \(error.message)", remedy + ": nothing else can be tried")
    }

    private func ownRoundTrip() async -> Finding {
        let topic = probe.ownTopic("echo")
        let name = "\(bus.topics.root)/reply/…"
        switch await probe.roundTrip(MQTTPublication(topic: topic, payload: Array("echo".utf8))) {
        case .arrived(let milliseconds):
            return .good(name, "a message came back in \(Int(milliseconds.rounded(.up))) ms")
        case .refused(let reason):
            return .bad(name, "refused: \(reason)", Self.allow("write", name))
        case .unreadable(let reason):
            return .bad(name, reason, Self.allow("read", name))
        case .lost:
            return .bad(
                name, "the broker took a message and did not deliver it", Self.allow("read and write", name))
        }
    }

    private static func allow(_ verb: String, _ topic: String) -> String {
        "allow this user to \(verb) \(topic) in the broker's access list"
    }

    /// What loses acknowledged messages on an engine, as far as a client sees it, and else where to look.
    private func durability(_ engine: BrokerEngine) async -> [Finding] {
        guard engine == .mosquitto else { return [engine.durability] }
        let count = await probe.retained("$SYS/broker/publish/messages/dropped")
        guard let dropped = count.flatMap({ UInt64(String(decoding: $0, as: UTF8.self)) }), dropped > 0 else {
            return [engine.durability]
        }
        return [
            .warning(
                "durability", "the broker has dropped \(dropped) messages since it started",
                "raise max_queued_messages and max_queued_bytes; frames that were among them are missing on the health of "
                    + "their devices")
        ]
    }

    private func retained() async -> (finding: Finding, byWildcard: Bool) {
        let topic = probe.ownTopic("kept")
        let message = MQTTPublication(topic: topic, payload: Array("kept".utf8), retain: true)
        try? await probe.publish([message])
        let byTopic = await probe.retained(topic) != nil
        let byWildcard = await probe.retained(probe.ownTopic("+")) != nil
        try? await probe.publish([MQTTPublication(topic: topic, payload: [], retain: true)])
        let finding: Finding =
            switch (byTopic, byWildcard) {
            case (true, true): .good("retained messages", "found by topic and by wildcard")
            case (true, false):
                .warning(
                    "retained messages", "found by exact topic, not by wildcard",
                    "nothing for stridebus; a dashboard that subscribes with + sees totals when they change next")
            default:
                .bad(
                    "retained messages", "the broker keeps none",
                    "allow retained messages (Mosquitto: retain_available true): day and total need them")
            }
        return (finding, byWildcard)
    }

    private func largestPacket() async -> Finding {
        var largest = 0
        for bytes in [16_384, 65_536, FrameLimits.maximumPayloadBytes] {
            let message = MQTTPublication(
                topic: probe.ownTopic("large"), payload: [UInt8](repeating: 0x20, count: bytes))
            guard case .arrived = await probe.roundTrip(message) else { break }
            largest = bytes
        }
        let subject = "max_packet_size"
        if largest == FrameLimits.maximumPayloadBytes { return .good(subject, "\(largest) bytes get through") }
        return .warning(
            subject, largest == 0 ? "16384 bytes do not get through" : "only \(largest) bytes get through",
            "raise the broker's largest packet (Mosquitto: max_packet_size 2097152): a frame may have "
                + "\(FrameLimits.maximumPayloadBytes) bytes, a motion batch 65536")
    }

    private func inFlight() async -> Finding {
        let topic = probe.ownTopic("window")
        let count = Self.neededInFlightMessages
        var (largest, received) = (0, 0)
        try? await probe.listen(
            to: [topic], as: probe.connection("in"), spacingMilliseconds: 500
        ) {
            try await probe.publish((0..<count).map { MQTTPublication(topic: topic, payload: Array("\($0)".utf8)) })
        } take: { batch in
            largest = max(largest, batch.count)
            received += batch.count
            return received >= count
        }
        if largest >= count { return .good("max_inflight_messages", "at least \(count)") }
        return .warning(
            "max_inflight_messages", "\(largest) messages come before the first acknowledgement",
            "set max_inflight_messages 0 (Mosquitto; RabbitMQ: mqtt.prefetch): services commit more in one go then")
    }

    private func queued() async -> Finding {
        let topic = probe.ownTopic("queue")
        let count = Self.neededQueuedMessages
        let session = probe.connection("away", sessionExpirySeconds: 60)
        var received = 0
        try? await probe.listen(to: [topic], as: session, take: { $0.connection != nil })
        try? await probe.publish((0..<count).map { MQTTPublication(topic: topic, payload: Array("\($0)".utf8)) })
        try? await probe.listen(
            to: [topic], as: session,
            take: { batch in
                received += batch.count
                return received >= count
            })
        // A clean session with the same name makes the broker forget the one that was tried.
        try? await probe.listen(to: [topic], as: probe.connection("away"), take: { $0.connection != nil })
        let subject = "max_queued_messages"
        if received >= count { return .good(subject, "\(count) messages were kept for a client that was away") }
        return .warning(
            subject, "of \(count) messages for a client that was away \(received) were kept",
            "set max_queued_messages 1000000 and max_queued_bytes 268435456 (Mosquitto), persistence true: what the "
                + "broker drops while ingest restarts is lost, although the device got its acknowledgement")
    }

    /// RabbitMQ grants a shared subscription and delivers nothing to it.
    private func shared() async -> Finding {
        let subject = "$share"
        let remedy =
            "nothing for stridebus, which shares load by --root and --partitions; a shared subscription of your own "
            + "gets nothing here"
        let topic = probe.ownTopic("shared")
        let message = MQTTPublication(topic: topic, payload: Array("shared".utf8))
        switch await probe.roundTrip(message, subscribing: "$share/doctor/" + topic) {
        case .arrived: return .good(subject, "a shared subscription gets its messages")
        case .refused(let reason), .unreadable(let reason):
            return .warning(subject, "a shared subscription is refused: \(reason)", remedy)
        case .lost: return .warning(subject, "a shared subscription is granted, and gets no message", remedy)
        }
    }
}

// The services and the devices.
extension BusDoctor {
    /// Compares the clock of each service with this machine's.
    private func services() async -> [Finding] {
        var survey = ServiceSurvey(topics: bus.topics)
        let filters =
            ServiceName.allCases.flatMap {
                [
                    bus.topics.text(.serviceStatus($0)), bus.topics.text(.serviceHealth($0)),
                    "\(bus.topics.root)/service/\($0.rawValue)/+/health",
                ]
            } + [bus.topics.text(.serviceHealth(.network))]
        try? await probe.listen(
            to: filters, as: probe.connection("in"), seconds: max(listenSeconds, 0.5),
            take: { batch in
                for message in batch { survey.take(message, nowMicroseconds: WallClock.microseconds()) }
                return survey.isComplete
            })
        return survey.findings
    }

    /// Asks history as an app does.
    private func answer() async -> Finding {
        let topic = bus.topics.text(user.map { Topic.userRequest($0, .devices) } ?? .request(.devices))
        let began = ContinuousClock.now
        do {
            try await ask(HistoryRequest(verb: .devices, limit: 1))
            let milliseconds = Int((ContinuousClock.now - began) / .milliseconds(1))
            return .good("requests", "history answers in \(milliseconds) ms")
        } catch StrideClientError.refused(let error) {
            return .bad("requests", "history refuses: \(error.message)", "ask an operator for the role that you need")
        } catch StrideClientError.connection(let error) {
            return .bad("requests", error.message, Self.allow("write", topic))
        } catch {
            return .bad(
                "requests", "no answer in \(Int(patienceSeconds)) s",
                "start history ('stridebus history'), or allow this user to write \(topic)")
        }
    }

    private func ask(_ request: HistoryRequest) async throws {
        let client = try StrideBus(
            endpoint: bus.endpoint, root: bus.topics.root, version: bus.version, name: "\(name)-answer",
            timeoutSeconds: patienceSeconds)
        let answer: Result<[UInt8], any Error>
        do { answer = .success(try await client.ask(request)) } catch { answer = .failure(error) }
        await client.close()
        _ = try answer.get()
    }

    /// Tries what a device does, and that it cannot do it for another one.
    private func permissions(of device: DeviceID) async -> [Finding] {
        var findings: [Finding] = []
        for channel in DeviceSurvey.channels + [.status] {
            let topic = bus.topics.text(.device(device, channel))
            // A device sends frames, or counts; what it does not use it need not be allowed.
            let missing = channel == .imu || channel == .status ? Finding.bad : Finding.warning
            // Ingest refuses an empty message and counts it; an empty status, not retained, says nothing.
            switch await probe.roundTrip(MQTTPublication(topic: topic, payload: [])) {
            case .arrived: findings.append(.good(topic, "this user publishes here"))
            case .refused(let reason): findings.append(missing(topic, reason, Self.allow("write", topic)))
            case .unreadable(let reason):
                findings.append(
                    .warning(topic, reason, "whether it may write here is seen only by a user who may also read here"))
            case .lost:
                findings.append(
                    missing(
                        topic, "a message did not come back",
                        Self.allow("write", topic) + "; if it may, it cannot read it, and this cannot be seen from here"
                    ))
            }
        }
        if let finding = await isolation(of: device) { findings.append(finding) }
        return findings
    }

    /// Tries to publish as another device.
    private func isolation(of device: DeviceID) async -> Finding? {
        guard let other = try? DeviceID("doctor-of-\(device)".prefix(60).description) else { return nil }
        let topic = bus.topics.text(.device(other, .status))
        let remedy =
            "give each device a user of its own, and allow it no other device's topics (docs/roles.md)"
        switch await probe.roundTrip(MQTTPublication(topic: topic, payload: [])) {
        case .arrived: return .warning(topic, "this user publishes as another device", remedy)
        case .refused: return .good(topic, "this user cannot publish as another device")
        case .lost: return .good(topic, "what this user publishes as another device does not come back")
        case .unreadable:
            return .warning(
                topic, "whether this user publishes as another device cannot be seen: it may not read here", remedy)
        }
    }

    /// Listens to the messages of devices.
    private func devices() async -> [Finding] {
        var survey = DeviceSurvey(topics: bus.topics)
        try? await probe.listen(
            to: DeviceSurvey.channels.map { bus.topics.filter(every: $0) }, as: probe.connection("in"),
            seconds: listenSeconds,
            take: { batch in
                for message in batch {
                    survey.take(
                        topic: message.topic, payload: message.payload, nowMicroseconds: WallClock.microseconds())
                }
                return false
            })
        return survey.findings(listenSeconds: listenSeconds)
    }
}
