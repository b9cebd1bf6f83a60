import Testing
import Wire

@Suite("Topics")
struct TopicTreeTests {
    @Test("Every topic that is written is read back", arguments: ["stride", "gym/berlin", "a/b/c/d"])
    func roundTrip(root: String) throws {
        let tree = try TopicTree(root: root)
        let device = try DeviceID("bike-07")
        var topics = DeviceChannel.allCases.map { Topic.device(device, $0) }
        topics += RequestVerb.allCases.map { .request($0) }
        topics += ServiceName.allCases.flatMap { [Topic.serviceStatus($0), .serviceHealth($0)] }
        topics += Partition.all.flatMap { [Topic.counts($0), .forget($0)] } + [.resend]
        topics += try ["0-63", "0-31", "7"].map { .motion(try #require(PartitionRange($0))) }
        topics.append(.reply("app-1/a_2"))
        topics += RequestVerb.allCases.map { .userRequest(device, $0) }
        topics += [.person(device, .day), .person(device, .total), .person(device, .workout)]
        topics += [.userReply(device, "app-1/a_2"), .userRole(device), .audit, .wall, .runningClass]
        for topic in topics { #expect(try tree.parse(tree.text(topic)) == topic) }
    }

    @Test(
        "A topic that is not ours is refused",
        arguments: [
            "", "stride", "stride/", "stride/bike-07", "stride/bike-07/", "stride/bike-07/imu/x",
            "stride/bike-07/IMU", "other/bike-07/imu", "/stride/bike-07/imu", "stride/service/motion/64",
            "stride/service/motion/-1", "stride/service/motion/0-64", "stride/service/motion/00-63",
            "stride/service/motion/7-7",
            "stride/service/motion/1/x", "stride/service/nobody/health",
            "stride/request/history", "stride/reply/+", "stride/reply/#", "stride/reply/a//b", "stride/reply/$SYS",
            "stride/user/anna", "stride/user/anna/request", "stride/user/anna/request/history",
            "stride/user/anna/roles", "stride/person/anna", "stride/person/anna/imu",
            "stride/person/anna/day/x", "stride/walls", "stride/person/day",
            "stride/user/anna/reply/+", "stride/user/anna/reply/", "stride/user/imu", "stride/service/counter/audit",
        ])
    func refused(text: String) throws {
        #expect(throws: WireError.unknownTopic) { try TopicTree().parse(text) }
    }

    @Test(
        "A device id outside its alphabet is refused",
        arguments: [
            "", "-a", "Bike", "a_b", "a b", "é", "service", "request", "reply", "user", "person", "wall", "class",
            "+", "#",
            String(repeating: "a", count: 64),
        ])
    func deviceIDs(text: String) throws {
        #expect(throws: WireError.invalidDeviceID) { try DeviceID(text) }
    }

    @Test("A topic of the bus's own is no device's", arguments: ["wall", "class", "person", "service", "user"])
    func reserved(word: String) throws {
        for channel in DeviceChannel.allCases {
            #expect(throws: WireError.self) { try TopicTree().parse("stride/\(word)/\(channel.rawValue)") }
        }
    }

    @Test("The ranges of all counters are every partition, each once")
    func ranges() {
        #expect(PartitionRange.every("32-63,0-31")?.map(\.description) == ["0-31", "32-63"])
        for text in ["", "0-31", "0-31,31-63", "0-63,", "0-30,32-63", "a", "63-0", "0--63", "0-63,0-63"] {
            #expect(PartitionRange.every(text) == nil, "\(text)")
        }
    }

    @Test("A device id keeps its text, order and partition")
    func deviceID() throws {
        let longest = String(repeating: "z", count: 63)
        #expect(try DeviceID(longest).description == longest)
        #expect(try DeviceID("bike-07") < DeviceID("bike-1"))
        #expect(Partition(of: try DeviceID("bike-07")) == Partition(of: try DeviceID("bike-07")))
    }

    @Test("A person's id is the name where it can be; no two names have one, and none has that of another name")
    func personID() throws {
        #expect(DeviceID(person: "anna") == (try DeviceID("anna")))
        let names = [
            "Anna", "ANNA", "anna ", "Anna Berg", "anna-berg", "Ann\u{e4}", "wall", "person", "", "\u{1f6b2}", "-",
            "a/b", "a+b",
            String(repeating: "n", count: 200), String(repeating: "n", count: 201),
        ]
        let ids = names.map { DeviceID(person: $0) }
        #expect(Set(ids).count == names.count)
        #expect(try ids.allSatisfy { try DeviceID("\($0)") == $0 })
        #expect("\(ids[3])".hasPrefix("anna-berg-"))
    }

    @Test("A boot's number is itself, its text a hash, and its name reads back")
    func boots() throws {
        #expect(try BootID(name: "0".utf8) == BootID(rawValue: 0))
        #expect(try BootID(name: "18446744073709551615".utf8) == BootID(rawValue: .max))
        for name in ["007", "k3f9", "18446744073709551616", "-1", ""] {
            let boot = try BootID(name: name.utf8)
            #expect(try BootID(name: boot.name.utf8) == boot)
            #expect(boot.rawValue > 1000)
        }
    }
}
