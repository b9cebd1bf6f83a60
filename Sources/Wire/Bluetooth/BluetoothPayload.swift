/// The bytes of a Bluetooth notification on `csc` and `ftms`, and what the bridge says about them.
///
/// A bridge sends the bytes as they are, or as JSON: `{"hex":"02 10 00 00 fc"}` or `{"base64":"AhAAAPw="}`, with `boot`
/// and `seq`, and `t` or `uptime_ms`, where it has them.
public struct BluetoothPayload: Sendable, Hashable {
    /// The notification.
    public var bytes: [UInt8]
    /// Who the message is.
    public var identity: FrameIdentity
    /// When it was sent.
    public var time: FrameTime

    /// The longest notification, in bytes: an attribute of the Bluetooth Core Specification.
    public static let maximumBytes = 512

    /// Reads a payload; what begins like JSON but is none is taken as bytes.
    public init(_ payload: UnsafeRawBufferPointer) throws(WireError) {
        guard let first = payload.first else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        if first == UInt8(ascii: "{"), let value = try? JSONValue(parsing: payload), let object = value.object {
            try self.init(object: object, payload: payload)
            return
        }
        guard payload.count <= Self.maximumBytes else { throw .payloadTooLarge }
        self.init(
            bytes: Array(payload), identity: .unsequenced(contentHash: StableHash.of(payload)), time: .absent)
    }

    /// A payload from its parts.
    public init(bytes: [UInt8], identity: FrameIdentity, time: FrameTime) {
        self.bytes = bytes
        self.identity = identity
        self.time = time
    }

    private init(object: JSONObject, payload: UnsafeRawBufferPointer) throws(WireError) {
        switch (object["hex"]?.string, object["base64"]?.string) {
        case (let hex?, nil): bytes = try TextEncoding.bytes(hex: hex)
        case (nil, let base64?): bytes = try TextEncoding.bytes(base64: base64)
        case (nil, nil): throw .wrongType
        default: throw .contradiction
        }
        guard bytes.count <= Self.maximumBytes else { throw .payloadTooLarge }
        identity = try object.identity(of: payload)
        time = try object.frameTime()
    }
}
