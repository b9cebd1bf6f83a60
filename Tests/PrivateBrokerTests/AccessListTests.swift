import TestBroker
import Testing
import Wire

@testable import PrivateBroker
@testable import ServiceKit

@Suite("Access lists of three brokers, from one table")
struct AccessListTests {
    private let bike = BusUser(name: "bike-07", role: .device)
    private let anna = BusUser(name: "anna", role: .member)
    private let desk = BusUser(name: "front-desk", role: .operator)
    private let services = BusUser(name: "services", role: .services)
    private let list: AccessList

    init() throws {
        list = AccessList(
            users: [bike, anna, desk, services], topics: try TopicTree(root: "gym/berlin"),
            foreignFilters: ["homeassistant/#"])
    }

    @Test("The table has every role, and every request for those who may all")
    func table() {
        for role in Role.allCases {
            #expect(!RoleTable.standard[role].reads.isEmpty && !RoleTable.standard[role].writes.isEmpty)
        }
        #expect(Set(RoleTable.standard[.operator].asks.keys) == Set(RequestVerb.allCases))
        #expect(RoleTable.standard[.operator].asks.values.allSatisfy { $0 == .all })
        #expect(RoleTable.standard[.services].asks.isEmpty)
        #expect(RoleTable.standard.scope(of: .devicesForget, for: .device) == nil)
        #expect(RoleTable.standard.scope(of: .peopleForget, for: .member) == .own)
        #expect(RoleTable.standard.scope(of: .historyDays, for: .viewer) == nil)
    }

    @Test("A table with a role, a request or a scope that there is not is refused, and so is one that lacks a role")
    func unreadable() throws {
        let text = RoleTable.standardText
        #expect(throws: Never.self) { try RoleTable(json: text) }
        for (word, other) in [
            ("\"viewer\":", "\"spectator\":"), ("\"history/days\",", "\"history/years\","),
            ("\"own\":", "\"street\":"),
            ("\"services\":", "\"viewer\":"), ("\"read\":", "\"reads\":"),
        ] {
            let other = text.replacing(word, with: other)
            #expect(throws: WireError.self, "\(word)") { try RoleTable(json: other) }
        }
        #expect(throws: WireError.self) { try RoleTable(json: "{}") }
    }

    @Test("A device and a member write what a device measures, and no settings, totals or other device's topics")
    func leastRights() {
        for user in [bike, anna] {
            let writes = list.filters(.write, of: user)
            for channel in ["imu", "rev", "csc", "ftms", "hr", "count", "seconds", "status"] {
                #expect(writes.contains("gym/berlin/\(user.name)/\(channel)"))
            }
            for channel in ["config", "day", "total", "health", "activity", "cadence", "steps", "#", "+"] {
                #expect(!writes.contains("gym/berlin/\(user.name)/\(channel)"))
            }
            #expect(writes.allSatisfy { $0.contains("/\(user.name)/") && !$0.contains("#") && !$0.contains("+") })
        }
    }

    @Test("Mosquitto's list has what all share as patterns, and the rest by user")
    func mosquitto() {
        let lines = list.mosquitto.split(separator: "\n").map(String.init)
        #expect(lines.contains("pattern write gym/berlin/user/%u/request/history/days"))
        #expect(lines.contains("pattern read gym/berlin/user/%u/reply/#"))
        #expect(!lines.contains { $0.hasPrefix("pattern") && $0.contains("imu") })
        #expect(lines.contains("user bike-07") && lines.contains("topic write gym/berlin/bike-07/imu"))
        #expect(lines.contains("topic read gym/berlin/anna/+") && lines.contains("topic write gym/berlin/+/config"))
        #expect(lines.contains("topic write homeassistant/#") && lines.contains("topic read $SYS/#"))
    }

    @Test("RabbitMQ's expressions take the keys of what is allowed, and no others")
    func rabbitMQ() throws {
        let commands = list.rabbitMQ
        #expect(commands.count == 8 && commands.allSatisfy { $0.hasPrefix("rabbitmqctl set_") })
        let writes = try Regex(AccessList.expression(list.filters(.write, of: anna), .write))
        for key in ["gym.berlin.anna.imu", "gym.berlin.user.anna.request.history.days"] {
            #expect(key.firstMatch(of: writes) != nil, "\(key)")
        }
        for key in [
            "gym.berlin.bike-07.imu", "gym.berlin.anna.total", "gym.berlin.anna.imu\n", "xgym.berlin.anna.imu",
            "gym.berlin.*.imu", "gym.berlin.#", "gym.berlin.user.ben.request.history.days",
        ] { #expect(key.firstMatch(of: writes) == nil, "\(key)") }
        let desk = try Regex(AccessList.expression(list.filters(.write, of: desk), .write))
        #expect("gym.berlin.bike-07.config".firstMatch(of: desk) != nil)
        for key in [
            "gym.berlin.*.config", "gym.berlin.bike\u{1}.config", "gym.berlin.bike\n.config", "gym.berlin.ü.config",
        ] {
            #expect(key.firstMatch(of: desk) == nil, "\(key)")
        }
        let reads = try Regex(AccessList.expression(list.filters(.read, of: anna), .read))
        for key in [
            "gym.berlin.anna.*", "gym.berlin.anna.day", "gym.berlin.user.anna.reply.#",
            "gym.berlin.user.anna.reply.a.b",
        ] {
            #expect(key.firstMatch(of: reads) != nil, "\(key)")
        }
        for key in ["#", "gym.berlin.#", "gym.berlin.*.day", "gym.berlin.anna.#", "gym.berlin.user.*.reply.#"] {
            #expect(key.firstMatch(of: reads) == nil, "\(key)")
        }
    }
}
