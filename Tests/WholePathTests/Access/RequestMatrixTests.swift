import History
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import TestBroker
import Testing
import Wire

/// Tries on a real broker, with its access list and with history, who is answered what, and whom those who behave badly
/// harm.
@Suite("Users, a broker with an access list, and history", .timeLimit(.minutes(5)))
struct RequestMatrixTests {
    @Test(
        "Each role is answered the verbs of the table, on the own topics only; what is asked as another is not even read",
        arguments: GuardedBroker.versions)
    func requests(version: MQTTVersion) async throws {
        let users = try BusUser.everyRole()
        let broker = try await GuardedBroker.start(users: users)
        let (desk, services) = (users[4], users[5])
        try await withHistory(broker, as: services, version: version) {
            let roles = users.dropLast().map { user in
                (
                    broker.topics.text(.userRole(user.name)),
                    String(decoding: UserRole { $0.role = user.role }.encodedJSON(), as: UTF8.self)
                )
            }
            // Before the roles, so that nobody is one of them when this is read.
            for user in users.prefix(4) { await broker.attempt(forgery(broker, user), as: user, version: version) }
            try await broker.hear(
                as: services, [broker.topics.text(.audit)], version: version,
                whenReady: { try await broker.publish(roles, as: desk, version: version, retain: true) },
                take: { _, text, _ in text.contains(#""about":"front-desk""#) })
            var answers: [String: String] = [:]
            var isDone = false
            // Each verb of each user, and the operator's forgery.
            let asked =
                ["front-desk"]
                + users.dropLast().flatMap { user in RequestVerb.allCases.map { "\(user.name) \($0.rawValue)" } }
            try await broker.hear(
                as: services, ["\(broker.topics.root)/user/+/reply/#", "\(broker.topics.root)/reply/#"],
                version: version
            ) {
                for user in users.dropLast() {
                    await broker.attempt(forgery(broker, user), as: user, version: version)
                    try await broker.publish(
                        RequestVerb.allCases.map { verb in
                            (
                                broker.topics.text(.userRequest(user.name, verb)),
                                request("\(user.name) \(verb.rawValue)", user, verb)
                            )
                        }, as: user, version: version)
                }
                let last = broker.topics.text(.userRequest(desk.name, .devices))
                try await broker.publish(last, #"{"transaction":"last"}"#, as: desk, version: version)
            } take: { topic, text, _ in
                guard case .ok(let transaction, _)? = reply(text) ?? nil, case .string("last")? = transaction else {
                    if let (name, code) = outcome(text) { answers["\(name) on \(topic)"] = code }
                    return isDone && answers.count >= asked.count
                }
                isDone = true
                return answers.count >= asked.count
            }
            var expected: [String: String] = [:]
            for user in users.dropLast() {
                for verb in RequestVerb.allCases {
                    let topic = broker.topics.text(.userReply(user.name, verb.rawValue))
                    let isAllowed = RoleTable.standard.scope(of: verb, for: user.role) != nil
                    expected["\(user.name) \(verb.rawValue) on \(topic)"] = isAllowed ? "answered" : "not_authorised"
                }
            }
            // Only an operator may ask on the operators' way, and then by no name.
            let forged = "front-desk forged on \(broker.topics.text(.reply("devices")))"
            #expect(answers.filter { $0.key != forged } == expected)
            #expect(answers[forged] == "answered")
        }
    }

    @Test("Who subscribes to everything, floods, sends too much at once or guesses passwords harms nobody else")
    func badNeighbours() async throws {
        let users = try BusUser.everyRole()
        let broker = try await GuardedBroker.start(
            users: users, extraLines: ["max_connections 400", "max_packet_size 131072"])
        let (bike, anna, wall, services) = (users[0], users[1], users[3], users[5])
        let count = 300
        var arrived: Set<String> = []
        var annaHeard = 0
        // Reads nothing while thousands of messages are for it.
        let slow = MQTTConsumer(
            configuration: broker.connection(wall), subscriptions: [MQTTSubscription("\(broker.topics.root)/+/cadence")]
        )
        try await broker.hear(as: services, ["\(broker.topics.root)/bike-07/count"]) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let filters =
                        (0..<10_000).map { "\(broker.topics.root)/\($0)/#" } + ["#", "\(broker.topics.root)/#"]
                    let everything = MQTTConsumer(
                        configuration: broker.connection(anna), subscriptions: filters.map { MQTTSubscription($0) })
                    var batches = everything.batches.makeAsyncIterator()
                    (try? await batches.next())??.acknowledge()
                    await everything.end()
                }
                group.addTask {
                    // Beyond the largest packet: over MQTT 5 it is refused here, over 3.1.1 the broker ends the connection.
                    let large = String(repeating: "x", count: 200_000)
                    try? await broker.publish("\(broker.topics.root)/anna/imu", large, as: anna)
                    let producer = MQTTProducer(
                        configuration: broker.connection(anna, version: .v311),
                        limits: MQTTProducerLimits(stopSeconds: 0))
                    producer.offer(MQTTPublication(topic: "\(broker.topics.root)/anna/imu", payload: Array(large.utf8)))
                    await producer.stop()
                }
                group.addTask {
                    let flood = (0..<5_000).map { ("\(broker.topics.root)/bike-08/cadence", "\($0)") }
                    try? await broker.publish(flood, as: services)
                }
                for _ in 0..<50 {
                    group.addTask {
                        var configuration = broker.connection(anna)
                        configuration.endpoint.password = "guessed"
                        let producer = MQTTProducer(
                            configuration: configuration, limits: MQTTProducerLimits(stopSeconds: 0))
                        _ = try? await producer.publish(MQTTPublication(topic: "x", payload: []))
                        await producer.stop()
                    }
                }
                group.addTask {
                    let producer = MQTTProducer(configuration: broker.connection(bike))
                    for number in 0..<count {
                        try? await producer.publish(
                            MQTTPublication(
                                topic: "\(broker.topics.root)/bike-07/count", payload: Array("\(number)".utf8)))
                    }
                    await producer.stop()
                }
            }
        } take: { _, text, _ in
            arrived.insert(text)
            return arrived.count == count
        }
        #expect(arrived.count == count)
        // Who reads slowly is still served what comes, and Anna heard nothing of others by all her subscriptions.
        try await broker.hear(as: anna, ["#"]) {
            try await broker.publish("\(broker.topics.root)/bike-07/count", "of the bike", as: bike)
            try await broker.publish("\(broker.topics.root)/user/anna/reply/x", "end", as: services)
        } take: { _, text, _ in
            if text != "end" { annaHeard += 1 }
            return text == "end"
        }
        #expect(annaHeard == 0)
        await slow.end()
    }

    // MARK: - The parts

    private func withHistory(
        _ broker: GuardedBroker, as user: BusUser, version: MQTTVersion, _ body: () async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var logger = Logger(label: "history")
        logger.logLevel = .error
        let bus = BusSettings(endpoint: broker.endpoint(user), topics: broker.topics, version: version)
        let service = try await HistoryConfiguration(bus: bus, dataDirectory: folder.path).makeService(logger: logger)
        let running = RunningGroup(ServiceGroup(services: [service], logger: logger))
        let status = broker.topics.text(.serviceStatus(.history))
        do {
            try await broker.hear(
                as: user, [status], version: version, whenReady: {}, take: { _, text, _ in text == "online" })
            try await body()
        } catch {
            try? await running.stop()
            throw error
        }
        try await running.stop()
    }

    /// Requests as somebody else, on the operators' way, and with an answer elsewhere.
    private func forgery(_ broker: GuardedBroker, _ user: BusUser) -> [MQTTPublication] {
        let others = ["front-desk", "anna", "ben", "bike-07", "screen"].filter { $0 != "\(user.name)" }
        let text = #"{"transaction":"\#(user.name) forged"}"#
        let elsewhere =
            #"{"transaction":"\#(user.name) forged","reply_to":"\#(broker.topics.root)/user/\#(others[0])/reply/x"}"#
        let messages =
            others.map { ("\(broker.topics.root)/user/\($0)/request/devices", text) }
            + [
                ("\(broker.topics.root)/request/devices", text),
                (broker.topics.text(.userRequest(user.name, .devices)), elsewhere),
                ("\(broker.topics.root)/user/\(user.name)/role", #"{"role":"operator"}"#),
            ]
        return messages.map { MQTTPublication(topic: $0.0, payload: Array($0.1.utf8)) }
    }

    /// A request with what its verb takes.
    private func request(_ transaction: String, _ user: BusUser, _ verb: RequestVerb) -> String {
        let now = Int(WallClock.seconds())
        let fields = [
            ("device", "\"\(user.name)\""), ("from", "\(now - now % 86_400)"), ("to", "\(now + 60)"),
            ("config", "{}"),
        ].filter { verb.fields.contains($0.0) }
        return "{" + fields.map { "\"\($0)\":\($1)," }.joined() + "\"transaction\":\"\(transaction)\"}"
    }

    private func reply(_ text: String) -> HistoryReply? { try? HistoryReply(json: Array(text.utf8)) }

    /// Whose request was answered how.
    private func outcome(_ text: String) -> (name: String, code: String)? {
        switch reply(text) {
        case .ok(.string(let name)?, _): (name, "answered")
        case .error(.string(let name)?, let error): (name, error.code == .notAuthorised ? "not_authorised" : "answered")
        default: nil
        }
    }
}
