/// What the broker has answered to a consumer's subscriptions, and what a refusal means: an end, or another try.
///
/// A refusal without a reason may be a missing permission, which no retry solves, or a cluster in a failover, which
/// passes: RabbitMQ refuses when a queue has no majority. So a filter that was granted
/// before is tried for as long as it takes, and one that never was a few times, so that a missing permission is said.
/// A value type: time is passed in.
struct SubscriptionGrants {
    /// How often in a row a filter that was never granted is refused without a reason, at least, until that is final.
    static let maximumRefusals = 3

    /// How long it is refused in a row, at least, until that is final, in seconds.
    let patienceSeconds: Double
    private var granted: Set<String> = []
    private var refusals = 0
    private var firstRefusalSeconds = 0.0

    init(patienceSeconds: Double) {
        self.patienceSeconds = patienceSeconds
    }

    mutating func note(granted filters: [String]) {
        granted.formUnion(filters)
    }

    /// The error of a refusal: a retriable one if it is to be tried again. MQTT 5 section 3.9.3 has the codes; MQTT 3.1.1
    /// section 3.9.3 has 0x80 alone, for every reason.
    mutating func error(refused filter: String, reason: UInt8, nowSeconds: Double) -> MQTTError {
        let name = "'\(filter.prefix(80))'"
        switch reason {
        // Unspecified error, Implementation specific error
        case 0x80, 0x83: break
        // Packet Identifier in use, Quota exceeded
        case 0x91, 0x97:
            return .subscriptionRefused("the broker is too busy for the subscription to \(name)", reason)
        // Not authorized, Topic Filter invalid, Shared Subscriptions, Subscription Identifiers or Wildcard Subscriptions not
        // supported: the same subscription is refused again.
        default: return .refused(reason: reason, what: "the subscription to \(name)")
        }
        if refusals == 0 { firstRefusalSeconds = nowSeconds }
        refusals += 1
        let words = "the broker refuses the subscription to \(name) and does not say why"
        if granted.contains(filter) {
            return .subscriptionRefused("\(words): its access list was changed, or its cluster is not whole", reason)
        }
        guard refusals >= Self.maximumRefusals, nowSeconds - firstRefusalSeconds >= patienceSeconds else {
            return .subscriptionRefused("\(words): its access list forbids it, or its cluster is not whole", reason)
        }
        return MQTTError(
            .notAuthorized, "\(words), \(refusals) times: check its access list, then whether its cluster is whole",
            reasonCode: reason)
    }

    /// Counts anew after a connection that ended otherwise: the broker is in trouble.
    mutating func connectionEnded(with error: MQTTError?) {
        if error?.code != .subscriptionRefused { refusals = 0 }
    }
}

extension MQTTError {
    /// The error of a connection that the broker closed before it answered a SUBSCRIBE. It has no reason code.
    static func closedAtSubscription(to filter: String) -> MQTTError {
        MQTTError(
            .subscriptionRefused,
            "the broker closed the connection at the subscription to '\(filter.prefix(80))': its access list forbids it, "
                + "or it was restarted")
    }

    fileprivate static func subscriptionRefused(_ words: String, _ reason: UInt8) -> MQTTError {
        MQTTError(.subscriptionRefused, words, reasonCode: reason)
    }
}
