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
        let publication = try #require(discovery.announce([(.device(bike), .device(kind))]).first)
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
            let components = try components(#require(discovery.announce([(.device(bike), .device(kind))]).first))
            #expect(components["heart"]?["state_topic"] as? String == "gym/berlin/bike-07/heart")
            #expect(components["workout"]?["state_topic"] as? String == "gym/berlin/bike-07/workout")
            #expect(components["workout"]?["event_types"] as? [String] == ["ride", "walk", "run"])
            for id in ["cadence", "power", "revolutions_today", "revolutions_total"] {
                #expect((components[id]?["state_topic"] != nil) == hasPedals)
            }
            for id in ["step_rate", "steps_today", "steps_total"] {
                #expect((components[id]?["state_topic"] != nil) == hasFeet)
            }
        }
    }

    @Test("What is counted is read from topics that never fall, and a cadence expires")
    mutating func entities() throws {
        let components = try components(#require(discovery.announce([(.device(bike), .device(.unknown))]).first))
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
        #expect(
            discovery.announce([(.device(bike), .device(.unknown)), (.device(watch), .device(.wearable))]).count == 2)
        #expect(discovery.announce([(.device(bike), .device(.unknown)), (.device(watch), .device(.wearable))]).isEmpty)
        #expect(discovery.announce([(.device(bike), .device(.bike)), (.device(watch), .device(.wearable))]).count == 1)
        discovery.announceAgain()
        #expect(discovery.announce([(.device(bike), .device(.bike)), (.device(watch), .device(.wearable))]).count == 2)
    }

    @Test("A person is announced under the id of the person's topics, by Home Assistant's rules, and taken away")
    mutating func person() throws {
        let person = Subject.person("Ada Berg")
        let publication = try #require(discovery.announce([(person, .person)]).first)
        let topic = String(decoding: publication.topic, as: UTF8.self)
        let id = DeviceID(person: "Ada Berg")
        #expect(topic == "homeassistant/device/gym_berlin_person_\(id)/config")
        #expect(try DiscoveryRules().problems(topic: topic, payload: publication.payload) == [])
        let components = try components(publication)
        #expect(components["goal_steps"]?["state_topic"] as? String == "gym/berlin/person/\(id)/day")
        #expect(!components.values.contains { $0["state_class"] as? String == "total_increasing" })
        #expect(discovery.announce([(person, .person), (.device(id), .device(.bike))]).count == 1)
        let removed = discovery.remove(person)
        #expect(removed.topic == publication.topic && removed.payload.isEmpty)
    }

    @Test("A device that was forgotten is taken away, and announced when it comes again")
    mutating func removed() {
        let announced = discovery.announce([(.device(bike), .device(.bike))])
        let removed = discovery.remove(.device(bike))
        #expect(removed.topic == announced.first?.topic)
        #expect(removed.payload.isEmpty)
        #expect(discovery.announce([(.device(bike), .device(.bike))]) == announced)
    }
}
