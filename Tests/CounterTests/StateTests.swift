import Motion
import Testing
import Wire

@testable import Counter

@Suite("A device's state, across versions of the program")
struct StateTests {
    private let walk = Walk()

    /// Counts 20 s, with a frame that waits for the one before it.
    private func begun() -> CountingRun {
        var run = CountingRun()
        run.count(walk.records(seconds: 0..<20) + [walk.records(seconds: 21..<22)[0]])
        return run
    }

    /// The bytes with another version of a section, or with a section more.
    private func rewritten(
        _ state: [UInt8], version: UInt8, of section: StateSection? = nil, adding: UInt8? = nil
    ) -> [UInt8] {
        var bytes = Array(state.dropLast(4))
        var position = 1
        while position < bytes.count {
            if bytes[position] == section?.rawValue { bytes[position + 1] = version }
            position += 6 + length(bytes, at: position + 2)
        }
        if let adding { bytes += [adding, version, 3, 0, 0, 0, 7, 7, 7] }
        return sealed(bytes)
    }

    private func length(_ bytes: [UInt8], at place: Int) -> Int {
        bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let checksum = bytes.withUnsafeBytes { Checksum.of($0) }
        return bytes + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
    }

    @Test("A state goes back to the same bytes")
    func roundTrip() throws {
        let run = begun()
        let state = try #require(run.states[walk.device])
        let counter = try #require(DeviceCounter(device: walk.device, settings: DeviceSettings(), state: state))
        #expect(counter.sectionsBegunAnew == 0)
        #expect(counter.encodedState() == state)
    }

    @Test(
        "Where another version of the program wrote one section, that one begins anew and no frame is counted twice",
        arguments: StateSection.allCases.filter { $0 != .identity })
    func otherVersion(section: StateSection) throws {
        var run = begun()
        run.states[walk.device] = rewritten(try #require(run.states[walk.device]), version: 9, of: section)
        run.restart()
        run.count(walk.records(seconds: 0..<40))
        run.finish()
        #expect(run.pipeline.tally.damagedStates == 0)
        #expect(run.pipeline.tally.partialStates == 1)
        #expect(run.pipeline.tally.duplicate == 21)
        #expect(run.totals.values.allSatisfy { $0[.covered] <= 40_000_000 })
        #expect(abs(run.sum(.steps) - 72) <= (section == .signal ? 12 : 2))
    }

    @Test("Undamaged bytes that are no signal are told when the device goes on: the signal begins anew")
    func impossibleSignal() throws {
        var run = begun()
        var (bytes, position) = (Array(try #require(run.states[walk.device]).dropLast(4)), 1)
        while bytes[position] != StateSection.signal.rawValue { position += 6 + length(bytes, at: position + 2) }
        let first = position + 10
        let signal = first..<first + length(bytes, at: position + 6)
        let parts = bytes[signal].dropFirst(8).dropLast(8)
        let impossible = Array(parts.dropLast(64)) + Array(repeating: 0xFF, count: 64)
        bytes.replaceSubrange(signal, with: MotionPipeline.sealed(impossible))
        run.states[walk.device] = sealed(bytes)
        run.restart()
        #expect(run.pipeline.tally.damagedStates == 0 && run.pipeline.tally.partialStates == 0)
        run.count(walk.records(seconds: 20..<40))
        run.finish()
        #expect(run.pipeline.tally.partialStates == 1)
        #expect(run.pipeline.tally.duplicate == 1)
        #expect(abs(run.sum(.steps) - 72) <= 12)
    }

    @Test("A section that a newer program added is passed over")
    func unknownSection() throws {
        var run = begun()
        run.states[walk.device] = rewritten(try #require(run.states[walk.device]), version: 1, adding: 200)
        run.restart()
        run.count(walk.records(seconds: 20..<40))
        run.finish()
        #expect(run.pipeline.tally.partialStates == 0)
        #expect(run.pipeline.tally.damagedStates == 0)
        #expect(run.pipeline.tally.duplicate == 1)
        let plain = CountingRun(counting: walk.records(seconds: 0..<40))
        #expect(run.totals == plain.totals)
    }

    @Test("Without the section that knows which frames were counted, a state is set aside")
    func noIdentity() throws {
        var run = begun()
        run.states[walk.device] = rewritten(try #require(run.states[walk.device]), version: 9, of: .identity)
        run.restart()
        run.count(walk.records(seconds: 20..<40))
        #expect(run.pipeline.tally.damagedStates == 1)
    }
}
