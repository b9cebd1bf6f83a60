import ServiceKit
import TestBroker
import Testing
import Wire

@testable import History

/// Who is answered what: users with roles on one store, with a bike that Anna had and then Ben, and a phone of each.
@Suite("Who may ask what", .timeLimit(.minutes(5)))
struct AskerTests {
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000 / 60
    /// An hour later.
    static let now = Double(start + 60) * 60
    let folder = StoreFolder()

    @Test("Each role is answered the verbs of the table and no others", arguments: Role.allCases)
    func verbs(role: Role) async throws {
        let store = try await gym()
        try await store.give(role, to: "somebody")
        for verb in RequestVerb.allCases {
            let code = await store.code(
                of: verb, #"{"device":"somebody","from":"2026-11-20","every":10,"config":{}}"#, by: "somebody")
            let isRefused = code == .notAuthorised
            #expect(isRefused == (RoleTable.standard.scope(of: verb, for: role) == nil), "\(verb)")
        }
        let capabilities: CapabilitiesData? = try? await store.ask(
            .capabilities, #"{"device":"somebody"}"#, by: "somebody")
        if let capabilities {
            #expect(
                capabilities.unauthorisedVerbs
                    == RequestVerb.allCases.filter { RoleTable.standard.scope(of: $0, for: role) == nil })
        }
    }

    @Test("An operator is answered everything, with a user's name or without")
    func operators() async throws {
        for user in ["front-desk", nil] {
            // What one of them forgets is gone for the other.
            let folder = StoreFolder()
            let store = try await gym(folder)
            for verb in RequestVerb.allCases {
                guard case .ok = try await store.reply(to: verb, Self.request(verb), by: user) else {
                    Issue.record("\(verb) is refused to \(user ?? "nobody")")
                    continue
                }
            }
        }
    }

    /// A request with what its verb needs.
    private static func request(_ verb: RequestVerb) -> String {
        let (from, to) =
            verb == .historyDays
            ? (#""2026-11-20""#, #""2026-11-21""#) : ("\((start + 5) * 60)", "\((start + 7) * 60)")
        let values = [
            "device": #""bike-07""#, "from": from, "to": to, "config": #"{"person":"Ben"}"#, "alias": #""B""#,
            "id": #""\#(WorkoutID(.device("bike-07"), (start + 20) * 60))""#, "length_s": "600", "title": #""Hills""#,
        ]
        var fields = verb.fields.compactMap { name in values[name].map { #""\#(name)":\#($0)"# } }
        if verb.rawValue.hasPrefix("people/") { fields.append(#""person":"Ben""#) }
        // Within what was checked in just before.
        if verb == .peopleCheckout { fields = [#""device":"bike-07","to":\#((start + 6) * 60)"#] }
        return "{\(fields.joined(separator: ","))}"
    }

    @Test("Who has no role is refused and told the remedy, and so is who had one that was revoked")
    func strangers() async throws {
        let store = try await gym()
        for user in ["nobody", "carl"] {
            let error = await store.refusal(of: .devices, "{}", by: user)
            #expect(error?.code == .notAuthorised && error?.message.contains("stridebus users add \(user)") == true)
        }
    }

    @Test(
        "A member reads a bike for the time in which it was checked in, and is told which that was",
        arguments: ["history/interval", "history/series", "history/activity"])
    func ownTime(name: String) async throws {
        let store = try await gym()
        let verb = try #require(RequestVerb(rawValue: name))
        func ask(_ minutes: Range<Int64>, by user: String) async -> ReplyError? {
            let range =
                #""from":\#((Self.start + minutes.lowerBound) * 60),"to":\#((Self.start + minutes.upperBound) * 60)"#
            return await store.refusal(of: verb, #"{"device":"bike-07","bucket":"minute",\#(range)}"#, by: user)
        }
        #expect(await ask(10..<30, by: "anna") == nil)
        #expect(await ask(12..<13, by: "anna") == nil)
        #expect(await ask(30..<50, by: "ben") == nil)
        for (minutes, user) in [
            (9..<30, "anna"), (10..<31, "anna"), (0..<5, "anna"), (30..<50, "anna"), (55..<58, "anna"),
            (10..<30, "ben"),
        ] as [(Range<Int64>, String)] {
            let error = await ask(minutes, by: user)
            #expect(error?.code == .notAuthorised, "\(minutes) by \(user)")
            #expect(error?.message.contains("ask from 2026-11-20T17:\(user == "anna" ? 10 : 30):00Z to") == true)
        }
        // Nor without saying a time.
        #expect(await store.code(of: verb, #"{"device":"bike-07"}"#, by: "anna") == .notAuthorised)
        #expect(await store.code(of: verb, #"{"device":"bike-08"}"#, by: "anna") == .notAuthorised)
    }

    @Test("A member and a device read the device of their own name at any time, and nobody else's")
    func ownDevice() async throws {
        let store = try await gym()
        for verb in [RequestVerb.historyDays, .historyInterval, .historySeries, .historyActivity, .capabilities] {
            for (user, device) in [("anna", "anna"), ("bike-07", "bike-07")] {
                #expect(await store.code(of: verb, #"{"device":"\#(device)"}"#, by: user) == nil, "\(verb)")
            }
            for (user, device) in [("anna", "ben"), ("bike-07", "bike-08"), ("bike-07", "anna"), ("ben", "bike-08")] {
                #expect(await store.code(of: verb, #"{"device":"\#(device)"}"#, by: user) == .notAuthorised, "\(verb)")
            }
        }
        let devices: Page<DeviceEntry> = try await store.ask(.devices, "{}", by: "anna")
        #expect(devices.rows.map(\.device.description) == ["anna", "bike-07"])
        // Of the shared bike what was hers: twenty minutes of 80 revolutions.
        #expect(devices.rows.last?.revolutions == 1_600)
        #expect(devices.rows.last?.firstT == Double(Self.start + 10) * 60)
        let own: Page<DeviceEntry> = try await store.ask(.devices, "{}", by: "bike-07")
        #expect(own.rows.map(\.device.description) == ["bike-07"])
    }

    @Test("A member asks about the own person, whatever the name that an operator gave it, and about no other")
    func ownPerson() async throws {
        let store = try await gym()
        for verb in [RequestVerb.historySeries, .historyActivity] {
            #expect(await store.code(of: verb, #"{"person":"anna"}"#, by: "anna") == nil)
            #expect(await store.code(of: verb, #"{"person":"Ben"}"#, by: "ben") == nil)
            for (user, person) in [
                ("anna", "Ben"), ("anna", "Anna"), ("ben", "ben"), ("ben", "anna"), ("bike-07", "anna"),
            ] {
                #expect(await store.code(of: verb, #"{"person":"\#(person)"}"#, by: user) == .notAuthorised)
            }
        }
        let people: Page<PersonEntry> = try await store.ask(.people, "{}", by: "ben")
        #expect(people.rows.map(\.person) == ["Ben"])
        for verb in [RequestVerb.peopleForget, .peopleConfigure, .peopleCheckin, .peopleCheckout] {
            let code = await store.code(of: verb, #"{"person":"Ben","device":"bike-08","alias":"B"}"#, by: "anna")
            #expect(code == .notAuthorised, "\(verb)")
        }
        // Without a name the own person is meant: Anna's twenty minutes on the bike go, and the hour of her phone; Ben's stay.
        let forgotten: ForgetData = try await store.ask(.peopleForget, "{}", by: "anna")
        #expect(forgotten.minutes == 80 && forgotten.devices == 2)
        #expect(try await store.device("anna") == nil)
        let left: Page<SeriesBucket> = try await store.ask(
            .historySeries, #"{"person":"Ben","from":\#(Self.start * 60),"to":\#((Self.start + 60) * 60)}"#, by: "ben")
        #expect(left.rows.reduce(0) { $0 + $1.revolutions } == 1_600)
    }

    @Test(
        "A member checks in from now, which ends another's check-in from now on, and claims nothing else of anybody's")
    func checkIn() async throws {
        let store = try await gym()
        func checkIn(_ fields: String, by user: String) async -> ReplyError.Code? {
            await store.code(of: .peopleCheckin, "{\(fields)}", by: user)
        }
        #expect(await checkIn(#""device":"bike-08""#, by: "anna") == nil)
        // Ben sits on it next: Anna's time until now stays hers.
        #expect(await checkIn(#""device":"bike-08""#, by: "ben") == nil)
        let anna: Page<PersonEntry> = try await store.ask(.people, "{}", by: "anna")
        let ended = anna.rows[0].devices.first { $0.device.description == "bike-08" }
        #expect(ended == nil || ended?.to == Self.now)
        // What was Ben's, or was long ago, or is booked, or is somebody's own.
        #expect(await checkIn(#""device":"bike-07","from":\#((Self.start + 46) * 60)"#, by: "anna") == .notAuthorised)
        #expect(await checkIn(#""device":"bike-07","from":\#((Self.start + 51) * 60)"#, by: "anna") == nil)
        #expect(await checkIn(#""device":"bike-09","from":\#((Self.start + 44) * 60)"#, by: "anna") == .notAuthorised)
        #expect(await checkIn(#""device":"bike-09","from":\#((Self.start + 45) * 60)"#, by: "anna") == nil)
        #expect(await checkIn(#""device":"ben""#, by: "anna") == .notAuthorised)
        #expect(await checkIn(#""device":"watch-of-dora""#, by: "anna") == .notAuthorised)
        _ = await store.code(
            of: .peopleCheckin,
            #"{"device":"bike-10","person":"Ben","from":\#((Self.start + 90) * 60),"to":\#((Self.start + 120) * 60)}"#,
            by: nil)
        #expect(await checkIn(#""device":"bike-10""#, by: "anna") == .notAuthorised)
        #expect(await checkIn(#""device":"bike-10","to":\#((Self.start + 90) * 60)"#, by: "anna") == nil)
        // Who could book a bike would keep everybody else off it.
        for from in [Self.start + 62, Self.start + 1_440] {
            #expect(await checkIn(#""device":"bike-08","from":\#(from * 60)"#, by: "anna") == .notAuthorised)
        }
        // Checking out ends the own check-in only.
        #expect(await store.code(of: .peopleCheckout, #"{"device":"bike-08"}"#, by: "anna") == .badRequest)
        #expect(await store.code(of: .peopleCheckout, #"{"device":"bike-08"}"#, by: "ben") == nil)
    }

    @Test("A member configures and forgets the own device, and cannot make it another person's")
    func ownConfig() async throws {
        let store = try await gym()
        for config in [#"{"kind":"wearable"}"#, #"{"kind":"wearable","person":"anna"}"#] {
            #expect(
                await store.code(of: .devicesConfigure, #"{"device":"anna","config":\#(config)}"#, by: "anna") == nil)
        }
        for (device, config) in [("anna", #"{"person":"Ben"}"#), ("bike-07", "{}"), ("ben", "{}")] {
            let code = await store.code(
                of: .devicesConfigure, #"{"device":"\#(device)","config":\#(config),"keep_unknown":true}"#, by: "anna")
            #expect(code == .notAuthorised, "\(device)")
        }
        #expect(await store.code(of: .devicesForget, #"{"device":"bike-07"}"#, by: "anna") == .notAuthorised)
        #expect(await store.code(of: .devicesForget, #"{"device":"anna"}"#, by: "anna") == nil)
    }

    @Test("An alias is nobody else's name, is shown to operators beside the name, and is forgotten with the person")
    func alias() async throws {
        let store = try await gym()
        for alias in ["Ben", "Dora", "BEN", " dora ", "ben2"] {
            let isFree = alias == "ben2"
            let code = await store.code(of: .peopleConfigure, #"{"alias":"\#(alias)"}"#, by: "anna")
            #expect((code == nil) == isFree, "\(alias)")
        }
        #expect(await store.code(of: .peopleConfigure, #"{"alias":"ben2"}"#, by: "ben") == .badRequest)
        let kept: ShownPersonData = try await store.ask(.peopleConfigure, #"{"alias":"Anna"}"#, by: "anna")
        #expect(kept == ShownPersonData { ($0.person, $0.alias) = ("anna", "Anna") })
        #expect(await store.code(of: .peopleConfigure, "{}", by: "anna") == .badRequest)
        #expect(await store.code(of: .peopleConfigure, #"{"alias":"ben2"}"#, by: "anna") == nil)
        let people: Page<PersonEntry> = try await store.ask(.people, "{}", by: nil)
        let entry = try #require(people.rows.first { $0.person == "anna" })
        #expect(entry.alias == "ben2")
        #expect(await store.code(of: .peopleForget, "{}", by: "anna") == nil)
        #expect(await store.code(of: .peopleConfigure, #"{"alias":"ben2"}"#, by: "ben") == nil)
    }

    /// A gym with its users; Anna had bike-07 in the minutes 10 to 30, and Ben, who logs in as ben, 30 to 50.
    func gym(_ folder: StoreFolder? = nil) async throws -> HistoryStore {
        let store = try (folder ?? self.folder).store()
        for (user, role) in [
            ("anna", Role.member), ("screen", .viewer), ("front-desk", .operator), ("bike-07", .device),
        ] {
            try await store.give(role, to: user)
        }
        try await store.give(.member, to: "ben", person: "Ben")
        try await store.give(.member, to: "carl")
        try await store.give(nil, to: "carl")
        var changes = HistoryChanges()
        for (index, name) in ["bike-07", "bike-08", "bike-09", "bike-10", "anna", "ben", "watch-of-dora"].enumerated() {
            for minute in Self.start..<Self.start + 60 {
                let revision = UInt64(index * 100 + Int(minute - Self.start) + 1)
                changes.rows.append(
                    MinuteRow(try DeviceID(name), minute, revision: revision, revolutions: 80) {
                        $0.counts[.cycling] = 60_000
                    })
            }
        }
        let dora = DeviceSettings(kind: "wearable", person: "Dora")
        changes.settings = [SettingsChange(device: "watch-of-dora", settings: dora)]
        _ = try await store.commit(changes, nowSeconds: Int64(Self.now))
        try await store.checkIn("anna", "bike-07", Self.start + 10..<Self.start + 30)
        try await store.checkIn("Ben", "bike-07", Self.start + 30..<Self.start + 50)
        return store
    }
}

extension HistoryStore {
    /// Gives a user a role, or revokes it.
    func give(_ role: Role?, to user: String, person: String? = nil) async throws {
        var changes = HistoryChanges()
        let said = role.map { role in UserRole { ($0.role, $0.person) = (role, person) } }
        changes.roles = [RoleChange(user: try DeviceID(user), role: said)]
        let outcome = try await commit(changes, nowSeconds: 0)
        #expect(outcome.changedRoles == changes.roles)
        #expect(try await commit(changes, nowSeconds: 0).changedRoles.isEmpty)
    }

    fileprivate func reply(
        to verb: RequestVerb, _ json: String, by user: String?, at second: Int64? = nil
    ) async throws -> HistoryReply {
        let request = try HistoryRequest(verb: verb, json: Array(json.utf8))
        var requester = try Requester("stride/reply/somewhere")
        requester.user = try user.map { try DeviceID($0) }
        return await HistoryAnswers(store: self).reply(
            to: request, from: requester, nowSeconds: second.map { Double($0) } ?? AskerTests.now)
    }

    func refusal(
        of verb: RequestVerb, _ json: String, by user: String?, at second: Int64? = nil
    ) async -> ReplyError? {
        try? await reply(to: verb, json, by: user, at: second).refusal
    }

    func code(
        of verb: RequestVerb, _ json: String, by user: String?, at second: Int64? = nil
    ) async -> ReplyError.Code? {
        await refusal(of: verb, json, by: user, at: second)?.code
    }

    func ask<Data: JSONPayload>(
        _ verb: RequestVerb, _ json: String, by user: String?, as: Data.Type = Data.self
    ) async throws -> Data {
        switch try await reply(to: verb, json, by: user) {
        case .ok(_, let data): return try Data(json: data)
        case .error(_, let error): throw error
        }
    }
}
