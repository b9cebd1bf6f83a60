@testable import History
@testable import Wire

extension HistoryStore {
    /// The data of the reply to a request.
    /// - Throws: The error of the reply.
    func ask<Data: JSONPayload>(
        _ request: HistoryRequest, from requester: Requester? = nil, at nowSeconds: Double, as: Data.Type = Data.self
    ) async throws -> Data {
        switch await HistoryAnswers(store: self).reply(to: request, from: requester, nowSeconds: nowSeconds) {
        case .ok(_, let data): return try Data(json: data)
        case .error(_, let error): throw error
        }
    }

    /// The same with the payload of the request as a client writes it.
    func ask<Data: JSONPayload>(
        _ verb: RequestVerb, _ json: String, at nowSeconds: Double, as: Data.Type = Data.self
    ) async throws -> Data {
        try await ask(HistoryRequest(verb: verb, json: Array(json.utf8)), at: nowSeconds)
    }
}

extension HistoryAnswers {
    /// The reply to a request.
    func reply(
        to request: HistoryRequest, from requester: Requester? = nil, nowSeconds: Double
    ) async -> HistoryReply {
        await answer(request, from: requester, nowSeconds: nowSeconds).reply
    }
}

extension Admission {
    /// What is done with a message on a topic of requests, at second 1000.
    init(
        _ verb: String, _ payload: String, response: String? = nil, isRetained: Bool = false,
        expirySeconds: UInt32? = nil, correlationData: [UInt8] = [1, 2, 3], below level: String = "request"
    ) throws {
        let topics = try TopicTree()
        self = Array("stride/\(level)/\(verb)".utf8).withUnsafeBytes { topic in
            Array(payload.utf8).withUnsafeBytes { payload in
                Array((response ?? "").utf8).withUnsafeBytes { responseTopic in
                    correlationData.withUnsafeBytes { correlation in
                        IncomingRequest(
                            topic: topic, payload: payload, responseTopic: response == nil ? nil : responseTopic,
                            correlationData: correlation, isRetained: isRetained, expirySeconds: expirySeconds
                        ).admission(in: topics, nowSeconds: 1000)
                    }
                }
            }
        }
    }

    /// The request, if it is answered.
    var request: AdmittedRequest? {
        if case .answer(let request, _) = self { request } else { nil }
    }
}

extension Requester {
    /// Who names a topic for the answer.
    init(_ topic: String) throws {
        guard let request = try Admission("devices", #"{"reply_to":"\#(topic)"}"#).request else {
            throw WireError.malformed
        }
        self.init(address: request.requester.address)
    }
}
