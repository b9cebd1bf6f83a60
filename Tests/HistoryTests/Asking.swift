import Testing

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

    /// The pages of the reply to a request, so many rows in each.
    func pages<Row: PageRow>(
        of request: HistoryRequest, limit: @autoclosure () -> Int, at nowSeconds: Double
    ) async throws -> [[Row]] {
        var (request, pages) = (request, [[Row]]())
        repeat {
            request.limit = limit()
            let page: Page<Row> = try await ask(request, at: nowSeconds)
            #expect(page.rows.count <= request.limit ?? 0)
            pages.append(page.rows)
            request.cursor = page.cursor
        } while request.cursor != nil && pages.count < 1_000
        return pages
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

extension AdmittedRequest {
    /// What is wrong with it, if something is.
    var refusal: ReplyError? {
        if case .failure(let error) = request { error } else { nil }
    }
}

extension HistoryReply {
    /// Why nothing is answered, if nothing is.
    var refusal: ReplyError? {
        if case .error(_, let error) = self { error } else { nil }
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
