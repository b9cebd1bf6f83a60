import ServiceKit
import MQTT
import Wire

extension HistoryConfiguration {
    /// How long the broker keeps what history has not acknowledged while it is away. A broker measures it by the wall
    /// clock, so it is long; whatever is lost all the same is asked for again.
    private static let sessionExpirySeconds: UInt32 = 7 * 86_400

    /// Counts and device settings: a persistent session, so that nothing is missed while history is away.
    var countsConnection: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: clientID("counts"), version: bus.version,
            sessionExpirySeconds: Self.sessionExpirySeconds)
    }

    /// What history reads on that connection.
    var countsSubscriptions: [MQTTSubscription] {
        [
            MQTTSubscription("\(bus.topics.root)/service/counts/+"),
            MQTTSubscription(bus.topics.filter(every: .config)),
            MQTTSubscription(bus.topics.text(.serviceStatus(.counter))),
        ]
    }

    /// A commit costs the same whether it keeps one row or a hundred: while counts keep coming there are at most twenty
    /// a second.
    var countsLimits: MQTTBatchLimits { MQTTBatchLimits(spacingMilliseconds: 50) }

    /// Requests: a clean session of its own, because nobody waits for an answer from yesterday, and because a slow
    /// query must not hold up the counts.
    var requestConnection: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: clientID("requests"), version: bus.version)
    }

    /// Answers: nobody who asks waits behind the retained totals of a thousand devices.
    var answerConnection: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: clientID("answers"), version: bus.version)
    }

    /// Notices, retained totals, and our own birth and last will.
    var producerConnection: MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: bus.endpoint, clientID: clientID("producer"), version: bus.version, will: status(isOnline: false))
    }

    /// Our birth or last will.
    func status(isOnline: Bool) -> MQTTPublication {
        MQTTPublication(
            topic: bus.topics.bytes(.serviceStatus(.history)), payload: Array((isOnline ? "online" : "offline").utf8),
            retain: true)
    }

    /// Client ids are fixed, because a session belongs to one, and differ by root, because several buses may share a
    /// broker.
    private func clientID(_ role: String) -> String {
        "stridebus-history-\(role)-\(bus.topics.root.replacing("/", with: "-"))"
    }
}
