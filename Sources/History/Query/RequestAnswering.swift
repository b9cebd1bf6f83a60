import Logging
import MQTT
import ServiceKit
import Wire

/// A message of the connection that reads requests.
enum ReaderMessage: Sendable {
    /// A request, or why it is none.
    case request(Admission)
    /// The health of a device; no bytes where it was taken back.
    case deviceHealth(DeviceID, json: [UInt8])
    /// The config of a device; no bytes where it was taken back.
    case deviceConfig(DeviceID, json: [UInt8])
    /// A message without meaning.
    case nothing

    /// Reads a message; one of which history has died twice has no meaning any more.
    static func read(
        _ message: MQTTMessage, in topics: TopicTree, nowSeconds: Double, _ inputGuard: InputGuard
    ) -> ReaderMessage {
        inputGuard.read(message.payload, on: message.topic, slot: InputGuard.secondLoop) {
            ReaderMessage(message, in: topics, nowSeconds: nowSeconds)
        } ?? .nothing
    }

    /// Reads a message.
    init(_ message: MQTTMessage, in topics: TopicTree, nowSeconds: Double) {
        switch try? topics.parse(message.topic) {
        case .device(let device, .health)?: self = .deviceHealth(device, json: Array(message.payload))
        case .device(let device, .config)?: self = .deviceConfig(device, json: Array(message.payload))
        case _ where Self.isOfConfigs(message.topic):
            // What is wrong with it is counted where counts are kept, which read it too.
            self = .nothing
        default:
            let request = IncomingRequest(
                topic: message.topic, payload: message.payload, responseTopic: message.responseTopic,
                correlationData: message.correlationData, isRetained: message.isRetained,
                expirySeconds: message.messageExpirySeconds)
            self = .request(request.admission(in: topics, nowSeconds: nowSeconds))
        }
    }

    private static func isOfConfigs(_ topic: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: topic, as: UTF8.self)
        return text.hasSuffix("/config") && !text.contains("/request/")
    }
}

/// Answers to requests.
extension HistoryPublisher {
    /// Takes messages.
    /// - Returns: The requests to be answered now.
    func take(_ messages: [ReaderMessage]) -> [AdmittedRequest] {
        messages.compactMap { message in
            switch message {
            case .request(let admission): return admit(admission)
            case .deviceHealth(let device, let json): devices.take(json, of: device)
            case .deviceConfig(let device, let json):
                // The broker repeats each config that history publishes: another config that comes first is older than it.
                if let (config, endSeconds) = saidConfigs[device], config != json, now() < endSeconds { break }
                saidConfigs[device] = nil
                configs.take(json, of: device)
            case .nothing: break
            }
            return nil
        }
    }

    private func admit(_ admission: Admission) -> AdmittedRequest? {
        switch admission {
        case .answer(let request, let ignoredUnsafe):
            if ignoredUnsafe { health[.repliesUnsafe] += 1 }
            switch requests.take(request) {
            case .now: return request
            case .waits: break
            case .tooBusy:
                health[.requestsTooBusy] += 1
                producer.offer(
                    publication(.error(transaction: request.transaction, .tooBusy), to: request.requester))
            }
        case .retained: health[.requestsRetained] += 1
        case .expired: health[.requestsExpired] += 1
        case .unsafe:
            health[.repliesUnsafe] += 1
            health[.requestsDropped] += 1
        case .refused(let reason):
            health.refuse(reason)
            health[.requestsDropped] += 1
        }
        return nil
    }

    /// Answers a request, and after it those that wait.
    func answer(_ request: AdmittedRequest) async {
        var next: AdmittedRequest? = request
        while let request = next {
            if now() <= request.deadlineSeconds { await reply(to: request) } else { health[.requestsExpired] += 1 }
            next = requests.next(after: request)
        }
    }

    private func reply(to request: AdmittedRequest) async {
        let question: HistoryRequest
        switch request.request {
        case .success(let asked): question = asked
        case .failure(let error):
            return await publish(.error(transaction: request.transaction, error), to: request.requester)
        }
        let (key, bytes) = (InputKey(question), question.encodedJSON())
        guard !inputGuard.isFatal(key) else {
            bytes.withUnsafeBytes {
                inputGuard.setAside(key, kind: "request", subject: "\(question.verb.rawValue)", $0)
            }
            let error = ReplyError(
                code: .notAvailable,
                message: "history ended twice while it answered this: its log says where it is kept")
            return await publish(.error(transaction: request.transaction, error), to: request.requester)
        }
        func work() async {
            await inputGuard.work(on: key, "request " + String(decoding: bytes, as: UTF8.self)) {
                await answer(question, of: request)
            }
        }
        guard question.verb == .devicesConfigure else { return await work() }
        // One after the other: each begins with what the one before has made of the config.
        let before = configChange
        let task = Task {
            await before?.value
            await work()
        }
        configChange = task
        await task.value
    }

    private func answer(_ question: HistoryRequest, of request: AdmittedRequest) async {
        var answers = HistoryAnswers(store: store)
        answers.retention = configuration.retention
        let start = ContinuousClock.now
        let end = start + .seconds(RequestQueue.maximumAnswerSeconds)
        answers.isOver = { [now] in now() > request.deadlineSeconds || ContinuousClock.now > end }
        answers.noteStoreError = { [logger] error in
            logger.error(
                "a request is not answered, because the store fails",
                metadata: ["verb": "\(question.verb.rawValue)", "error": "\(error)"])
        }
        answers.deviceHealth = question.device.flatMap { devices[$0] }
        answers.deviceConfig = question.device.flatMap { configs[$0] }
        if question.verb == .devices { answers.deviceNames = devices.names }
        var answer = await answers.answer(question, from: request.requester, nowSeconds: now())
        let milliseconds = UInt64(clamping: Int64((ContinuousClock.now - start) / .milliseconds(1)))
        costs.note(milliseconds: milliseconds, of: question.verb, nowSeconds: now())
        totals.change(answer.changed)
        workoutEnds.noteEdge(of: answer.changed, nowSeconds: now())
        if answer.hasErasures { erasuresDue.continuation.yield() }
        if question.verb.row.isChanging { wallShownSeconds = nil }
        if [.classesStart, .classesStop].contains(question.verb) { classDueSeconds = -.infinity }
        if let (device, config) = answer.config {
            let (topic, present) = (Topic.device(device, .config), configs[device])
            // The next change begins with this one, which the broker says again only later.
            configs.take(config, of: device)
            saidConfigs[device] = (config, now() + Self.configEchoSeconds)
            do { try await retain([RetainedMessage(topic: topics.bytes(topic), payload: config)]) } catch {
                configs.take(present ?? [], of: device)
                saidConfigs[device] = nil
                let message =
                    "the broker did not take the config: allow history's user to write \(topics.text(topic))"
                answer.reply = .error(
                    transaction: request.transaction, ReplyError(code: .notAvailable, message: message))
            }
        }
        await finish(answer, to: question, request)
    }

    private func finish(_ answer: HistoryAnswer, to question: HistoryRequest, _ request: AdmittedRequest) async {
        if answer.isOfNote {
            noteDeed(AuditEntry(question, by: request.requester.user, answer.reply, nowSeconds: now()))
        }
        // What was changed is told, however late.
        guard question.verb.row.isChanging || now() <= request.deadlineSeconds else {
            return health[.requestsExpired] += 1
        }
        await publish(answer.reply, to: request.requester)
    }

    private func publish(_ reply: HistoryReply, to requester: Requester) async {
        health[reply.code == nil ? .requestsOK : .requestsError] += 1
        if reply.code == .notAuthorised { health[.requestsNotAuthorised] += 1 }
        do { try await producer.publish(publication(reply, to: requester)) } catch {
            logger.debug("an answer could not be published", metadata: ["error": "\(error)"])
            health[.publishFailures] += 1
        }
    }

    private func publication(_ reply: HistoryReply, to requester: Requester) -> MQTTPublication {
        MQTTPublication(
            topic: requester.address.topic, payload: reply.encodedJSON(),
            properties: requester.correlationData.map { MQTTProperties(correlationData: $0) })
    }
}

extension InputKey {
    /// A request, whoever asks and whenever.
    fileprivate init(_ request: HistoryRequest) {
        var plain = request
        (plain.transaction, plain.replyTo, plain.deadline) = (nil, nil, nil)
        self.init(plain.encodedJSON(), behind: request.verb.rawValue)
    }
}

/// What devices' topics retain, as it came: configs, for changes of some of their fields, and health, for `capabilities`.
///
/// The broker sends it again at each connection. It is read when it is asked for: thousands of devices publish health every
/// second, and hardly any is asked for.
struct RetainedPayloads: Sendable {
    static let maximumDevices = 100_000
    /// The largest one that is kept, in bytes.
    static let maximumBytes = 2_048

    private var payloads: [DeviceID: [UInt8]] = [:]

    /// Takes what is retained of a device now; no bytes where it was taken back.
    mutating func take(_ json: [UInt8], of device: DeviceID) {
        guard payloads[device] != nil || payloads.count < Self.maximumDevices else { return }
        payloads[device] = json.isEmpty || json.count > Self.maximumBytes ? nil : json
    }

    subscript(device: DeviceID) -> [UInt8]? { payloads[device] }
}

/// The health of each device, and the names of devices in the systems that they come from, for `devices`.
struct DeviceHealths: Sendable {
    /// The start of the field of a name in the JSON of a device's health.
    private static let nameKey = Array("\"name\":".utf8)

    private var payloads = RetainedPayloads()
    /// The names, as health tells them.
    private(set) var names: [DeviceID: String] = [:]

    /// Takes what a device's health is now; no bytes where it was taken back.
    mutating func take(_ json: [UInt8], of device: DeviceID) {
        payloads.take(json, of: device)
        if json.isEmpty { names[device] = nil }
        // Few devices have a name, and a name stays.
        guard names[device] == nil, json.firstRange(of: Self.nameKey) != nil else { return }
        names[device] = self[device]?.name
    }

    /// The health of a device; `nil` where none is known, or none that can be read.
    subscript(device: DeviceID) -> DeviceHealth? { payloads[device].flatMap { try? DeviceHealth(json: $0) } }
}
