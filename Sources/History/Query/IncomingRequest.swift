package import Wire

/// A request as it came: bytes that any client may have sent.
package struct IncomingRequest {
    var topic: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
    /// The topic for the answer (MQTT 5).
    var responseTopic: UnsafeRawBufferPointer?
    /// The Correlation Data of the answer (MQTT 5).
    var correlationData: UnsafeRawBufferPointer?
    /// True if it was retained.
    var isRetained = false
    /// The seconds that the message had left when it came (MQTT 5).
    var expirySeconds: UInt32?

    /// The longest correlation data of a request that is carried out, in bytes.
    static let maximumCorrelationBytes = 256
}

/// A request that can be answered.
package struct AdmittedRequest: Sendable {
    /// The request, or the reason why it cannot be understood.
    package var request: Result<HistoryRequest, ReplyError>
    /// The place of the answer, and the Correlation Data that goes with it.
    package var requester: Requester
    /// The transaction that goes back in the payload.
    package var transaction: JSONValue?
    /// The end of the requester's wait, in seconds since 1970.
    package var deadlineSeconds: Double
}

/// The decision about a request.
package enum Admission: Sendable {
    /// It is answered. Some Response Topic may have been unsafe, which is counted.
    case answer(AdmittedRequest, ignoredUnsafe: Bool)
    /// It was retained, so it is no request of now.
    case retained
    /// Its requester has stopped waiting.
    case expired
    /// It names no safe place for an answer.
    case unsafe
    /// It cannot be understood well enough to be answered.
    case refused(WireError)
}

extension IncomingRequest {
    /// Decides what is done with the request.
    package func admission(in topics: TopicTree, nowSeconds: Double) -> Admission {
        guard !isRetained else { return .retained }
        let (object, problem) = Self.object(payload)
        guard let (user, verb) = try? Self.asked(topic, in: topics) else { return .refused(.unknownTopic) }
        let replyTo = object?["reply_to"]?.string
        guard verb != nil || responseTopic != nil || replyTo != nil else { return .refused(.unknownTopic) }
        let choice = ReplyAddress.choose(
            responseTopic: responseTopic, replyTo: replyTo, verb: verb, of: user, in: topics)
        guard let (address, ignoredUnsafe) = choice else { return .unsafe }
        let isMatched = correlationData?.count ?? 0 <= Self.maximumCorrelationBytes
        let request =
            isMatched ? Self.request(verb, object, payload, problem) : .failure(.longCorrelationData)
        let deadline = min(
            (try? request.get())?.deadline ?? .infinity, expirySeconds.map { nowSeconds + Double($0) } ?? .infinity)
        guard nowSeconds <= deadline else { return .expired }
        let admitted = AdmittedRequest(
            request: request,
            requester: Requester(
                address: address, correlationData: correlationData.map { Array($0) }, user: user),
            transaction: try? object?["transaction"]?.transaction(), deadlineSeconds: deadline)
        return .answer(admitted, ignoredUnsafe: ignoredUnsafe)
    }

    /// The user and the verb of a request's topic. An unknown verb is answered too, to the user in the topic.
    /// - Throws: `WireError` where the topic stands below users and names none: an answer on the operators' way would reach others.
    private static func asked(
        _ topic: UnsafeRawBufferPointer, in topics: TopicTree
    ) throws(WireError) -> (user: DeviceID?, verb: RequestVerb?) {
        switch try? topics.parse(topic) {
        case .request(let verb): (nil, verb)
        case .userRequest(let user, let verb): (user, verb)
        default: (try topics.user(ofRequest: topic), nil)
        }
    }

    private static func object(_ payload: UnsafeRawBufferPointer) -> (JSONObject?, WireError?) {
        guard !payload.isEmpty else { return (nil, nil) }
        do throws(WireError) {
            let object = try HistoryRequest.document(payload).object
            return (object, object == nil ? .wrongType : nil)
        } catch {
            return (nil, error)
        }
    }

    private static func request(
        _ verb: RequestVerb?, _ object: JSONObject?, _ payload: UnsafeRawBufferPointer, _ problem: WireError?
    ) -> Result<HistoryRequest, ReplyError> {
        guard let verb else { return .failure(.unknownVerb) }
        if let problem { return .failure(.notAnObject(problem)) }
        do throws(WireError) {
            var request = try HistoryRequest(verb: verb, json: payload)
            request.unknownField = object.flatMap { verb.unknownField(in: $0) }
            return .success(request)
        } catch {
            return .failure(.wrongField(of: object, error))
        }
    }
}

/// The topic of an answer. A topic that a request names is hostile input. It is read by the bus's own grammar, and the
/// topic that is published to is written from what was read, so an answer never leaves `reply/`, that of the user who asked
/// or, on the operators' way, that of the root; it never goes to a wildcard and never into a device's data.
package struct ReplyAddress: Sendable, Equatable {
    package let topic: [UInt8]

    /// Chooses among the topics of a request: the Response Topic (MQTT 5), else `reply_to` in the payload, else, where
    /// neither was named, the default topic of the verb.
    /// - Returns: The address, and whether another topic was unsafe, which is counted; `nil` where nothing safe was named.
    static func choose(
        responseTopic: UnsafeRawBufferPointer?, replyTo: String?, verb: RequestVerb?, of user: DeviceID?,
        in topics: TopicTree
    ) -> (address: ReplyAddress, ignoredUnsafe: Bool)? {
        let response = responseTopic.map { parse($0, of: user, in: topics) }
        if let address = response ?? nil { return (address, false) }
        if let replyTo {
            var text = replyTo
            let named = text.withUTF8 { parse(UnsafeRawBufferPointer($0), of: user, in: topics) }
            return named.map { ($0, responseTopic != nil) }
        }
        guard responseTopic == nil, let verb else { return nil }
        let topic = user.map { Topic.userReply($0, verb.rawValue) } ?? .reply(verb.rawValue)
        return (ReplyAddress(topic: topics.bytes(topic)), false)
    }

    private static func parse(
        _ topic: UnsafeRawBufferPointer, of user: DeviceID?, in topics: TopicTree
    ) -> ReplyAddress? {
        switch try? topics.parse(topic) {
        case .reply(let path) where user == nil: ReplyAddress(topic: topics.bytes(.reply(path)))
        case .userReply(let other, let path) where other == user:
            ReplyAddress(topic: topics.bytes(.userReply(other, path)))
        default: nil
        }
    }
}

/// The requests that are being answered, and those that wait.
package struct RequestQueue: Sendable {
    /// The place of a request: answered, waiting, or refused.
    package enum Place: Sendable {
        /// It is answered now.
        case now
        /// It waits, and `next` gives it.
        case waits
        /// Too many wait already.
        case tooBusy
    }

    package static let maximumWaiting = 256
    /// The requests of one user that wait at most, so that one cannot keep all others waiting.
    package static let maximumWaitingOfUser = 28
    /// The most that are answered at the same time: more than the store has readers, because an answer takes until the
    /// broker has it.
    package static let maximumAnswering = 16
    /// The most of one asker that are answered at the same time, so that expensive ones leave others answered.
    package static let maximumAnsweringOfOne = 4
    /// The longest time that an answer is worked on, in seconds.
    package static let maximumAnswerSeconds = 10.0

    private var waiting: [AdmittedRequest] = []
    /// The requests that are being answered, by who asked.
    private var answering: [[UInt8]: Int] = [:]

    package init() {}

    /// Takes a request in.
    package mutating func take(_ request: AdmittedRequest) -> Place {
        if hasRoom(for: request) {
            answering[request.asker, default: 0] += 1
            return .now
        }
        let user = request.requester.user
        let ofUser = user == nil ? 0 : waiting.count { $0.requester.user == user }
        guard waiting.count < Self.maximumWaiting, ofUser < Self.maximumWaitingOfUser else { return .tooBusy }
        waiting.append(request)
        return .waits
    }

    /// One is answered; gives the one that has waited longest of those that may take its place.
    package mutating func next(after answered: AdmittedRequest) -> AdmittedRequest? {
        let left = (answering[answered.asker] ?? 1) - 1
        answering[answered.asker] = left > 0 ? left : nil
        guard let index = waiting.firstIndex(where: hasRoom) else { return nil }
        let request = waiting.remove(at: index)
        answering[request.asker, default: 0] += 1
        return request
    }

    private func hasRoom(for request: AdmittedRequest) -> Bool {
        answering.values.reduce(0, +) < Self.maximumAnswering
            && answering[request.asker] ?? 0 < Self.maximumAnsweringOfOne
    }
}

extension AdmittedRequest {
    /// Who asks: a user, or on the operators' way whoever reads the topic of the answer.
    fileprivate var asker: [UInt8] { requester.user.map { Array("\($0)".utf8) } ?? requester.address.topic }
}

/// The time that answers take, in milliseconds: of all together, and of the slowest one of the last hour by verb.
package struct RequestCosts: Sendable {
    /// The time that one is remembered, in minutes.
    static let keptMinutes: Int64 = 60

    private var sum: UInt64 = 0
    /// The slowest answer of each minute that had one.
    private var slowest: [RequestVerb: [Int64: UInt64]] = [:]

    package init() {}

    /// Adds an answer.
    package mutating func note(milliseconds: UInt64, of verb: RequestVerb, nowSeconds: Double) {
        sum &+= milliseconds
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var minutes = kept(slowest[verb] ?? [:], at: minute)
        minutes[minute] = max(milliseconds, minutes[minute] ?? 0)
        slowest[verb] = minutes
    }

    /// The counters on `service/history/health`.
    package func counters(nowSeconds: Double) -> [(name: String, value: UInt64)] {
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        return [("requests_ms", sum)]
            + RequestVerb.allCases.compactMap { verb in
                kept(slowest[verb] ?? [:], at: minute).values.max().map { milliseconds in
                    ("dearest_\(verb.rawValue.replacing("/", with: "_"))_ms", milliseconds)
                }
            }
    }

    /// Those of the last hour; a clock that was set back keeps none of its future.
    private func kept(_ minutes: [Int64: UInt64], at minute: Int64) -> [Int64: UInt64] {
        minutes.filter { (minute - Self.keptMinutes...minute).contains($0.key) }
    }
}
