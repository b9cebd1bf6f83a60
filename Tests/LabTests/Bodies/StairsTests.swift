import Foundation
@testable import Bodies
import Lab
import Testing
import trials
import Wire

@Suite("Stairs, lifts and the barometer")
struct StairsTests {
    private func device(_ plan: WalkPlan, pressuresPerFrame: Int, seed: UInt64 = 5) throws -> SimulatedDevice {
        var sampling = SimulatedSampling(rateHz: 50)
        sampling.pressuresPerFrame = pressuresPerFrame
        return try SimulatedDeviceTests.device(.walker(plan, .hip), seed: seed, sampling: sampling)
    }

    private func run(_ device: inout SimulatedDevice, seconds: Int) -> [Frame] {
        (0..<seconds).map { _ in
            var frame = Frame()
            device.makeFrame(into: &frame)
            return frame
        }
    }

    @Test("The truth has the stairs that were climbed, and not the lift")
    func truth() throws {
        var device = try device(.building(storeys: 4), pressuresPerFrame: 1)
        _ = run(&device, seconds: 300)
        #expect(abs(device.climbed.up - 12) < 1.5)
        #expect(abs(device.climbed.down - 12) < 1.5)
    }

    @Test("Pressure falls by 12 Pa a metre", arguments: 1...3 as ClosedRange<UInt64>)
    func pressure(seed: UInt64) throws {
        let plan = WalkPlan(
            script: [WalkSegment(.stand, seconds: 10), WalkSegment(.ride(metresPerSecond: 2), seconds: 50)])
        var device = try device(plan, pressuresPerFrame: 5, seed: seed)
        let pressures = run(&device, seconds: 60).flatMap(\.pressuresHectopascals).map(Double.init)
        #expect(pressures.count == 300)
        let change = pressures[0..<40].reduce(0, +) / 40 - pressures[290..<300].reduce(0, +) / 10
        #expect(abs(change - 11.4) < 0.8)
        let noise = zip(pressures, pressures.dropFirst()).prefix(40).map { abs($0 - $1) }.reduce(0, +) / 40
        #expect((0.005...0.05).contains(noise))
    }

    @Test("Readings lie evenly in a frame", arguments: [0, 1, 2, 3, 7, 10, 25, 50])
    func count(pressuresPerFrame: Int) throws {
        var device = try device(WalkPlan(), pressuresPerFrame: pressuresPerFrame)
        for frame in run(&device, seconds: 5) { #expect(frame.pressuresHectopascals.count == pressuresPerFrame) }
    }

    @Test("A barometer changes nothing else in a device's life")
    func apart() throws {
        var (with, without) = (
            try device(WalkPlan(), pressuresPerFrame: 4), try device(WalkPlan(), pressuresPerFrame: 0)
        )
        for (one, other) in zip(run(&with, seconds: 30), run(&without, seconds: 30)) {
            var bare = one
            bare.pressuresHectopascals = []
            #expect(bare == other)
        }
        #expect(with.truth == without.truth)
    }
}
