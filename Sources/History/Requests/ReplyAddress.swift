import Wire

/// Where an answer may go. What an asker names is hostile input: it is read by the bus's own grammar, and the topic
/// that is published to is written from what was read, so an answer never leaves `{root}/reply/`, never goes to a
/// wildcard and never into somebody's data.
struct ReplyAddress: Sendable, Equatable {
    /// The topic of the answer.
    let topic: [UInt8]
    /// Whether the asker named it; else it is the one that all share who name none.
    var isNamed = true

    /// What became of an asker's wishes.
    enum Choice: Sendable, Equatable {
        /// Answer there. Some other wish may have been unsafe, which is counted.
        case answer(ReplyAddress, ignoredUnsafe: Bool)
        /// Nothing safe was named.
        case drop
    }

    /// Chooses among what an asker named: the Response Topic (MQTT 5), else `reply_to` (in the payload), else, where
    /// neither was named, the default topic of the verb.
    static func choose(
        responseTopic: UnsafeRawBufferPointer?, replyTo: String?, verb: RequestVerb?, in topics: TopicTree
    ) -> Choice {
        let response = responseTopic.map { parse($0, in: topics) }
        if let address = response ?? nil { return .answer(address, ignoredUnsafe: false) }
        if let replyTo {
            guard let address = parse(replyTo, in: topics) else { return .drop }
            return .answer(address, ignoredUnsafe: responseTopic != nil)
        }
        guard responseTopic == nil, let verb else { return .drop }
        return .answer(
            ReplyAddress(topic: topics.bytes(.reply(verb.rawValue)), isNamed: false), ignoredUnsafe: false)
    }

    private static func parse(_ text: String, in topics: TopicTree) -> ReplyAddress? {
        var text = text
        return text.withUTF8 { parse(UnsafeRawBufferPointer($0), in: topics) }
    }

    private static func parse(_ topic: UnsafeRawBufferPointer, in topics: TopicTree) -> ReplyAddress? {
        guard case .reply(let path)? = try? topics.parse(topic) else { return nil }
        return ReplyAddress(topic: topics.bytes(.reply(path)))
    }
}
