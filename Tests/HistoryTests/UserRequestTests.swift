import MQTT
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("Users on the bus", .timeLimit(.minutes(5)))
struct UserRequestTests {
    @Test(
        "A user is answered below the own topics and nowhere else, over MQTT 5 and 3.1.1",
        arguments: [MQTTVersion.v5, .v311])
    func answers(version: MQTTVersion) async throws {
        try await withScope { scope in
            let listener = try await scope.listener(
                "stride/user/+/reply/#", "stride/reply/#", "stride/service/history/+")
            try await scope.withHistory(version: version) {
                let anna: DeviceID = "anna"
                try await scope.ask(.devices, "{}", by: anna)
                let stranger = try await listener.wait(for: "stride/user/anna/reply/devices")
                #expect(
                    stranger.text.contains(#""code":"not_authorised""#)
                        && stranger.text.contains("stridebus users add anna"))
                try await scope.give(anna, #"{"role":"member","by":"front-desk"}"#)
                _ = try await listener.wait(for: "stride/service/history/audit") { $0.text.contains("front-desk") }
                try await scope.ask(.devices, #"{"transaction":1,"reply_to":"stride/user/anna/reply/app/1"}"#, by: anna)
                _ = try await listener.wait(for: "stride/user/anna/reply/app/1") { $0.text.contains(#""status":"ok""#) }
                for (number, elsewhere) in [
                    "stride/reply/all", "stride/user/ben/reply/app", "stride/anna/total", "stride/user/anna/reply/+",
                    "stride/user/anna/role", "stride/user/anna/request/devices", "stride/user/anna/reply",
                ].enumerated() {
                    try await scope.ask(.devices, #"{"transaction":1\#(number),"reply_to":"\#(elsewhere)"}"#, by: anna)
                    if version == .v5 {
                        try await scope.ask(
                            .devices, #"{"transaction":2\#(number)}"#, MQTTProperties(responseTopic: elsewhere),
                            by: anna)
                    }
                }
                // An operator's request is not answered on a user's topic either.
                try await scope.ask(.devices, #"{"transaction":3,"reply_to":"stride/user/anna/reply/app"}"#)
                try await scope.ask(.devices, #"{"transaction":4,"reply_to":"stride/user/anna/reply/end"}"#, by: anna)
                _ = try await listener.wait(for: "stride/user/anna/reply/end")
                let answered = listener.heard.filter { $0.topic.contains("/reply/") }.map(\.topic)
                #expect(
                    answered == [
                        "stride/user/anna/reply/devices", "stride/user/anna/reply/app/1", "stride/user/anna/reply/end",
                    ])
                // A verb that there is not is told to who is asked to be told.
                try await scope.producer.publish(
                    MQTTPublication(
                        topic: "stride/user/anna/request/history/centuries",
                        payload: Array(#"{"reply_to":"stride/user/anna/reply/never"}"#.utf8)))
                let never = try await listener.wait(for: "stride/user/anna/reply/never")
                #expect(never.text.contains(#""code":"unknown_verb""#))
                try await scope.give(anna, "")
                _ = try await listener.wait(for: "stride/service/history/audit") { $0.text.contains("revoked") }
                try await scope.ask(.devices, #"{"reply_to":"stride/user/anna/reply/gone"}"#, by: anna)
                let gone = try await listener.wait(for: "stride/user/anna/reply/gone")
                #expect(gone.text.contains(#""code":"not_authorised""#))
            }
        }
    }

    @Test("A role is kept in the store, so that no broker needs to retain it")
    func keptRole() async throws {
        try await withScope { scope in
            let anna: DeviceID = "anna"
            let store = try scope.folder.store()
            try await store.give(.operator, to: "anna")
            await store.close()
            let listener = try await scope.listener("stride/user/+/reply/#")
            try await scope.withHistory {
                try await scope.ask(.people, #"{"reply_to":"stride/user/anna/reply/1"}"#, by: anna)
                let reply = try await listener.wait(for: "stride/user/anna/reply/1")
                #expect(reply.text.contains(#""status":"ok""#))
            }
        }
    }

    @Test("Who asks too much at once is told so, and others are let in meanwhile")
    func fairness() throws {
        var queue = RequestQueue()
        func request(_ user: DeviceID?) throws -> AdmittedRequest {
            var request = try #require(try Admission("devices", "{}", response: "stride/reply/somewhere").request)
            request.requester.user = user
            return request
        }
        func ask(_ user: DeviceID?) throws -> RequestQueue.Place { queue.take(try request(user)) }
        let anna: DeviceID = "anna"
        let places = try (0..<200).map { _ in try ask(anna) }
        #expect(places.count { $0 == .now } == RequestQueue.maximumAnsweringOfOne)
        #expect(places.count { $0 == .waits } == RequestQueue.maximumWaitingOfUser)
        #expect(try ask("ben") == .now)
        #expect(try ask(nil) == .now)
        // One that is answered makes room for the same asker's next.
        #expect(queue.next(after: try request(anna))?.requester.user == anna)
        #expect(try ask(anna) == .waits && ask(anna) == .tooBusy)
        for number in 0..<RequestQueue.maximumAnswering { _ = try ask("user-\(number)") }
        #expect(try ask("carl") == .waits)
        // Who has waited longest and may be answered is next.
        #expect(queue.next(after: try request("ben"))?.requester.user == "user-10")
    }

    @Test("Who did what is told to operators, by name, and is not retained")
    func audit() async throws {
        try await withScope { scope in
            let (anna, desk): (DeviceID, DeviceID) = ("anna", "front-desk")
            let listener = try await scope.listener(
                "stride/user/+/reply/#", "stride/service/history/audit", "stride/reply/#")
            try await scope.withHistory {
                try await scope.give(desk, #"{"role":"operator","by":"root"}"#)
                try await scope.give(anna, #"{"role":"member","by":"front-desk"}"#)
                _ = try await listener.wait(for: "stride/service/history/audit") {
                    $0.text.contains(#""about":"anna""#)
                }
                try await scope.ask(.peopleCheckin, #"{"person":"anna","device":"bike-07"}"#, by: desk)
                try await scope.ask(.peopleCheckin, #"{"device":"bike-08"}"#, by: anna)
                try await scope.ask(.devicesConfigure, #"{"device":"bike-07","config":{"kind":"bike"}}"#, by: desk)
                try await scope.ask(
                    .historySeries, #"{"device":"bike-07","from":"2026-11-20","export":true}"#, by: desk)
                for _ in 0..<12 { try await scope.ask(.historyDays, #"{"device":"bike-09"}"#, by: anna) }
                try await scope.ask(.peopleForget, "{}", by: anna)
                _ = try await listener.wait(for: "stride/user/anna/reply/people/forget")
                try await scope.ask(.devicesForget, #"{"device":"bike-09","reply_to":"stride/reply/end"}"#)
                _ = try await listener.wait(for: "stride/reply/end")
            }
            _ = try await listener.wait(for: "stride/service/history/audit") { $0.text.contains("devices/forget") }
            _ = try await listener.wait(for: "stride/service/history/audit") { $0.text.contains("people/forget") }
            let entries = try Self.deeds(listener)
            func line(_ did: String) -> [String] {
                entries.filter { $0.did == did }.map { "\($0.who ?? "-") \($0.about ?? "-") \($0.outcome)" }
            }
            #expect(line("users") == ["root front-desk operator", "front-desk anna member"])
            #expect(line("people/checkin") == ["front-desk anna ok"])
            #expect(line("devices/configure") == ["front-desk bike-07 ok"])
            #expect(line("export") == ["front-desk bike-07 ok"])
            #expect(line("people/forget") == ["anna - ok"])
            #expect(line("devices/forget") == ["- bike-09 ok"])
            // Those beyond what one user may have waiting are told to be too many, which is no refusal.
            #expect(line("history/days") == ["anna bike-09 not_authorised"])
        }
    }

    private static func deeds(_ listener: BusListener) throws -> [AuditEntry] {
        let told = listener.heard.filter { $0.topic == "stride/service/history/audit" }
        #expect(told.allSatisfy { !$0.isRetained })
        return try told.map { try AuditEntry(json: $0.payload) }
    }

    @Test("Who begins to listen is told nothing of what was done before")
    func auditOfNow() async throws {
        try await withScope { scope in
            try await scope.withHistory {
                try await scope.ask(.devicesForget, #"{"device":"bike-09","reply_to":"stride/reply/end"}"#)
                let listener = try await scope.listener("stride/service/history/audit")
                try await scope.ask(.devicesForget, #"{"device":"bike-10"}"#)
                _ = try await listener.wait(for: "stride/service/history/audit") { $0.text.contains("bike-10") }
                #expect(listener.heard.allSatisfy { !$0.isRetained })
            }
        }
    }
}

@Suite("The audit's lines")
struct AuditTrailTests {
    @Test("What is repeated within a minute is told once, and at its end with its number")
    func repetition() {
        var trail = AuditTrail()
        #expect(trail.note(Self.entry("anna", at: 0)) != nil)
        for second in 1..<60 { #expect(trail.note(Self.entry("anna", at: Double(second))) == nil) }
        #expect(trail.note(Self.entry("ben", at: 30)) != nil)
        #expect(trail.takeRepeated(nowSeconds: 59).isEmpty)
        let told = trail.takeRepeated(nowSeconds: 60)
        #expect(told.map(\.who) == ["anna"] && told.map(\.count) == [59])
        #expect(trail.takeRepeated(nowSeconds: 90).isEmpty)
        #expect(trail.note(Self.entry("anna", at: 91))?.count == 1)
        // A clock that is set back holds nothing up.
        #expect(trail.takeRepeated(nowSeconds: 10).isEmpty)
        #expect(trail.note(Self.entry("anna", at: 11)) != nil)
    }

    @Test("Who is refused without end makes a line a minute, whatever it was about")
    func flood() {
        var trail = AuditTrail()
        var lines = 0
        for number in 0..<5_000 {
            var entry = Self.entry("anna", at: 1)
            entry.about = "bike-\(number)"
            if trail.note(entry) != nil { lines += 1 }
        }
        #expect(lines == 1)
        #expect(trail.takeRepeated(nowSeconds: 61).map(\.count) == [4_999])
    }

    @Test("Beyond the limit of deeds nothing is kept back, and nothing is lost")
    func manyDeeds() {
        var trail = AuditTrail()
        for round in 0..<2 {
            let told = (0..<2_000).count { number in
                trail.note(AuditEntry { ($0.did, $0.about, $0.outcome) = ("people/checkin", "p\(number)", "ok") })
                    != nil
            }
            #expect(told == (round == 0 ? 2_000 : 2_000 - AuditTrail.maximumDeeds))
        }
    }

    @Test(
        "Logins that the private broker refuses are a line with their number and address, also after it has begun anew")
    func logins() throws {
        var trail = AuditTrail()
        let lines = [7, 7, 9, 30, 2].enumerated().compactMap { second, refused in
            trail.refusedLogins(UInt64(refused), from: ["192.168.1.7"], nowSeconds: Double(second) * 100)
        }
        #expect(lines.allSatisfy { $0.did == "login" && $0.outcome == "refused" && $0.who == nil })
        #expect(lines.map(\.count) == [2, 21, 2])
        #expect(lines.allSatisfy { $0.addresses == ["192.168.1.7"] })
        let health = #"{"t":1,"service":"network","logins_refused":3,"logins_refused_from":["192.168.1.7"]}"#
        let input = try Array(health.utf8).withUnsafeBytes {
            try HistoryInput.read(.serviceHealth(.network), $0, isRetained: true)
        }
        guard case .loginsRefused(3, from: ["192.168.1.7"]) = input else { Issue.record("\(input)"); return }
    }

    @Test("Each user's new role, password and end is a line of its own, with who did it")
    func users() async throws {
        let (anna, ben): (DeviceID, DeviceID) = ("anna", "ben")
        func said(_ role: Role, _ change: UserRole.Change? = nil) -> UserRole {
            UserRole { ($0.role, $0.by, $0.change) = (role, "gina", change) }
        }
        let folder = StoreFolder()
        let store = try folder.store()
        var trail = AuditTrail()
        var lines: [AuditEntry] = []
        for (user, role) in [
            (anna, said(.member)), (ben, said(.member)), (ben, said(.member)), (ben, said(.member, .rotated)),
            (anna, said(.member, .revoked)), (anna, nil), (ben, said(.member, .revoked)), (ben, nil),
        ] as [(DeviceID, UserRole?)] {
            let changes = HistoryChanges(roles: [RoleChange(user: user, role: role)])
            for change in try await store.commit(changes, nowSeconds: 0).changedRoles {
                if let line = trail.note(AuditEntry(change, nowSeconds: 0)) { lines.append(line) }
            }
        }
        #expect(
            lines.map { "\($0.about ?? "") \($0.outcome)" } == [
                "anna member", "ben member", "ben rotated", "anna revoked", "ben revoked",
            ])
        #expect(lines.allSatisfy { $0.who == "gina" && $0.did == "users" && $0.count == 1 })
        #expect(try await store.role(of: ben) == nil)
    }

    private static func entry(_ who: String, at t: Double, did: String = "history/days") -> AuditEntry {
        AuditEntry { ($0.t, $0.who, $0.did, $0.outcome) = (t, who, did, "not_authorised") }
    }
}

extension HistoryScope {
    func ask(
        _ verb: RequestVerb, _ payload: String, _ properties: MQTTProperties? = nil, by user: DeviceID
    ) async throws {
        try await producer.publish(
            MQTTPublication(
                topic: topics.bytes(.userRequest(user, verb)), payload: Array(payload.utf8), properties: properties))
    }

    /// Says a user's role; nothing revokes it.
    func give(_ user: DeviceID, _ role: String) async throws {
        try await publish(.userRole(user), Array(role.utf8), retain: true)
    }
}
