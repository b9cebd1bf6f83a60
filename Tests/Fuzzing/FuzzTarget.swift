/// A decoder of bytes that come from outside, with what must hold whatever the bytes are.
///
/// A target never fails quietly: a broken promise traps, as a bug in a decoder would, so that a fuzzer sees both.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Device messages through ingest; the first byte chooses the channel.
    case ingest
    /// Messages, configs and starts, a line each, through ingest and the counter.
    case sequence
    /// Motion batches through the counter.
    case motion
    /// Minute rows, and requests for them, through history.
    case counts
    /// Requests; the first byte chooses the verb.
    case request
    /// What clients read: replies and reports; the first byte chooses the payload.
    case client
    /// What operators write, as JSON.
    case config
    /// Topics.
    case topic
    /// A device's state as the counter stores it, with its checksum made right.
    case deviceState = "device-state"
    /// The signal's state inside it, with its checksum made right.
    case motionState = "motion-state"

    /// The largest input that makes sense, in bytes.
    package var maximumBytes: Int {
        switch self {
        case .ingest, .sequence, .motion, .counts: 70_000
        case .deviceState, .motionState: 40_000
        case .request, .client, .config: 20_000
        case .topic: 400
        }
    }

    /// Gives the bytes to the decoder, and what it makes of them to those behind it.
    package func run(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .ingest: Self.ingest(bytes)
        case .sequence: Self.sequence(bytes)
        case .motion: Self.motion(bytes)
        case .counts: Self.counts(bytes)
        case .request: Self.request(bytes)
        case .client: Self.client(bytes)
        case .config: Self.config(bytes)
        case .topic: Self.topic(bytes)
        case .deviceState: Self.deviceState(bytes)
        case .motionState: Self.motionState(bytes)
        }
    }

    /// The value of a list that a byte chooses.
    static func choice<Value>(_ byte: UInt8, of values: [Value]) -> Value { values[Int(byte) % values.count] }

    /// Stops the program where a promise is broken.
    static func promise(_ holds: Bool, _ what: String) {
        precondition(holds, what)
    }
}
