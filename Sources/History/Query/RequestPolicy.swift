package import Wire

/// Which verbs need a key, and which key: decides who is answered, beyond what the broker's access lists decide.
package struct RequestPolicy: Sendable {
    /// The verbs that need the key.
    package let protectedVerbs: Set<RequestVerb>
    private let key: RequestKey?

    /// Everybody is answered who may publish the request.
    package static let open = RequestPolicy()

    /// Verbs that need a key; nil without a key that is long enough, because then everybody could guess it.
    package init?(protecting verbs: Set<RequestVerb>, with key: RequestKey) {
        guard key.isLongEnough else { return nil }
        protectedVerbs = verbs
        self.key = key
    }

    private init() {
        protectedVerbs = []
        key = nil
    }

    /// Why a request is not answered; nil if it is.
    package func refusal(of request: HistoryRequest) -> ReplyError? {
        isAuthorised(request.verb, with: request.key)
            ? nil : .notAuthorised(request.verb, isKeyGiven: request.key != nil)
    }

    /// The verbs that an asker with this key, or with none, is not answered.
    func unauthorisedVerbs(with key: RequestKey?) -> [RequestVerb] {
        RequestVerb.allCases.filter { !isAuthorised($0, with: key) }
    }

    private func isAuthorised(_ verb: RequestVerb, with given: RequestKey?) -> Bool {
        guard protectedVerbs.contains(verb) else { return true }
        guard let key, let given else { return false }
        return key.matches(given)
    }
}
