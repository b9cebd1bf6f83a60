import Testing
@testable import trials
import Wire

@testable import Bodies
import Lab

@Suite("Pedalling legs")
struct LegRideTests {
    @Test("Thigh and knee turn about as far as was measured on ergometers", arguments: [UInt64(1), 2, 3, 4, 5, 6])
    func ranges(seed: UInt64) {
        var random = RandomSource(seed: seed, stream: 1)
        let leg = PedallingLeg(heightMetres: random.uniform(in: 1.55...1.95), random: &random)
        let angles = (0..<72).map { leg.angles(crankAngle: Double($0) * 5 * .pi / 180) }
        let hip = Self.range(angles.map(\.thigh))
        let knee = Self.range(angles.map { $0.thigh - $0.shank })
        #expect((36...75).contains(hip))
        #expect((55...110).contains(knee))
    }

    @Test("A leg's sensor feels gravity in the mean, and its turning comes round with the crank")
    func felt() throws {
        for placement in [SimulatedPlacement.thigh, .ankle] {
            let plan = RidePlan(script: [RideSegment(.pedal(rpm: 80), seconds: 1_000)], wanderRPM: 0)
            var device = SimulatedDevice(
                id: try DeviceID("leg"), actor: .wearingRider(plan, placement), startMicroseconds: 0, seed: 3)
            #expect(device.actor.placement == placement && device.actor.kind == .wearable)
            var frame = Frame()
            var sum = 0.0
            for _ in 0..<30 {
                device.makeFrame(into: &frame)
                let (x, y, z) = (frame.values[0], frame.values[1], frame.values[2])
                sum += Double(x * x + y * y + z * z).squareRoot()
            }
            #expect((7...16).contains(sum / 30))
            #expect((38...41).contains(device.truth.revolutions))
        }
    }

    private static func range(_ radians: [Double]) -> Double {
        ((radians.max() ?? 0) - (radians.min() ?? 0)) * 180 / .pi
    }
}
