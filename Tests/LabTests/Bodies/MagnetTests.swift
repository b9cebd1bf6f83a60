@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("The magnetic field about a simulated bike")
struct MagnetTests {
    private static let nineAxes: SensorSet = [.acceleration, .angularVelocity, .magneticField]

    private func ride(_ actor: SimulatedActor, sensors: SensorSet = nineAxes, seed: UInt64 = 1) throws -> Recorded {
        var device = try SimulatedDeviceTests.device(actor, seed: seed, sampling: SimulatedSampling(sensors: sensors))
        _ = Recorded(&device, frames: 5)
        return Recorded(&device, frames: 60)
    }

    private let plan = RidePlan(script: [RideSegment(.pedal(rpm: 72), seconds: 1_000)], wanderRPM: 0)

    @Test("Without magnets there is the Earth's field, the phone's iron and the part's noise")
    func quiet() throws {
        let recorded = try ride(.frameRider(plan, BikeMount()))
        for column in 6..<9 {
            #expect((0.5...0.9).contains(deviation(recorded.column(column))))
        }
    }

    @Test("A crank magnet shows at the crank's rate, a flywheel's at its own")
    func lines() throws {
        let crank = try ride(.frameRider(plan, BikeMount(magnets: BikeMagnets(crank: .init()))))
        #expect(abs(strongestLine((6..<9).map(crank.column), from: 0.4, to: 6, rateHz: 50) - 1.2) < 0.05)
        let mount = BikeMount(flywheelRatio: 4.25, magnets: BikeMagnets(flywheel: .init(radiusMetres: 0.2)))
        let wheel = try ride(.frameRider(plan, mount))
        #expect(abs(strongestLine((6..<9).map(wheel.column), from: 0.4, to: 6, rateHz: 50) - 5.1) < 0.05)
    }

    @Test("A sensor on the crank sees the Earth's field go round")
    func crank() throws {
        let recorded = try ride(.crankRider(plan, BikeMount()))
        #expect(abs(strongestLine((6..<9).map(recorded.column), from: 0.4, to: 6, rateHz: 50) - 1.2) < 0.05)
        #expect(deviation(recorded.column(6)) > 25)
    }

    @Test("What else happens to a bike is the same with magnets and without")
    func apart() throws {
        let plain = try ride(.frameRider(plan, BikeMount()), sensors: [.acceleration, .angularVelocity])
        let mount = BikeMount(magnets: BikeMagnets(crank: .init(), flywheel: .init()))
        let magnetic = try ride(.frameRider(plan, mount), sensors: [.acceleration, .angularVelocity])
        #expect(plain.events == magnetic.events)
        #expect(plain.frames == magnetic.frames)
    }
}
