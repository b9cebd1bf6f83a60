import Wire

/// A frame that came before one with a lower number, and waits for it.
struct WaitingFrame: Sendable, Equatable {
    /// The most bytes of one waiting frame in a state.
    static let maximumEncodedBytes = 262_144

    /// The frame's number.
    var sequence: UInt64
    /// The frame, with its device and arrival.
    var record: MotionRecord

    /// The memory that the frame takes, about.
    var byteCount: Int {
        guard case .frame(let frame) = record.content else { return 64 }
        return 64 + 4 * (frame.values.count + frame.intervalsMicroseconds.count + frame.pressuresHectopascals.count)
    }

    /// The frame as bytes for a state, in the form of the internal hop.
    func encoded() -> [UInt8]? {
        var encoder = MotionBatchEncoder(maximumBytes: 4096)
        return encoder.append(record) ? encoder.bytes : nil
    }

    /// A frame from a state's bytes; `nil` where it is none that the counter could have taken in.
    init?(sequence: UInt64, encoded: [UInt8]) {
        let record = encoded.withUnsafeBytes { bytes -> MotionRecord? in
            guard var decoder = try? MotionBatchDecoder(bytes) else { return nil }
            return (try? decoder.next()) ?? nil
        }
        guard let record, CounterPipeline.arrivals.contains(record.arrivalMicroseconds) else { return nil }
        self.init(sequence: sequence, record: record)
    }

    /// A frame that begins to wait.
    init(sequence: UInt64, record: MotionRecord) {
        self.sequence = sequence
        self.record = record
    }
}
