/// A crank's running count, from CSC sensors and reed switches.
package struct RevolutionCount: Sendable, Equatable {
    /// The identity of the message.
    package var identity: FrameIdentity
    /// The time of sending.
    package var time: FrameTime
    /// Revolutions so far, in `modulus` arithmetic.
    package var cumulative: UInt64
    /// The value at which the count wraps to 0: 65,536 for CSC crank data; 0 if it never does.
    package var modulus: UInt64
    /// The time of the last revolution in units of 1/1024 s, modulo 65,536, where the source has it (CSC).
    package var lastEventTime1024: UInt16?

    package init(
        identity: FrameIdentity, time: FrameTime, cumulative: UInt64, modulus: UInt64, lastEventTime1024: UInt16?
    ) {
        self.identity = identity
        self.time = time
        self.cumulative = cumulative
        self.modulus = modulus
        self.lastEventTime1024 = lastEventTime1024
    }
}

extension RevolutionCount {
    /// Reads the payload of `rev`: `{"boot":…,"seq":…,"t":…,"revolutions":…}`, or the number of revolutions alone.
    package init(rev payload: UnsafeRawBufferPointer) throws(WireError) {
        let value = try JSONValue(parsing: payload, maximumBytes: CountLimits.maximumPayloadBytes)
        var identity = FrameIdentity.unsequenced(contentHash: StableHash.of(payload))
        var time = FrameTime.absent
        var number = value
        if let object = value.object {
            identity = try object.identity(of: payload)
            time = try object.frameTime()
            number = try object.value("revolutions")
        }
        let count = try number.count()
        guard count <= CountLimits.maximumCount else { throw .outOfRange }
        self.init(identity: identity, time: time, cumulative: count, modulus: 0, lastEventTime1024: nil)
    }

    /// The payload of `rev`.
    package func encodedJSON() -> [UInt8] {
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
