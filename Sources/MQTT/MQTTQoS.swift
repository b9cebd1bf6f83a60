/// How often a message may arrive. There is no QoS 2 here, because after PUBREC a message lives in the client's memory
/// only and a crash loses it; at least once plus an identity check counts once.
public enum MQTTQoS: UInt8, Sendable, Hashable {
    /// QoS 0.
    case atMostOnce = 0
    /// QoS 1.
    case atLeastOnce = 1
}
