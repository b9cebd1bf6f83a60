@testable import Lab
import Testing
import trials
import Wire

@Suite("A fault injector")
struct FaultInjectorTests {
    private static func life(frames: Int, hasClock: Bool = true) throws -> [(frame: Frame, truth: MotionTruth)] {
        let sampling = SimulatedSampling(rateHz: 50, frameSeconds: 0.2, hasClock: hasClock)
        var device = try SimulatedDeviceTests.device(.walker(WalkPlan(), .hip), sampling: sampling)
        return (0..<frames).map { _ in
            var frame = Frame()
            let truth = device.makeFrame(into: &frame)
            return (frame, truth)
        }
    }

    private static let everything = FaultPlan(
        jitterMicroseconds: 2_000, lossProbability: 0.05, duplicateProbability: 0.1,
        reorderProbability: 0.1, rebootProbability: 0.02, clockOffsetMicroseconds: 3_600_000_000)

    @Test("Without faults every frame passes unchanged")
    func nothing() throws {
        var injector = FaultInjector(plan: .none, seed: 1, stream: 1)
        for (frame, truth) in try Self.life(frames: 50) {
            #expect(injector.inject(frame, truth: truth) == [frame])
        }
        #expect(injector.flush().isEmpty)
        #expect(injector.ledger.offered == 50 && injector.ledger.sent == 50)
    }

    @Test("Every frame is accounted for at every moment", arguments: 1...8)
    func accounting(seed: Int) throws {
        var injector = FaultInjector(plan: Self.everything, seed: UInt64(seed), stream: 7)
        var sent = 0
        var truth = MotionTruth()
        for (frame, happened) in try Self.life(frames: 600) {
            sent += injector.inject(frame, truth: happened).count
            truth = truth + happened
            let ledger = injector.ledger
            #expect(ledger.offered + ledger.duplicated == ledger.sent + ledger.lost + ledger.held)
        }
        sent += injector.flush().count
        let ledger = injector.ledger
        #expect(ledger.offered == 600 && ledger.held == 0)
        #expect(ledger.sent == UInt64(sent))
        #expect(ledger.lost > 0 && ledger.duplicated > 0 && ledger.reordered > 0 && ledger.reboots > 0)
        #expect((0...truth.steps).contains(ledger.lostTruth.steps))
    }

    @Test("The same seed does the same things")
    func determinism() throws {
        let life = try Self.life(frames: 300)
        var first = FaultInjector(plan: Self.everything, seed: 3, stream: 7)
        var second = FaultInjector(plan: Self.everything, seed: 3, stream: 7)
        for (frame, truth) in life {
            #expect(first.inject(frame, truth: truth) == second.inject(frame, truth: truth))
        }
        #expect(first.ledger == second.ledger)
    }

    @Test("After a reboot the boot is new, frames count from 0 and uptime starts again")
    func reboot() throws {
        var injector = FaultInjector(plan: FaultPlan(rebootProbability: 0.05), seed: 2, stream: 1)
        var boots: [BootID] = []
        for (frame, truth) in try Self.life(frames: 200, hasClock: false) {
            for sent in injector.inject(frame, truth: truth) {
                guard case .sequenced(let boot, let sequence) = sent.identity, boots.last != boot else { continue }
                boots.append(boot)
                #expect(sequence == 0)
                #expect(sent.time == .uptime(microseconds: 0))
            }
        }
        #expect(Set(boots).count == boots.count)
        #expect(boots.count > 3)
    }

    @Test("Jitter moves the stamps and keeps the rate")
    func jitter() throws {
        var injector = FaultInjector(plan: FaultPlan(jitterMicroseconds: 3_000), seed: 2, stream: 1)
        var intervals: [Double] = []
        for (frame, truth) in try Self.life(frames: 200) {
            for sent in injector.inject(frame, truth: truth) {
                #expect(sent.timing == .intervals)
                #expect(sent.intervalsMicroseconds.count == sent.sampleCount - 1)
                intervals += sent.intervalsMicroseconds.map(Double.init)
            }
        }
        #expect(abs(mean(intervals) - 20_000) < 300)
        #expect((3_000...5_500).contains(deviation(intervals)))
    }

    @Test("A clock that is off shows it")
    func clock() throws {
        let plan = FaultPlan(clockOffsetMicroseconds: 10_800_000_000)
        var injector = FaultInjector(plan: plan, seed: 2, stream: 1)
        let life = try Self.life(frames: 101)
        var last: Frame?
        for (frame, truth) in life { last = injector.inject(frame, truth: truth).last ?? last }
        #expect(last?.time == .utc(microseconds: SimulatedDeviceTests.start + 20_000_000 + 10_800_000_000))
    }
}
