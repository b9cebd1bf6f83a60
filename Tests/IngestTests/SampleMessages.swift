import Ingest
import Wire

/// Messages that tests send, and what comes of them.
enum Sample {
    static let arrival: Int64 = 1_763_673_600_500_000

    /// A frame of a device that counts its frames, with values that tell frames apart.
    static func frame(boot: UInt64 = 7, sequence: UInt64, samples: Int = 20, seed: UInt64 = 1) -> Frame {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: boot), sequence: sequence)
        frame.time = .utc(microseconds: 1_763_673_600_000_000 + Int64(sequence) * 400_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = [.acceleration, .angularVelocity]
        frame.sampleCount = samples
        var state = seed &* 6_364_136_223_846_793_005 &+ sequence
        for _ in 0..<(samples * 6) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            frame.values.append(Float(Int64(state >> 44) - 524_288) / 65_536)
        }
        return frame
    }

    static let junk: [[UInt8]] = [
        [], Array("{".utf8), Array("hello".utf8), [0xFF, 0xFE], Array(#"{"acc":"x"}"#.utf8), Array("[1,2]".utf8),
        Array(#"{"boot":1,"seq":1,"rate_hz":0,"acc":[[0,0,9],[0,0,9]]}"#.utf8),
    ]
}

extension IngestPipeline {
    /// Takes a message as tests write it.
    mutating func take(
        _ topic: String, _ payload: [UInt8], isRetained: Bool = false, at microseconds: Int64 = Sample.arrival
    ) {
        Array(topic.utf8).withUnsafeBytes { topic in
            payload.withUnsafeBytes { payload in
                take(topic: topic, payload: payload, isRetained: isRetained, arrivalMicroseconds: microseconds)
            }
        }
    }
}

extension MotionMessage {
    /// The records, decoded.
    var records: [MotionRecord] {
        get throws { try motionRecords(payload) }
    }
}

/// The records of a motion batch.
func motionRecords(_ payload: [UInt8]) throws(WireError) -> [MotionRecord] {
    try payload.withRawBytes { bytes throws(WireError) in
        var decoder = try MotionBatchDecoder(bytes)
        var records: [MotionRecord] = []
        while let record = decoder.next() { records.append(record) }
        return records
    }
}

extension MotionRecord {
    /// The frame, if it is one.
    var frame: Frame? {
        if case .frame(let frame) = content { frame } else { nil }
    }

    /// The refusal, if it is one.
    var refusal: (reason: WireError, count: UInt32)? {
        if case .refusal(let reason, let count) = content { (reason, count) } else { nil }
    }
}
