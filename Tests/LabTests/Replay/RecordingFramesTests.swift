import Lab
import Testing
import Wire

@Suite struct RecordingFramesTests {
    private let boot = BootID(rawValue: 7)
    private let start: Int64 = 1_767_225_600_000_000

    @Test("Every sample is in exactly one frame, with its own time")
    func everySample() throws {
        let rows = (0..<130).map { "\(Double($0) * 0.02),0,0,\($0),,,,,," }
        let frames = try frames(rows)
        #expect(frames.map(\.sampleCount) == [50, 50, 30])
        #expect(
            frames.flatMap(\.values).enumerated().filter { $0.offset % 3 == 2 }.map(\.element)
                == (0..<130).map { Float($0) })
        #expect(frames.map(\.time) == [0, 1_000_000, 2_000_000].map { .utc(microseconds: start + $0) })
        #expect(RecordingFile.lastSampleMicroseconds(frames[2]) == start + 2_580_000)
    }

    @Test("Frames are numbered without a gap from 0")
    func numbered() throws {
        let frames = try frames((0..<200).map { "\(Double($0) * 0.02),0,0,9,,,,,," })
        let expected = (0..<4).map { FrameIdentity.sequenced(boot: boot, sequence: UInt64($0)) }
        #expect(frames.map(\.identity) == expected)
    }

    @Test("A gap longer than a frame may hold starts a new frame")
    func gap() throws {
        let frames = try frames(["0,0,0,9,,,,,,", "0.02,0,0,9,,,,,,", "30,0,0,9,,,,,,"], frameSeconds: 10)
        #expect(frames.map(\.sampleCount) == [2, 1])
    }

    @Test("A sensor that comes or goes starts a new frame, since a frame has the same sensors throughout")
    func sensors() throws {
        let frames = try frames(["0,0,0,9,,,,,,", "0.02,0,0,9,1,2,3,,,", "0.04,0,0,9,1,2,3,,,"])
        #expect(frames.map(\.sensors) == [[.acceleration], [.acceleration, .angularVelocity]])
        #expect(frames.map(\.values.count) == [3, 12])
    }

    private func frames(_ rows: [String], frameSeconds: Double = 1) throws -> [Frame] {
        let csv = "t_s,ax,ay,az,gx,gy,gz,mx,my,mz\n" + rows.joined(separator: "\n")
        return try RecordingFile(csv: Array(csv.utf8)).frames(
            startMicroseconds: start, boot: boot, frameSeconds: frameSeconds)
    }
}
