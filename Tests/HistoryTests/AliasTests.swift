import TestBroker
import Testing
import Wire

@testable import History

@Suite("Aliases", .timeLimit(.minutes(5)))
struct AliasTests {
    private let folder = StoreFolder()

    @Test(
        "Capitals, accents and forms of letters tell no aliases apart, and letters do",
        arguments: [
            ("Anna", "ANNA", true), ("Éva", "E\u{301}VA", true), ("Éva", "Eva", true), ("Anna", "Ａｎｎａ", true),
            ("Fiona", "\u{FB01}ona", true), ("Иван", "ИВАН", true), ("Ёва", "Ева", true), ("Anna", "Anne", false),
            ("Ann A", "Anna", false), ("李娜", "李那", false), ("か", "が", false), ("कि", "कु", false),
        ])
    func folded(one: String, other: String, isSame: Bool) {
        #expect((PersonName.folded(one) == PersonName.folded(other)) == isSame)
    }

    @Test("What cannot be seen is refused by its number, and joiners that names are written with are not")
    func unseen() {
        for (name, character) in [
            ("An\u{200B}na", "U+200B"), ("\u{202E}Anna", "U+202E"), ("Anna\n", "U+000A"), ("\u{3164}", "U+3164"),
            ("Anna\u{E0041}", "U+E0041"), ("\u{FEFF}Anna", "U+FEFF"), ("An\u{AD}na", "U+00AD"),
        ] {
            #expect(NameText.refusedCharacter(in: name) == character)
        }
        for name in ["Anna", "علی\u{200C}رضا", "👩\u{200D}🚀", "Anna ❤\u{FE0F}", "श्री\u{200D}"] {
            #expect(NameText.refusedCharacter(in: name) == nil)
        }
    }

    @Test(
        "An alias that is another's name or alias is refused, without regard to capitals and accents",
        arguments: StoreKind.available)
    func configured(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await store.give(.member, to: "anna")
        #expect(try await store.keep(alias: "Évi", of: "Éva") == nil)
        for (alias, word) in [
            ("ÁNNA", "somebody else"), ("évi", "somebody else"), ("Eva", "somebody else"),
            (" ", "nothing that is seen"), ("Anne", nil), ("Anne Eva", nil), ("", nil),
        ] {
            let error = await store.refusal(
                of: .peopleConfigure, #"{"person":"Ben","alias":"\#(alias)"}"#, by: nil)
            let isRight =
                error.map { $0.code == .badRequest && $0.message.contains(word ?? "no refusal") } ?? (word == nil)
            #expect(isRight, "\(alias)")
        }
    }

    @Test("An operator takes an alias away, and it is free for another one", arguments: StoreKind.available)
    func takenAway(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for (person, alias, isTaken) in [
            ("Éva", "Champion", true), ("Ben", "CHAMPION", false), ("Éva", "", true), ("Ben", "CHAMPION", true),
        ] {
            let code = await store.code(
                of: .peopleConfigure, #"{"person":"\#(person)","alias":"\#(alias)"}"#, by: nil)
            #expect(code == (isTaken ? nil : .badRequest))
        }
        #expect(try await store.profiles(of: ["Éva"]).isEmpty)
    }

    @Test("Somebody who has one may change it when no more people may have one", arguments: StoreKind.available)
    func limit(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        #expect(try await store.keep(alias: "A", of: "Anna") == nil)
        _ = try await store.database.write { session in
            try session.change(
                """
                WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
                INSERT INTO profiles (person, alias) SELECT 'person ' || n, 'alias ' || n FROM numbers
                """, [.int(PersonProfile.maximumPeople)])
        }
        #expect(try await store.keep(alias: "B", of: "Ben") == .tooMany)
        #expect(try await store.keep(alias: "A. S.", of: "Anna") == nil)
        #expect(try await store.profiles(of: ["Anna", "Ben"]).mapValues(\.alias) == ["Anna": "A. S."])
    }

    @Test("An alias stays when somebody of that name has come, and is taken then", arguments: StoreKind.available)
    func newcomer(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        #expect(try await store.keep(alias: "Bo", of: "Anna") == nil)
        #expect(
            try await store.assign(Assignment(person: "bo", device: "bike-07", minutes: 0..<5)) == nil)
        #expect(try await store.keep(alias: "Bo", of: "Anna") == nil)
        #expect(try await store.keep(alias: "BO", of: "Anna") == .aliasTaken)
    }
}
