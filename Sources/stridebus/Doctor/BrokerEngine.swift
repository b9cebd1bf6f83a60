/// The engine that a broker seems to be, by its name or by what it does.
///
/// Which of its settings lose what it has acknowledged, a client cannot see: they are named, with where to look.
enum BrokerEngine: Sendable, Hashable {
    case mosquitto
    case rabbitMQ
    case other

    /// - Parameters:
    ///   - name: What the broker says on `$SYS/broker/version`.
    ///   - givesRetainedByWildcard: False of RabbitMQ alone of those that were tried.
    init(name: String?, givesRetainedByWildcard: Bool) {
        if let name, name.lowercased().contains("mosquitto") {
            self = .mosquitto
        } else {
            self = givesRetainedByWildcard ? .other : .rabbitMQ
        }
    }

    var durability: Finding {
        let subject = "durability"
        switch self {
        case .mosquitto:
            return .good(
                subject,
                "one machine: what it has acknowledged is on the disk after autosave_interval, with persistence true")
        case .rabbitMQ:
            return .warning(
                subject, "this looks like RabbitMQ; whether a session survives its node cannot be seen from here",
                "set mqtt.durable_queue_type = quorum; 'rabbitmqctl list_queues name type' must say quorum of every "
                    + "mqtt-subscription-stridebus-…, and 'list_policies' overflow reject-publish, not drop-head")
        case .other:
            return .warning(
                subject, "an engine that stridebus is not tested on; what it has acknowledged may not be on a disk yet",
                "docs/scale.md says what each keeps, and by which settings")
        }
    }
}
