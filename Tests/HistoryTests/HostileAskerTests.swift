import TestBroker
import Testing
import Wire

@testable import History

/// A member who takes what there is, in the gym of `AskerTests`.
@Suite("Who asks for more than is theirs", .timeLimit(.minutes(5)))
struct HostileAskerTests {
    let others = AskerTests()

    @Test("A member has a few devices at a time, so that nobody takes all bikes from everybody")
    func allBikes() async throws {
        let store = try await others.gym()
        func checkIn(_ number: Int) async -> ReplyError? {
            let start = (AskerTests.start + 55) * 60
            return await store.refusal(
                of: .peopleCheckin, #"{"device":"bike-1\#(number)","from":\#(start + (number == 99 ? 300 : 0))}"#,
                by: "anna")
        }
        for number in 0..<HistoryAnswers.maximumHeldDevices { #expect(await checkIn(number) == nil) }
        let refusal = await checkIn(99)
        #expect(refusal?.code == .notAuthorised && refusal?.message.contains("check out") == true)
        // Again on one of them, on the own phone, and after a check-out; an operator may in any case.
        #expect(await checkIn(0) == nil)
        #expect(await store.code(of: .peopleCheckin, #"{"device":"anna"}"#, by: "anna") == nil)
        #expect(await store.code(of: .peopleCheckout, #"{"device":"anna"}"#, by: "anna") == nil)
        let end = (AskerTests.start + 60) * 60
        #expect(await store.code(of: .peopleCheckout, #"{"device":"bike-10","to":\#(end)}"#, by: "anna") == nil)
        #expect(await checkIn(99) == nil)
        #expect(await store.code(of: .peopleCheckin, #"{"device":"bike-20","person":"anna"}"#, by: nil) == nil)
    }

    @Test("Years of check-ins of a bike or a person refuse no further one: those that ended first go")
    func endlessly() async throws {
        let store = try others.folder.store()
        let bike: DeviceID = "bike-07"
        let count = Int64(Assignment.maximumKept)
        _ = try await store.database.write { session in
            try session.execute(
                (0..<count).map { number in
                    SQLStatement(
                        """
                        INSERT INTO assignments (person, device, from_minute, to_minute, origin)
                        VALUES ($1, $2, $3, $4, 1)
                        """, [.text("anna"), .text("\(bike)"), .int(number * 60), .int(number * 60 + 30)])
                })
        }
        for number in 0..<3 as Range<Int64> {
            let more = Assignment(person: "anna", device: bike, minutes: (count + number) * 60..<Assignment.forGood)
            #expect(try await store.assign(more) == nil)
        }
        let kept = try await store.assignments(of: bike)
        #expect(kept.count == Int(count) && kept.first?.minutes == 180..<210)
        let other = Assignment(person: "anna", device: "bike-x", minutes: count * 90..<Assignment.forGood)
        #expect(try await store.assign(other) == nil)
        #expect(try await store.assignments(of: "anna").count == Int(count))
        // A config's person finds room too.
        try await store.set(bike, DeviceSettings(person: "Ben"), nowSeconds: count * 3600)
        #expect(try await Set(store.assignments(of: "Ben").map(\.device)) == [bike])
    }

    @Test("A member's check-in that ends somebody else's is told to the audit, and one that ends nobody's is not")
    func takingOver() async throws {
        let store = try await others.gym()
        func isOfNote(_ user: DeviceID) async throws -> Bool {
            var requester = try Requester("stride/reply/here")
            requester.user = user
            let request = try HistoryRequest(verb: .peopleCheckin, json: Array(#"{"device":"bike-08"}"#.utf8))
            let answers = HistoryAnswers(store: store)
            return await answers.answer(request, from: requester, nowSeconds: AskerTests.now).isOfNote
        }
        #expect(try await !isOfNote("anna"))
        _ = try await store.checkIn("anna", "bike-08", AskerTests.start + 50..<Assignment.forGood)
        #expect(try await isOfNote("ben"))
        #expect(try await isOfNote("front-desk"))
    }
}
