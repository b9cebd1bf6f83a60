/// What to receive.
public struct MQTTSubscription: Sendable, Hashable {
    /// A topic filter with `+` and `#`.
    public var filter: String
    /// The highest QoS to receive with.
    public var qos: MQTTQoS

    /// A subscription.
    public init(_ filter: String, qos: MQTTQoS = .atLeastOnce) {
        self.filter = filter
        self.qos = qos
    }

    /// A subscription.
    public init(filter: String, qos: MQTTQoS = .atLeastOnce) {
        self.init(filter, qos: qos)
    }
}
