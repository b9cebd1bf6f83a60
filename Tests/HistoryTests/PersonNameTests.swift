import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("Names of people", .timeLimit(.minutes(5)))
struct PersonNameTests {
    private let folder = StoreFolder()
    private let bike: DeviceID = "bike-07"

    @Test("A name has one form: composed, without spaces at its ends or two in between; capitals tell people apart")
    func normal() {
        #expect(PersonName.normal("Zoe\u{308}").map { Array($0.utf8) } == Array("Zoë".utf8))
        #expect(PersonName.normal(" Anna\u{A0} Berg ") == "Anna Berg")
        #expect([" \u{3000}", "", "\u{200D}", "\u{200C} \u{FE0F}"].allSatisfy { PersonName.normal($0) == nil })
        #expect(PersonName.normal("anna") != PersonName.normal("Anna"))
        // Composed, some letters are longer.
        #expect(PersonName.normal(String(repeating: "\u{958}", count: 60)) == nil)
    }

    @Test("One person in two normal forms is one, however the name comes in", arguments: StoreKind.available)
    func forms(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let (composed, decomposed) = ("Zoë", " Zoe\u{308}  ")
        let walker: DeviceID = "walker-1"
        let config = try DeviceConfig(json: Array(#"{"person":"\#(decomposed)"}"#.utf8))
        try await store.set(walker, DeviceSettings(config), nowSeconds: 600)
        for (person, from) in [(composed, 60.0), (decomposed, 3600.0)] {
            let request = HistoryRequest(
                verb: .peopleCheckin, device: bike, person: person, from: .instant(seconds: from),
                to: .instant(seconds: from + 600))
            let data = try await store.ask(request, at: 60, as: AssignmentData.self)
            #expect(data.person.utf8.elementsEqual(composed.utf8))
        }
        let people = try await store.ask(HistoryRequest(verb: .people), at: 60, as: Page<PersonEntry>.self).rows
        #expect(people.count == 1 && people.first?.devices.count == 3)
        let forget = HistoryRequest(verb: .peopleForget, person: decomposed)
        _ = try await store.ask(forget, at: 60, as: ForgetData.self)
        #expect(try await store.ask(HistoryRequest(verb: .people), at: 60, as: Page<PersonEntry>.self).rows.isEmpty)
    }

    @Test(
        "A name with a character that is not seen is refused by its number",
        arguments: [
            ("people/checkin", #"{"device":"bike-07","person":"Eve\nAnna"}"#, "U+000A"),
            ("people/forget", #"{"person":"Eve\u2028"}"#, "U+2028"),
            ("people/configure", #"{"person":"Eve","alias":"\u001b[2J"}"#, "U+001B"),
            ("people", #"{"person":"\u202eEve"}"#, "U+202E"),
        ])
    func refused(verb: String, json: String, character: String) throws {
        let error = try #require(try Admission(verb, json, response: "stride/reply/me").request?.refusal)
        #expect(error.code == .badRequest && error.message.contains(character), "\(error.message)")
        #expect(throws: WireError.outOfRange) { try DeviceConfig(json: Array(#"{"person":"Eve\nAnna"}"#.utf8)) }
    }

    @Test("A field that a verb does not take is refused by its name")
    func unknownFields() async throws {
        let store = try folder.store()
        for (verb, json, name) in [
            ("people/checkout", #"{"device":"bike-07","from":1}"#, "'from'"),
            ("history/days", #"{"device":"bike-07","buckt":"day"}"#, "'buckt'"),
            ("devices", #"{"device":"bike-07"}"#, "'device'"), ("people/forget", #"{"person":"A","to":5}"#, "'to'"),
        ] {
            let request = try #require(try Admission(verb, json, response: "stride/reply/me").request)
            let reply = await HistoryAnswers(store: store).reply(to: try request.request.get(), nowSeconds: 600)
            let error = try #require(reply.refusal, "\(verb) took \(name)")
            #expect(error.code == .badRequest && error.message.contains(name), "\(error.message)")
        }
        let whole = #"{"device":"a","from":null,"transaction":1,"reply_to":"stride/reply/me","deadline":2000}"#
        let request = try #require(try Admission("people/checkout", whole).request)
        #expect(try request.request.get().unknownField == nil)
    }

    @Test("An interval that begins before 1970 is answered, and a time that there is not is told as that")
    func early() async throws {
        let store = try folder.store()
        let data: IntervalData = try await store.ask(
            .historyInterval, #"{"device":"bike-07","from":"1969-12-31","to":"1970-01-02"}"#, at: 600)
        #expect(data.from == 0 && data.to == 86_400)
        let days: Page<DayTotals> = try await store.ask(
            .historyDays, #"{"device":"bike-07","from":"1969-12-30","to":"1970-01-03"}"#, at: 600)
        #expect(days.rows.map(\.date) == ["1970-01-01", "1970-01-02"])
        let json = #"{"device":"bike-07","from":"1969-12-31T23:00:00Z"}"#
        let admitted = try Admission("history/interval", json, response: "stride/reply/me").request
        #expect(admitted?.refusal?.message.contains("from 1970 to 9999") == true)
    }
}
