import Testing
import Wire

@Suite("The firmware's examples while their broker is away")
struct OutageTests {
    private static let sketch = Task {
        try await HostProgram.compiled(
            "sketch", standard: "gnu++17", include: HostProgram.host + "/arduino",
            HostProgram.firmware + "/arduino/stridebus-mpu6050")
    }

    /// The frames that the broker received, in seconds of the board's clock: away from `lost` to `back`.
    private static func sketch(
        lost: Int, back: Int, end: Int, isRefused: Bool = false
    ) async throws -> [SentFrame] {
        var program = try await sketch.value
        program.arguments = [lost, back, end].map { "\($0 * 1000)" } + (isRefused ? ["refused"] : [])
        return try SentFrame.received(try await program.output())
    }

    private static func micropython(
        lost: Int, back: Int, end: Int, connect: Int = 1, how: String = "OSError"
    ) async throws -> [SentFrame] {
        let program = HostProgram(
            executable: "/usr/bin/python3",
            arguments: [HostProgram.host + "/board.py", HostProgram.firmware + "/micropython"]
                + [lost, back, end, connect].map { "\($0 * 1000)" } + [how])
        return try SentFrame.received(try await program.output())
    }

    /// The numbers of the samples, which the sensor counts in x from -4000 up, of frames that came for the first time.
    private static func samples(_ frames: [SentFrame]) -> [Int] {
        var next: UInt64 = 0
        var samples: [Int] = []
        for frame in frames where frame.sequence >= next {
            next = frame.sequence + 1
            samples += frame.rows.map { $0[0] + 4000 }
        }
        return samples
    }

    @Test("What the sketch sent into a dead connection is sent again, and no sample is lost in half a minute")
    func sketchOutage() async throws {
        let frames = try await Self.sketch(lost: 10, back: 40, end: 60)
        let samples = Self.samples(frames)
        #expect(samples == Array(0..<samples.count))
        #expect(samples.count > 59 * 50)
        #expect(Set(frames.map(\.sequence)).count < frames.count)
    }

    @Test("After an outage longer than its memory the sketch sends the newest frames in their order")
    func sketchLongOutage() async throws {
        let frames = try await Self.sketch(lost: 10, back: 130, end: 155)
        let samples = Self.samples(frames)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 < $1 })
        let gaps = zip(samples, samples.dropFirst()).filter { $1 != $0 + 1 }
        #expect(gaps.count == 1)
        #expect(Set(frames.map(\.sequence)).count < Int(frames.last?.sequence ?? 0))
    }

    @Test("A sketch whose password was rotated tries at least once a minute, and sends when it is let in again")
    func sketchRefused() async throws {
        let frames = try await Self.sketch(lost: 10, back: 310, end: 400, isRefused: true)
        #expect(frames.last.map { $0.uptimeMilliseconds > 398_000 } == true)
    }

    @Test("MicroPython waits for each acknowledgement, and no sample is lost in a short outage")
    func micropythonOutage() async throws {
        let frames = try await Self.micropython(lost: 10, back: 18, end: 40)
        let samples = Self.samples(frames)
        #expect(samples == Array(0..<samples.count))
        #expect(samples.count > 39 * 50)
    }

    @Test(
        "Whatever the MQTT library raises, MicroPython tries again, ever less often, and sends what it kept",
        arguments: [
            "refused", "IndexError", "ValueError", "AssertionError", "AttributeError", "TypeError", "MemoryError",
        ])
    func micropythonRefused(how: String) async throws {
        let short = try await Self.micropython(lost: 10, back: 15, end: 40, connect: 0, how: how)
        let samples = Self.samples(short)
        #expect(samples == Array(0..<samples.count))
        #expect(samples.count > 39 * 50)
        // Ten minutes of a wrong password: no try more than once a minute at last, and no socket is lost.
        let long = try await Self.micropython(lost: 10, back: 610, end: 700, connect: 0, how: how)
        #expect(long.last.map { $0.uptimeMilliseconds > 695_000 } == true)
    }

    @Test("A sensor that does not answer for a while is opened again")
    func micropythonSensor() async throws {
        let frames = try await Self.micropython(lost: 10, back: 15, end: 40, how: "sensor")
        #expect(frames.last.map { $0.uptimeMilliseconds > 38_000 } == true)
    }

    @Test("Where MicroPython hangs for longer than its sensor remembers, time goes on without those samples")
    func micropythonOverflow() async throws {
        let frames = try await Self.micropython(lost: 10, back: 18, end: 40, connect: 6)
        let samples = Self.samples(frames)
        #expect(zip(samples, samples.dropFirst()).filter { $1 != $0 + 1 }.count == 1)
        #expect(frames.map(\.sequence) == Array(0..<UInt64(frames.count)))
        for frame in frames {
            #expect(abs(frame.uptimeMilliseconds - Int64(frame.rows[0][0] + 4001) * 20) <= 40)
        }
    }
}
