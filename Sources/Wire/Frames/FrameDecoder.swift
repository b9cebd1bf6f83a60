/// Decodes the frames of devices, whichever of our three forms they came in, told apart by their content.
///
/// Keeps one JSON parser, so it belongs to one thread. Decoding into a frame that is used again and again allocates
/// nothing once the frame has seen its largest message.
public final class FrameDecoder {
    private let parser = SimdJSONParser(maximumBytes: FrameLimits.maximumPayloadBytes)

    /// A decoder with its own parser.
    public init() {}

    /// Decodes the payload of an `imu` topic.
    ///
    /// A payload that starts with `ProtobufFrame.prefix` is taken as protobuf, anything else as JSON. On an error
    /// the frame is left empty.
    public func decode(_ payload: UnsafeRawBufferPointer, into frame: inout Frame) throws(WireError) {
        frame.removeAll()
        do throws(WireError) {
            try decodeContent(payload, into: &frame)
        } catch {
            frame.removeAll()
            throw error
        }
    }

    private func decodeContent(_ payload: UnsafeRawBufferPointer, into frame: inout Frame) throws(WireError) {
        guard payload.count > 0 else { throw .emptyPayload }
        guard payload.count <= FrameLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        if payload.starts(with: ProtobufFrame.prefix) {
            try frame.decodeProtobuf(payload)
        } else {
            try frame.decodeJSON(payload, with: parser)
        }
        try frame.checkTiming()
        try frame.checkValues()
        if case .unsequenced = frame.identity { frame.identity = .unsequenced(contentHash: StableHash.of(payload)) }
    }
}
