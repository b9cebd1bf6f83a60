import Seeded
import Testing
import Wire

@Suite("Frames that are used again and again")
struct SteadyStateTests {
    @Test("Decoding into the same frame keeps its storage where it is, in every form", arguments: 0..<3)
    func decoding(form: Int) throws {
        var generator = SeededGenerator(seed: 11)
        let frames = (0..<50).map { _ in Frame.random(using: &generator) }
        let payloads = frames.map { frame in
            [frame.encodedJSON(), frame.encodedCompactJSON(), frame.encodedProtobuf()][form]
        }
        let decoder = FrameDecoder()
        var frame = Frame()
        frame.values.reserveCapacity(60 * 9)
        frame.intervalsMicroseconds.reserveCapacity(60)
        let before = frame.addresses
        for payload in payloads {
            try? payload.withRawBytes { bytes throws(WireError) in try decoder.decode(bytes, into: &frame) }
            #expect(frame.addresses == before)
        }
    }

    @Test("Reading batches into the same record keeps its storage where it is, and holds what a new one would")
    func batches() throws {
        var generator = SeededGenerator(seed: 12)
        var encoder = MotionBatchEncoder()
        var frames = (0..<20).map { _ in Frame.random(using: &generator) }[...]
        for frame in frames {
            _ = encoder.append(MotionRecord(device: .fallback, arrivalMicroseconds: 1, content: .frame(frame)))
        }
        var frame = Frame()
        frame.values.reserveCapacity(60 * 9)
        frame.intervalsMicroseconds.reserveCapacity(60)
        var addresses: Set<[Int]> = []
        try encoder.bytes.withRawBytes { bytes throws(WireError) in
            var decoder = try MotionBatchDecoder(bytes)
            while let message = decoder.nextBytes() {
                var storage = Frame()
                swap(&storage, &frame)
                guard case .frame(let read)? = MotionBatchDecoder.read(message, reusing: consume storage)?.content
                else {
                    return
                }
                addresses.insert(read.addresses)
                #expect(read == frames.popFirst())
                frame = read
            }
        }
        #expect(addresses.count == 1)
    }
}

extension Frame {
    /// Where the frame's storage is.
    fileprivate var addresses: [Int] {
        [
            values.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) },
            intervalsMicroseconds.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) },
        ]
    }
}
