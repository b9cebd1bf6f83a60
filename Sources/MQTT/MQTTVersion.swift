/// The protocol that a connection speaks.
public enum MQTTVersion: Sendable, Hashable {
    /// MQTT 3.1.1 (OASIS 2014): no properties, no reason codes but CONNACK's.
    case v311
    /// MQTT 5.0 (OASIS 2019).
    case v5
}
