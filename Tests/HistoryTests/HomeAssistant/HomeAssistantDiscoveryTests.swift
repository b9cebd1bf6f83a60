import Foundation
import History
import TestBroker
import Testing
import Wire

@Suite("What Home Assistant is told about devices")
struct HomeAssistantDiscoveryTests {
    private let bike: DeviceID = "bike-07"
    private let watch: DeviceID = "watch-3"
    private var discovery: HomeAssistantDiscovery

    init() throws {
        discovery = HomeAssistantDiscovery(prefix: "homeassistant", topics: try TopicTree(root: "gym/berlin"))
    }

    private func components(_ publication: RetainedMessage) throws -> [String: [String: Any]] {
        let root = try JSONSerialization.jsonObject(with: Data(publication.payload)) as? [String: Any]
        return try #require(root?["components"] as? [String: [String: Any]])
    }

    @Test("Home Assistant's own rules allow all of it", arguments: DeviceKind.allCases)
    mutating func rules(kind: DeviceKind) throws {
        let publication = try #require(discovery.announce([(bike, kind)]).first)
        let topic = String(decoding: publication.topic, as: UTF8.self)
        #expect(try DiscoveryRules().problems(topic: topic, payload: publication.payload) == [])
    }

    @Test("The rules refuse what Home Assistant refuses")
    func rulesRefuse() throws {
        let payload = """
            {"device":{"name":"x"},"components":{"a":{"platform":"sensor","unique_id":"a","state_topic":"a/#",
            "state_class":"rising","unit":"rpm"}}}
            """
        let problems = try DiscoveryRules().problems(topic: "homeassistant/config", payload: Array(payload.utf8))
        #expect(problems.count == 7)
    }

    @Test("A bike has pedals, a wearable has feet, and what is not described has both")
    mutating func kinds() throws {
        let expected: [(DeviceKind, Bool, Bool)] = [
            (.bike, true, false), (.wearable, false, true), (.unknown, true, true),
        ]
        for (kind, hasPedals, hasFeet) in expected {
            let components = try components(#require(discovery.announce([(bike, kind)]).first))
            for id in ["cadence", "revolutions_today", "revolutions_total"] {
                #expect((components[id]?["state_topic"] != nil) == hasPedals)
            }
            for id in ["step_rate", "steps_today", "steps_total"] {
                #expect((components[id]?["state_topic"] != nil) == hasFeet)
            }
        }
    }

    @Test("What is counted is read from topics that never fall, and a cadence expires")
    mutating func entities() throws {
        let components = try components(#require(discovery.announce([(bike, .unknown)]).first))
        #expect(components["steps_today"]?["state_class"] as? String == "total_increasing")
        #expect(components["steps_today"]?["state_topic"] as? String == "gym/berlin/bike-07/day")
        #expect(components["revolutions_total"]?["state_class"] as? String == "total_increasing")
        #expect(components["revolutions_total"]?["state_topic"] as? String == "gym/berlin/bike-07/total")
        #expect(components["cadence"]?["expire_after"] as? Int == 15)
        #expect(components["cadence"]?["availability_topic"] as? String == "gym/berlin/service/counter/status")
        #expect(components["connected"]?["state_topic"] as? String == "gym/berlin/bike-07/status")
    }

    @Test("A device is announced once, and again when its kind is another or Home Assistant has started")
    mutating func again() {
        #expect(discovery.announce([(bike, .unknown), (watch, .wearable)]).count == 2)
        #expect(discovery.announce([(bike, .unknown), (watch, .wearable)]).isEmpty)
        #expect(discovery.announce([(bike, .bike), (watch, .wearable)]).count == 1)
        discovery.announceAgain()
        #expect(discovery.announce([(bike, .bike), (watch, .wearable)]).count == 2)
    }

    @Test("A device that was forgotten is taken away, and announced when it comes again")
    mutating func removed() {
        let announced = discovery.announce([(bike, .bike)])
        let removed = discovery.remove(bike)
        #expect(removed.topic == announced.first?.topic)
        #expect(removed.payload.isEmpty)
        #expect(discovery.announce([(bike, .bike)]) == announced)
    }
}
