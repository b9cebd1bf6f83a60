@testable import Lab
import StrideClient
import Testing

@testable import Wire

@Suite("What is known of each device at the moment")
struct LiveTableTests {
    private let start = ContinuousClock.now
    private let bike: DeviceID
    private let walker: DeviceID

    init() throws {
        bike = try DeviceID("bike-1")
        walker = try DeviceID("walker-1")
    }

    @Test("A total that nobody has told yet is not shown as 0")
    func unknownTotals() {
        let table = LiveTable()
        table.note(.activity(walker, ActivityReport(t: 5, activity: .walking, confidence: 0.9, since: 1)), at: start)
        #expect(table.line(about: walker) == "walker-1 walking –")
        table.note(.steps(walker, StepsReport(t: 6, steps: 40, newSteps: 2, cadenceSPM: 110)), at: start)
        #expect(table.line(about: walker) == "walker-1 walking – steps=40")
        table.note(.total(walker, DeviceTotals(counts: Counts([.steps: 41]))), at: start)
        #expect(table.line(about: walker) == "walker-1 walking – steps=41 revolutions=0")
    }

    @Test("A rider who pedals, stops, falls silent and goes offline is told apart")
    func standings() {
        let table = LiveTable()
        table.note(cadence(84), at: start)
        #expect(row(table, at: 1) == "cycling 84.0 rpm")
        #expect(row(table, at: 6) == "no news –")
        table.note(cadence(0), at: start + .seconds(7))
        #expect(row(table, at: 8) == "still 0.0 rpm")
        #expect(row(table, at: 900) == "still 0.0 rpm")
        table.note(.status(bike, isOnline: false), at: start + .seconds(901))
        #expect(row(table, at: 902) == "offline –")
    }

    @Test("Today is told in what the total is, before the first cadence too")
    func today() {
        let table = LiveTable()
        let day = DayTotals(
            date: "2026-11-20", zone: "UTC", counts: Counts([.revolutions: 151]), revision: 1, isFinal: false, end: 9)
        table.note(.day(bike, day), at: start)
        table.note(.total(bike, DeviceTotals(counts: Counts([.revolutions: 160]))), at: start)
        #expect(table.lines(at: start)[2].split(separator: " ").suffix(2) == ["151", "160"])
    }

    @Test("The first line says how many do what")
    func summary() {
        let table = LiveTable()
        table.note(cadence(84), at: start)
        table.note(.health(bike, DeviceHealth(t: 1, ok: false, problem: "sampled too slowly")), at: start)
        table.note(.status(walker, isOnline: false), at: start)
        #expect(table.lines(at: start)[0] == "1 cycling, 0 on foot, 0 still, 1 away, 1 with a problem")
        #expect(table.lines(at: start)[2].hasSuffix("sampled too slowly"))
    }

    @Test("A lost connection is told above the table until it is back")
    func lostConnection() {
        let table = LiveTable()
        table.note(cadence(84), at: start)
        let lines = table.lines(at: start)
        table.note(connectionProblem: "no broker; trying again")
        #expect(table.lines(at: start) == ["no broker; trying again"] + lines)
        table.note(connectionProblem: nil)
        #expect(table.lines(at: start) == lines)
    }

    private func cadence(_ rpm: Double) -> BusEvent {
        .cadence(bike, CadenceReport(t: 1, cadenceRPM: rpm, confidence: 0.9, activity: .cycling, revolutions: 7))
    }

    /// What the bike does, and its cadence.
    private func row(_ table: LiveTable, at seconds: Int) -> String {
        let line = table.lines(at: start + .seconds(seconds))[2]
        let cells = line.split(separator: "  ", omittingEmptySubsequences: true).map {
            $0.drop { $0 == " " }
        }
        return "\(cells[1]) \(cells[2])"
    }
}
