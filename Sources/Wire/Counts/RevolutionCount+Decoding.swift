extension RevolutionCount {
    /// Reads the payload of `rev`: `{"boot":…,"seq":…,"t":…,"revolutions":…}`, or the number of revolutions alone.
    public init(rev payload: UnsafeRawBufferPointer) throws(WireError) {
        let value = try JSONValue(parsing: payload, maximumBytes: CountLimits.maximumPayloadBytes)
        var identity = FrameIdentity.unsequenced(contentHash: StableHash.of(payload))
        var time = FrameTime.absent
        let count: UInt64
        if let object = value.object {
            identity = try object.identity(of: payload)
            time = try object.frameTime()
            count = try object.uint64("revolutions")
        } else {
            guard let number = value.double else { throw .wrongType }
            guard number >= 0 else { throw .outOfRange }
            guard let whole = value.unsignedInteger else { throw .wrongType }
            count = whole
        }
        guard count <= CountLimits.maximumCount else { throw .outOfRange }
        self.init(identity: identity, time: time, cumulative: count, modulus: 0, lastEventTime1024: nil)
    }

    /// The payload of `rev`.
    public func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.writeIdentity(identity)
        writer.writeTime(time)
        writer.field("revolutions", cumulative)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes the fields `boot` and `seq`; a number beyond 2⁵³ is written as text, for readers that have only doubles.
    mutating func writeIdentity(_ identity: FrameIdentity, boot bootKey: String = "boot", seq: String = "seq") {
        guard case .sequenced(let boot, let sequence) = identity else { return }
        if boot.rawValue < 1 << 53 {
            field(bootKey, boot.rawValue)
        } else {
            field(bootKey, boot.name)
        }
        field(seq, sequence)
    }

    /// Writes the field `t` or `uptime_ms`.
    mutating func writeTime(_ time: FrameTime) {
        switch time {
        case .utc(let microseconds):
            key("t")
            fixed(microseconds, decimals: 6)
        case .uptime(let microseconds):
            key("uptime_ms")
            fixed(microseconds, decimals: 3)
        case .absent: break
        }
    }
}
