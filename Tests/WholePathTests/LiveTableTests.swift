import Lab
import StrideClient
import Testing
import Wire

@Suite("What is known of each device at the moment")
struct LiveTableTests {
    @Test("A total that nobody has told yet is not shown as 0")
    func unknownTotals() throws {
        let device = try DeviceID("walker-1")
        let board = LiveTable()
        board.note(.activity(device, ActivityReport(t: 5, activity: .walking, confidence: .high, since: 1)))
        #expect(board.line(about: device) == "walker-1 walking –")
        board.note(.steps(device, StepsReport(t: 6, steps: 2, total: 40, cadenceSPM: 110)))
        #expect(board.line(about: device) == "walker-1 walking – steps=40")
        board.note(.total(device, DeviceTotals(totals: Totals(steps: 41))))
        #expect(board.line(about: device) == "walker-1 walking – steps=41 revolutions=0")
    }
}
