import Contract
import Testing
import Wire

@testable import History

/// A member who takes what there is, and a screen on the wall in other hands, in the gym of `AskerTests`.
@Suite("Who asks for more than is theirs", .timeLimit(.minutes(5)))
struct HostileAskerTests {
    let others: AskerTests

    init() throws {
        others = try AskerTests()
    }

    @Test("The wall is told what devices counted today, not before, nor while who is off the wall had them")
    func devicesToday() async throws {
        let store = try await others.gym()
        var changes = HistoryChanges()
        for (name, daysAgo) in [("bike-07", 1), ("phone-of-carl", 3)] as [(String, Int64)] {
            var row = MinuteTotals(
                device: try DeviceID(name), minute: AskerTests.start - daysAgo * 1440, epoch: 7, revision: 10_000)
            (row.revolutions, row.coveredMilliseconds) = (9_000, 60_000)
            changes.rows.append(row)
        }
        _ = try await store.commit(changes, nowSeconds: Int64(AskerTests.now))
        func told(_ device: String, to user: String?) async throws -> DeviceEntry? {
            let data: DevicesData = try await store.ask(.devices, "{}", by: user)
            return data.devices.first { $0.device.description == device }
        }
        let midnight = 1_795_132_800.0
        #expect(try await told("bike-07", to: nil)?.revolutions == 9_000 + 60 * 80)
        #expect(try await told("bike-07", to: "wall")?.revolutions == 60 * 80)
        #expect(try await told("bike-07", to: "wall")?.firstT == midnight)
        let carls = try await told("phone-of-carl", to: "wall")
        #expect(carls?.revolutions == 0 && carls?.firstT == midnight && carls?.lastT == midnight)
        // Ben had it for twenty of the sixty minutes.
        #expect(await store.code(of: .peopleConfigure, #"{"wall":false}"#, by: "ben") == nil)
        #expect(try await told("bike-07", to: "wall")?.revolutions == 40 * 80)
    }

    @Test("No zone lets the wall see a person's day before", arguments: [RequestVerb.people, .historyActivity])
    func zones(verb: RequestVerb) async throws {
        let store = try await others.gym()
        _ = await store.code(of: .peopleCheckin, #"{"device":"bike-09","person":"anna"}"#, by: nil)
        // There it is the 21st, which began at ten in the morning of the 20th here; here it is still the 20th there.
        for (zone, date, isToday) in [
            ("Etc/GMT-14", "2026-11-21", true), ("Etc/GMT+12", "2026-11-20", true), ("Etc/GMT-5", "2026-11-20", false),
        ] {
            let code = await store.code(
                of: verb, #"{"person":"anna","zone":"\#(zone)","from":"\#(date)"}"#, by: "wall")
            #expect((code == nil) == isToday, "\(zone)")
        }
    }
}
