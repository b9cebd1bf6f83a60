import Foundation
import MQTT
import PrivateBroker
import ServiceKit
import StrideClient
import Wire

/// Looks at a bus from outside, as the user that it is given: what works, what will bite, and what to do about it.
///
/// It publishes below `reply/` alone, and on a device's own topics where one is named. What is wrong with a device's data is
/// on that device's `health`.
struct BusDoctor: Sendable {
    /// How long the bus is listened to, in seconds.
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

    init(bus: BusSettings) {
        self.bus = bus
    }

    private var probe: BrokerProbe { BrokerProbe(bus: bus, name: name, patienceSeconds: patienceSeconds) }

    /// Makes the attempts one after the other, and gives each finding as soon as it has it.
    ///
    /// - Returns: True if nothing is bad.
    func run(_ report: (Finding) -> Void) async -> Bool {
        var isWell = true
        @discardableResult
        func note(_ findings: [Finding]) -> Bool {
            findings.forEach(report)
            let areWell = !findings.contains { $0.grade == .bad }
            isWell = isWell && areWell
            return areWell
        }
        guard note([await connection()]) else { return false }
        let role = await role()
        note(encryption() + self.user(role))
        // What only an operator may read and write is not tried as anybody else.
        let mayTry = role == nil || role == .operator || role == .services
        let canTry = mayTry ? note([await roundTrip()]) : false
        if canTry, !isQuick {
            for attempt in [retained, size, queued] { note([await attempt()]) }
        }
        if mayTry { note(await services()) }
        if canTry || role != nil { note([await answer()]) }
        if let device, !isQuick || !mayTry { note(await permissions(of: device)) }
        if mayTry, !isQuick { note(await traffic()) }
        return isWell
    }

    private static func allow(_ verb: String, _ topic: String) -> String {
        "allow this user to \(verb) \(topic) in the broker's access list"
    }
}

// The connection, and whose it is.
extension BusDoctor {
    private func connection() async -> Finding {
        guard let error = await probe.connectionFailure(bus.version) else {
            return .good("broker", "\(bus.endpoint), \(bus.version == .v5 ? "MQTT 5" : "MQTT 3.1.1")")
        }
        if bus.version == .v5, await probe.connectionFailure(.v311) == nil {
            return .bad("broker", "\(bus.endpoint) speaks 3.1.1 and not MQTT 5", "give --mqtt-version 3.1.1")
        }
        // Mosquitto answers to a wrong password as to a user who may not connect.
        let remedy = error.code == .notAuthorized ? "check user name and password in --broker" : "mend this first"
        return .bad("broker", "\(bus.endpoint): \(error.message)", remedy + ": nothing else can be tried")
    }

    /// Whether what this connection carries can be read on the way, and for how long the broker's certificate is good.
    private func encryption() -> [Finding] {
        let (endpoint, host) = (bus.endpoint, bus.endpoint.host)
        guard endpoint.tls != nil else {
            guard !HostNames.isLoopback(host) else { return [] }
            return [
                .warning(
                    "TLS", "none: who listens in on the network reads this user's password and all messages",
                    "use mqtts:// ('stridebus up --network' listens with TLS; --plain-port is for boards that cannot)")
            ]
        }
        let place = host.contains(":") ? "[\(host)]:\(endpoint.port)" : "\(host):\(endpoint.port)"
        let shown = try? SystemProgram.run(
            "openssl", package: "openssl", ["s_client", "-connect", place, "-servername", host])
        guard let shown, let end = try? Certificates.endSeconds(of: shown) else { return [] }
        let days = Int(((end - WallClock.seconds()) / 86_400).rounded(.down))
        guard days <= Certificates.renewalDays else {
            return [.good("TLS", "the certificate is good for \(days) days")]
        }
        return [.warning("TLS", "the certificate ends in \(days) days", "renew it: after that nobody connects")]
    }

    /// The user that requests are asked as; nil on the operators' way.
    private var user: DeviceID? { bus.endpoint.username.flatMap { try? DeviceID($0) } }

    /// The user's role, if an operator has given one.
    private func role() async -> Role? {
        guard let user else { return nil }
        let payload = await probe.retained(bus.topics.text(.userRole(user)))
        return payload.flatMap { try? UserRole(json: $0) }?.role
    }

    private func user(_ role: Role?) -> [Finding] {
        guard let user else { return [] }
        guard let role else {
            return [
                .warning(
                    "user", "'\(user)' has no role on this bus",
                    "give it one ('stridebus users add \(user)'), or requests are refused as not_authorised")
            ]
        }
        return [.good("user", "'\(user)' has the role \(role.rawValue)")]
    }
}

// What the broker does with messages.
extension BusDoctor {
    private func roundTrip() async -> Finding {
        let name = "\(bus.topics.root)/reply/…"
        switch await probe.roundTrip(MQTTPublication(topic: probe.ownTopic("echo"), payload: Array("echo".utf8))) {
        case .arrived(let milliseconds):
            return .good(name, "a message came back in \(Int(milliseconds.rounded(.up))) ms")
        case .refused(let reason): return .bad(name, "refused: \(reason)", Self.allow("write", name))
        case .unreadable(let reason): return .bad(name, reason, Self.allow("read", name))
        case .lost:
            return .bad(
                name, "the broker took a message and did not deliver it", Self.allow("read and write", name))
        }
    }

    private func retained() async -> Finding {
        let topic = probe.ownTopic("kept")
        try? await probe.publish([MQTTPublication(topic: topic, payload: Array("kept".utf8), retain: true)])
        let isKept = await probe.retained(topic) != nil
        try? await probe.publish([MQTTPublication(topic: topic, payload: [], retain: true)])
        guard !isKept else { return .good("retained messages", "are kept") }
        return .bad(
            "retained messages", "the broker keeps none",
            "allow retained messages (Mosquitto: retain_available true): day and total need them")
    }

    private func size() async -> Finding {
        let subject = "max_packet_size"
        let payload = [UInt8](repeating: 0x20, count: FrameLimits.maximumPayloadBytes)
        let message = MQTTPublication(topic: probe.ownTopic("large"), payload: payload)
        if case .arrived = await probe.roundTrip(message) {
            return .good(subject, "\(payload.count) bytes get through")
        }
        return .warning(
            subject, "\(payload.count) bytes do not get through, which a frame may have",
            "raise the broker's largest packet (Mosquitto: max_packet_size 2097152)")
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
}

// The services, and who sends.
extension BusDoctor {
    /// The channels on which a device sends.
    private static let channels: [DeviceChannel] = [.imu, .rev, .csc, .ftms, .hr, .count, .status]

    private func services() async -> [Finding] {
        var survey = ServiceSurvey(topics: bus.topics)
        try? await probe.listen(
            to: survey.filters, as: probe.connection("in"), seconds: max(listenSeconds, 0.5),
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
            let client = try StrideBus(
                endpoint: bus.endpoint, root: bus.topics.root, version: bus.version, name: "\(name)-answer",
                timeoutSeconds: patienceSeconds)
            let answer: Result<[UInt8], any Error>
            do {
                answer = .success(try await client.ask(HistoryRequest(verb: .devices, limit: 1)))
            } catch { answer = .failure(error) }
            await client.close()
            _ = try answer.get()
            return .good("requests", "history answers in \(Int((ContinuousClock.now - began) / .milliseconds(1))) ms")
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

    /// Tries what a device does, and that it cannot do it for another one.
    private func permissions(of device: DeviceID) async -> [Finding] {
        var findings: [Finding] = []
        for channel in Self.channels {
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
        guard let other = try? DeviceID("doctor-of-\(device)".prefix(60).description) else { return findings }
        let topic = bus.topics.text(.device(other, .status))
        let remedy = "give each device a user of its own, and allow it no other device's topics (docs/roles.md)"
        switch await probe.roundTrip(MQTTPublication(topic: topic, payload: [])) {
        case .arrived: findings.append(.warning(topic, "this user publishes as another device", remedy))
        case .refused: findings.append(.good(topic, "this user cannot publish as another device"))
        case .lost: findings.append(.good(topic, "what this user publishes as another device does not come back"))
        case .unreadable:
            findings.append(
                .warning(
                    topic, "whether this user publishes as another device cannot be seen: it may not read here", remedy)
            )
        }
        return findings
    }

    /// Listens to everything: who sends, and who uses a topic that this bus does not have, as of an older form.
    private func traffic() async -> [Finding] {
        var (senders, strays): (Set<DeviceID>, Set<String>) = ([], [])
        try? await probe.listen(
            to: ["\(bus.topics.root)/#"], as: probe.connection("in"), seconds: listenSeconds,
            take: { batch in
                for message in batch {
                    switch try? bus.topics.parse(message.topic) {
                    case .device(let device, let channel) where Self.channels.contains(channel): senders.insert(device)
                    case nil where strays.count < Self.maximumStrays:
                        strays.insert(String(decoding: message.topic, as: UTF8.self))
                    default: break
                    }
                }
                return false
            })
        let seconds = "\(Int(listenSeconds)) s"
        let devices: Finding =
            senders.isEmpty
            ? .warning(
                "devices", "none sent anything in \(seconds)",
                "publish to \(bus.topics.root)/{device}/imu, or allow this user to read \(bus.topics.root)/#")
            : .good("devices", "\(senders.count) sent something in \(seconds); {device}/health says how well")
        return [devices]
            + strays.sorted().map {
                .warning(
                    $0, "is a topic that this bus does not have", "docs/topics.md has them all, the old beside the new")
            }
    }

    /// The topics without a meaning that are told.
    private static let maximumStrays = 20
}
