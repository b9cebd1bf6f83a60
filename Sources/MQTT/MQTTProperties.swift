/// The MQTT 5 properties of a publication (specification section 3.3.2.3). A 3.1.1 connection sends none of them.
public struct MQTTProperties: Sendable, Hashable {
    /// A user property: a pair of strings, whose meaning is the application's.
    public struct User: Sendable, Hashable {
        /// The name; names may repeat.
        public var name: String
        /// The value.
        public var value: String

        /// A pair.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Where an answer is expected.
    public var responseTopic: String?
    /// What the asker recognises the answer by.
    public var correlationData: [UInt8]?
    /// What kind of thing the payload is, such as `application/json`.
    public var contentType: String?
    /// How long the broker keeps the message for somebody who is away, in seconds.
    public var messageExpirySeconds: UInt32?
    /// Further pairs, in order.
    public var userProperties: [User]

    /// Properties; all may be left out.
    public init(
        responseTopic: String? = nil, correlationData: [UInt8]? = nil, contentType: String? = nil,
        messageExpirySeconds: UInt32? = nil, userProperties: [User] = []
    ) {
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.contentType = contentType
        self.messageExpirySeconds = messageExpirySeconds
        self.userProperties = userProperties
    }

    /// The bytes that the properties take in a queue, about.
    var byteCount: Int {
        var count = (responseTopic?.utf8.count ?? 0) + (correlationData?.count ?? 0) + (contentType?.utf8.count ?? 0)
        for user in userProperties { count += user.name.utf8.count + user.value.utf8.count }
        return count
    }
}
