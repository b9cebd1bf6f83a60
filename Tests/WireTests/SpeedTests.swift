import Testing

@testable import Wire

@Suite("Metres a second")
struct SpeedTests {
    private func interval(revolutions: Int64, metres: Double, seconds: Double) throws -> IntervalData {
        IntervalData(
            device: try DeviceID("bike-07"), from: 0, to: 60,
            counts: Counts([
                .revolutions: revolutions, .distance: Int64((metres * 1000).rounded()),
                .active: Int64((seconds * 1000).rounded()),
            ]))
    }

    @Test("They follow from distance and active time where there are revolutions")
    func speed() throws {
        #expect(try interval(revolutions: 84, metres: 504, seconds: 60).speedAverageMetresPerSecond == 8.4)
        #expect(try interval(revolutions: 84, metres: 0, seconds: 60).speedAverageMetresPerSecond == nil)
        #expect(try interval(revolutions: 84, metres: 500, seconds: 0).speedAverageMetresPerSecond == nil)
        #expect(try interval(revolutions: 0, metres: 80, seconds: 60).speedAverageMetresPerSecond == nil)
    }

    @Test("What is read and written again stays the same", arguments: [0.0004, 0.0005, 0.1, 0.12344, 7e11])
    func again(number: Double) throws {
        for (metres, seconds) in [(number, 60), (500, number), (number, number)] {
            let written = try interval(revolutions: 1, metres: metres, seconds: seconds).encodedJSON()
            #expect(try IntervalData(json: written).encodedJSON() == written)
        }
    }
}
