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
        let (user, verb) = Self.asked(topic, in: topics)
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

    /// Who asks what. A verb that is not known is still answered, to who is named before it.
    private static func asked(
        _ topic: UnsafeRawBufferPointer, in topics: TopicTree
    ) -> (user: DeviceID?, verb: RequestVerb?) {
        switch try? topics.parse(topic) {
        case .request(let verb): (nil, verb)
        case .userRequest(let user, let verb): (user, verb)
        default: (topics.user(ofRequest: topic), nil)
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
