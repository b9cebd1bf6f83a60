/// What the broker said when it accepted a connection.
public struct MQTTSessionInfo: Sendable, Hashable {
    /// Whether the broker still had our session: `false` means that messages may have been missed.
    public let sessionPresent: Bool
    /// The connections of this object so far, this one included, from 1.
    public let connectionNumber: Int

    /// What the broker said.
    public init(sessionPresent: Bool, connectionNumber: Int) {
        self.sessionPresent = sessionPresent
        self.connectionNumber = connectionNumber
    }
}
