import MQTT
import PrivateBroker
import TestBroker
import Wire

/// A broker, its users, and every topic of the bus.
struct AccessScene {
    let broker: GuardedBroker
    let users: [BusUser]
    let everyTopic: [String]
    var topics: TopicTree { broker.topics }
    var services: BusUser { users[users.count - 1] }
    /// Who sees what gets through anywhere, with the filters for it.
    let watcher: BusUser
    let everything: [String]
    /// A topic that only the services write, and that nobody else publishes on.
    var end: String { "\(topics.root)/service/end" }

    static func start() async throws -> AccessScene {
        let users = try BusUser.everyRole()
        let broker = try await GuardedBroker.start(users: users)
        let topics = broker.topics
        var all: [Topic] =
            [.resend, .audit, .wall, .runningClass, .motion(.all), .reply("app/a")]
            + RequestVerb.allCases.map { .request($0) }
        for number in [0, 63] {
            let partition = try Partition(number: number)
            all += [.counts(partition), .forget(partition)]
        }
        all += ServiceName.allCases.flatMap { [.serviceStatus($0), .serviceHealth($0)] }
        for name in users.map(\.name) + ["bike-08"] {
            all += DeviceChannel.allCases.map { .device(name, $0) }
            all += [.day, .total, .workout].map { .person(name, $0) }
            all += RequestVerb.allCases.map { .userRequest(name, $0) }
            all += [.userReply(name, "app/a"), .userRole(name)]
        }
        // Beyond the grammar: deeper and shallower ones, and other roots.
        let others =
            [
                "anna", "anna/imu/deeper", "user/anna", "user/anna/request", "user/anna/request/anything",
                "user/anna/reply", "reply", "request/anything", "service/users",
            ].map { "\(topics.root)/\($0)" } + ["gym/anna/imu", "gym/berlin2/anna/imu", "homeassistant/anna/config"]
        return AccessScene(
            broker: broker, users: users, everyTopic: all.map(topics.text) + others,
            watcher: GuardedBroker.isCluster ? try GuardedBroker.auditor() : users[users.count - 1],
            everything: GuardedBroker.isCluster ? ["gym/#", "homeassistant/#"] : ["#"])
    }

    /// The topics that a user may read or write, as the table's filters say.
    func allowed(_ access: AccessList.Access, _ user: BusUser) -> Set<String> {
        let filters = filters(access, of: user)
        return Set(everyTopic.filter { topic in filters.contains { Self.matches($0, topic) } })
    }

    func filters(_ access: AccessList.Access, of user: BusUser) -> [String] {
        AccessList(users: users, topics: topics, foreignFilters: broker.foreignFilters).filters(access, of: user)
    }

    /// Ends what is retained on every topic, because a cluster lives longer than a test.
    func forgetRetained(version: MQTTVersion) async throws {
        guard GuardedBroker.isCluster else { return }
        try await broker.publish(everyTopic.map { ($0, "") }, as: watcher, version: version, retain: true)
    }

    /// MQTT's rule: `+` is one level, `#` the level above it and any below (MQTT 5, 4.7.1).
    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (filter, topic) = (filter.split(separator: "/"), topic.split(separator: "/"))
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count, level == "+" || level == topic[index] else {
                return index == topic.count && level == "#"
            }
        }
        return filter.count == topic.count
    }

    /// A topic that a user may write, which comes after all the others.
    func lastTopic(writtenBy user: BusUser) -> String {
        user.role == .services ? end : topics.text(.userRequest(user.name, .devices))
    }

    func message(on topic: String, from user: BusUser) -> MQTTPublication {
        MQTTPublication(topic: topic, payload: Array("\(user.name)".utf8), retain: true)
    }
}
