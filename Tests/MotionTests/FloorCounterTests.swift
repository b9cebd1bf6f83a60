import Seeded
import Foundation
import Motion
import Testing

/// Somebody who goes through a building, second by second.
private struct Climb {
    /// A stretch: for how long, how fast upwards, and steps a second.
    struct Stretch {
        var seconds: Int
        var speed = 0.0
        var stepsPerSecond = 0.0

        static func flat(_ seconds: Int) -> Stretch { Stretch(seconds: seconds, stepsPerSecond: 1.8) }
        static func stairs(metres: Double, speed: Double = 0.28) -> Stretch {
            Stretch(
                seconds: Int((abs(metres) / speed).rounded()), speed: metres > 0 ? speed : -speed, stepsPerSecond: 1.6)
        }
        static func lift(metres: Double, speed: Double = 1) -> Stretch {
            Stretch(seconds: Int((abs(metres) / speed).rounded()), speed: metres > 0 ? speed : -speed)
        }
        static func rest(_ seconds: Int) -> Stretch { Stretch(seconds: seconds) }
    }

    var stretches: [Stretch]
    /// Noise of a pressure, in Pa.
    var noise = 0.0
    /// The weather, in Pa an hour.
    var weather = 0.0
    /// From when on a door stands open, in seconds, and what that changes.
    var draught = (at: Double.infinity, pascals: 0.0)
    /// Seconds from one pressure to the next.
    var spacing = 0.2
    /// How late steps are told, in seconds.
    var delay = 3.0
    var seed: UInt64 = 1
    static let start = 1_795_194_000.0

    /// Where the walker is, and whether steps are made, at each fifth of a second.
    private func path() -> [(altitude: Double, steps: Double)] {
        var altitude = 120.0
        var path: [(altitude: Double, steps: Double)] = []
        for stretch in stretches {
            for _ in 0..<stretch.seconds * 5 {
                altitude += stretch.speed / 5
                path.append((altitude, stretch.stepsPerSecond))
            }
        }
        return path
    }

    /// What is told to a counter, in the order in which it is told.
    func inputs() -> [(time: Double, pressure: Float?, steps: Int)] {
        var generator = SeededGenerator(seed: seed)
        var inputs: [(told: Double, time: Double, pressure: Float?, steps: Int)] = []
        var phase = 0.0
        var nextPressure = 0.0
        for (index, point) in path().enumerated() {
            let time = Double(index) / 5
            if time >= nextPressure {
                nextPressure += spacing
                let chance = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
                let pascals =
                    101_325 * pow(1 - point.altitude / 44_330, 5.255) + noise * chance + weather * time / 3600
                    + (time < draught.at ? 0 : draught.pascals)
                inputs.append((time, time, Float(pascals / 100), 0))
            }
            phase += point.steps / 5
            if phase >= 1 {
                phase -= 1
                inputs.append((time + delay, time, nil, 1))
            }
        }
        return inputs.sorted { $0.told < $1.told }.map { (Self.start + $0.time, $0.pressure, $0.steps) }
    }

    /// Counts everything; after each input the counter may be put into another.
    func counted(_ move: (inout FloorCounter) -> Void = { _ in }) -> [FloorEvent] {
        var counter = FloorCounter()
        var events: [FloorEvent] = []
        for input in inputs() {
            let time = Int64(input.time * 1e6)
            if let pressure = input.pressure {
                counter.push(timeMicroseconds: time, hectopascals: pressure, into: &events)
            } else {
                counter.push(steps: input.steps, timeMicroseconds: time, into: &events)
            }
            move(&counter)
        }
        counter.flush(into: &events)
        return events
    }

    func floors() -> (up: Int, down: Int) {
        let events = counted()
        let up = events.filter { $0.direction == .up }.count
        return (up, events.count - up)
    }
}

@Suite("Floors: what a barometer and steps say together")
struct FloorCounterTests {
    @Test("The barometric formula gives the altitudes of the standard atmosphere")
    func formula() {
        // ICAO Doc 7488: 898.75 hPa at 1,000 m, 701.09 hPa at 3,000 m.
        #expect(abs(Barometer.altitudeMetres(hectopascals: 1013.25)) < 1e-9)
        #expect(abs(Barometer.altitudeMetres(hectopascals: 898.75) - 1000) < 1)
        #expect(abs(Barometer.altitudeMetres(hectopascals: 701.09) - 3000) < 2)
        // A hectopascal near sea level is 8.43 m (BMP180 data sheet, section 3.6).
        #expect(abs(Barometer.altitudeMetres(hectopascals: 1012.25) - 8.43) < 0.15)
        #expect(Barometer.altitudeMetres(hectopascals: -1) == 44_330)
    }

    @Test("Stairs are counted as floors of three metres, up and down", arguments: 1...8)
    func stairs(floors: Int) {
        let metres = 3 * Double(floors)
        let climb = Climb(
            stretches: [.flat(30), .stairs(metres: metres), .flat(30), .stairs(metres: -metres), .flat(30)],
            noise: 1.3, seed: UInt64(floors))
        let counted = climb.floors()
        #expect(counted.up == floors)
        #expect(counted.down == floors)
    }

    @Test("A lift makes no floors, however fast it is and however soon it starts", arguments: [0.5, 1, 1.6, 4])
    func lift(speed: Double) {
        let climb = Climb(
            stretches: [
                .flat(30), .rest(3), .lift(metres: 30, speed: speed), .rest(3), .flat(20), .rest(2),
                .lift(metres: -30, speed: speed), .rest(2), .flat(20),
            ], noise: 1.3)
        #expect(climb.floors() == (0, 0))
    }

    @Test("The weather makes no floors in hours of walking on level ground", arguments: [-120.0, -60, 60, 120, 240])
    func weather(pascalsAnHour: Double) {
        let climb = Climb(stretches: [.flat(7200)], noise: 1.3, weather: pascalsAnHour)
        #expect(climb.floors() == (0, 0))
    }

    @Test("A person who stands, and one without a barometer, has no floors")
    func still() {
        #expect(Climb(stretches: [.rest(3600)], noise: 3, weather: 300).floors() == (0, 0))
        var counter = FloorCounter()
        var events: [FloorEvent] = []
        counter.push(steps: 100, timeMicroseconds: 1_795_194_000_000_000, into: &events)
        counter.flush(into: &events)
        #expect(!counter.isActive && events.isEmpty && counter == FloorCounter())
    }

    @Test("A draught on the stairs costs no floor", arguments: [-60.0, -25, 25, 60])
    func draught(pascals: Double) {
        var climb = Climb(stretches: [.flat(30), .stairs(metres: 6), .flat(30)], noise: 0.5)
        climb.draught = (at: 40, pascals: pascals)
        #expect(climb.floors() == (2, 0))
    }

    @Test("A door that changes the pressure of a house by half a hectopascal is no floor")
    func door() {
        var counter = FloorCounter()
        var events: [FloorEvent] = []
        for second in 0..<120 {
            let time = 1_795_194_000_000_000 + Int64(second) * 1_000_000
            counter.push(
                timeMicroseconds: time, hectopascals: second < 60 ? 1000 : 999.5, into: &events)
            counter.push(steps: 2, timeMicroseconds: time, into: &events)
        }
        counter.flush(into: &events)
        #expect(events.isEmpty)
    }

    @Test("Half a flight is no floor, and up and down on a threshold count once")
    func hysteresis() {
        #expect(Climb(stretches: [.flat(20), .stairs(metres: 1.7), .flat(20)], noise: 1.3).floors() == (0, 0))
        var wavering: [Climb.Stretch] = [.flat(10), .stairs(metres: 2.4)]
        for _ in 0..<20 { wavering += [.stairs(metres: -0.5), .stairs(metres: 0.5)] }
        #expect(Climb(stretches: wavering, noise: 1.3).floors() == (1, 0))
    }

    @Test("Steps that are told late count, and a barometer that speaks seldom too", arguments: [0.2, 1, 2.6, 5])
    func sparse(spacing: Double) {
        let climb = Climb(
            stretches: [.flat(30), .stairs(metres: 12), .flat(60)], noise: 0.2, spacing: spacing, delay: 12)
        #expect(climb.floors() == (4, 0))
    }

    @Test("A counter that is saved and restored after every input goes on bit for bit")
    func restored() throws {
        let climb = Climb(
            stretches: [.flat(20), .stairs(metres: 9), .flat(10), .stairs(metres: -6), .flat(20)], noise: 1.3)
        let restored = climb.counted { counter in
            var bytes: [UInt8] = [7]
            counter.save(into: &bytes)
            #expect(bytes.count <= FloorCounter.maximumStateBytes)
            do {
                let copy = try FloorCounter(restoring: Array(bytes.dropFirst()))
                #expect(copy == counter)
                counter = copy
            } catch { Issue.record(error) }
        }
        #expect(restored == climb.counted())
        #expect(restored.count == 5)
    }

    @Test("A clock that is set back, or leaps, begins anew without a floor")
    func leaps() {
        var counter = FloorCounter()
        var events: [FloorEvent] = []
        for (hour, pressure) in [(0, 1000), (5, 960), (1, 1010), (900_000, 900), (2, 1000)] as [(Int64, Float)] {
            for second in 0..<30 {
                let time = 1_795_194_000_000_000 + (hour * 3600 + Int64(second)) * 1_000_000
                counter.push(timeMicroseconds: time, hectopascals: pressure, into: &events)
                counter.push(steps: 2, timeMicroseconds: time, into: &events)
            }
        }
        for time in [Int64.min, -1, .max] {
            counter.push(timeMicroseconds: time, hectopascals: 1000, into: &events)
            counter.push(steps: .max, timeMicroseconds: time, into: &events)
        }
        counter.flush(into: &events)
        #expect(events.isEmpty)
    }
}
