/// Steps from a device that counts by itself. The kinds differ in the meaning of a repeated or falling value.
package struct DeviceStepCount: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        /// Steps in `[start, end)`; the same interval again replaces the earlier number.
        case interval = 1
        /// Steps since the device's own midnight.
        case day = 2
        /// Steps since the device started.
        case boot = 3
        /// Steps since a recording began, which its first message belongs to: that counts from 0.
        case recording = 4
    }

    package var kind: Kind
    package var steps: UInt64
    /// Millionths of a step beyond `steps`: health apps tell fractions.
    package var microSteps: UInt32 = 0
    /// The first instant of an interval, or the time of the message: microseconds since 1970.
    package var startMicroseconds: Int64
    /// The end of an interval (not included); equal to the start for counters.
    package var endMicroseconds: Int64
    /// The boot of a boot counter; zero elsewhere.
    package var boot: BootID
}

extension DeviceStepCount {
    /// A reading of a counter, of a day or of a boot.
    ///
    /// - Throws: `.outOfRange` for more steps than a counter shows.
    package init(
        _ kind: Kind, steps: UInt64, atMicroseconds time: Int64, boot: BootID = BootID(rawValue: 0)
    ) throws(WireError) {
        guard steps <= CountLimits.maximumCount else { throw .outOfRange }
        self.init(kind: kind, steps: steps, startMicroseconds: time, endMicroseconds: time, boot: boot)
    }

    /// The steps of an interval, whose end is not included.
    ///
    /// - Throws: `.outOfRange` for more steps than a counter shows, `.absurdTime` for an empty or too long interval.
    package init(
        steps: UInt64, microSteps: UInt32 = 0, fromMicroseconds start: Int64, toMicroseconds end: Int64
    ) throws(WireError) {
        guard steps <= CountLimits.maximumIntervalSteps else { throw .outOfRange }
        guard start < end, end - start <= CountLimits.maximumIntervalMicroseconds else { throw .absurdTime }
        self.init(
            kind: .interval, steps: steps, microSteps: microSteps, startMicroseconds: start, endMicroseconds: end,
            boot: BootID(rawValue: 0))
    }

    /// Reads the payload of `count`: `{"kind":"interval","from":…,"to":…,"steps":…}`, `{"kind":"day","t":…,"steps":…}`
    /// or `{"kind":"boot","boot":…,"t":…,"steps":…}`.
    ///
    /// If `t` is missing, the time of arrival is used. Without `boot` a start of the device is known by the steps alone.
    package init(count payload: UnsafeRawBufferPointer, arrivalMicroseconds: Int64) throws(WireError) {
        let value = try JSONValue(parsing: payload, maximumBytes: CountLimits.maximumPayloadBytes)
        guard let object = value.object else { throw .wrongType }
        let steps = try object.value("steps").count()
        switch try object.value("kind").text() {
        case "interval":
            try self.init(
                steps: steps, fromMicroseconds: try object.requiredMicroseconds("from"),
                toMicroseconds: try object.requiredMicroseconds("to"))
        case "day":
            try self.init(.day, steps: steps, atMicroseconds: try object.messageTime(arrival: arrivalMicroseconds))
        case "boot":
            let boot = try object.bootID() ?? BootID(rawValue: 0)
            let time = try object.messageTime(arrival: arrivalMicroseconds)
            try self.init(.boot, steps: steps, atMicroseconds: time, boot: boot)
        default: throw .outOfRange
        }
    }
}

extension JSONObject {
    fileprivate func requiredMicroseconds(
        _ name: String, earliest: Int64 = FrameLimits.minimumTimeMicroseconds
    ) throws(WireError) -> Int64 {
        guard let time = try microseconds(name) else { throw .wrongType }
        guard case .utc(let checked) = try FrameTime.checkedUTC(microseconds: time, earliest: earliest) else {
            throw .absurdTime
        }
        return checked
    }

    fileprivate func messageTime(arrival: Int64) throws(WireError) -> Int64 {
        self["t"] == nil ? arrival : try requiredMicroseconds("t", earliest: 0)
    }
}

/// A crank's running count, from CSC sensors and reed switches.
package struct RevolutionCount: Sendable, Equatable {
    package var identity: FrameIdentity
    /// The time of sending.
    package var time: FrameTime
    /// Revolutions so far, in `modulus` arithmetic.
    package var cumulative: UInt64
    /// The value at which the count wraps to 0: 65,536 for CSC crank data; 0 if it never does.
    package var modulus: UInt64
    /// The time of the last revolution in units of 1/1024 s, modulo 65,536, if the source has it (CSC).
    package var lastEventTime1024: UInt16?

    package init(
        identity: FrameIdentity, time: FrameTime, cumulative: UInt64, modulus: UInt64, lastEventTime1024: UInt16?
    ) {
        (self.identity, self.time, self.cumulative) = (identity, time, cumulative)
        (self.modulus, self.lastEventTime1024) = (modulus, lastEventTime1024)
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
        JSONWriter.object { writer in
            writer.writeIdentity(identity)
            writer.writeTime(time)
            writer.field("revolutions", cumulative)
        }
    }
}

/// What another device recorded, second by second: the payload of `{device}/seconds`.
package struct RecordedSeconds: Sendable, Equatable {
    /// The first second, since 1970.
    package var start: Int64
    /// Whether the cadence is of steps, not of a crank.
    package var isOfSteps = false
    /// Of each channel a number a second, in whole revolutions or steps a minute, watts or beats a minute; `nil` where it is
    /// not known. A channel may end early.
    package var cadence: [Int?] = []
    package var watts: [Int?] = []
    package var bpm: [Int?] = []

    package static let maximumSeconds = 600
    /// From 2001 to 2100, as every time of a device.
    private static let starts =
        FrameLimits.minimumTimeMicroseconds / 1_000_000..<FrameLimits.maximumTimeMicroseconds / 1_000_000

    package init(start: Int64) { self.start = start }

    /// Whether a clock that is set told all of it: none of it is to come.
    package func hasPassed(nowSeconds: Double) -> Bool {
        Self.starts.contains(start) && Double(start) + Double(count) <= nowSeconds + 1
    }

    /// The seconds that it has.
    package var count: Int { [cadence, watts, bpm].map(\.count).max() ?? 0 }

    /// The seconds of which something is known.
    package var knownCount: Int {
        (0..<count).count { place in [cadence, watts, bpm].contains { place < $0.count && $0[place] != nil } }
    }
}

/// `{"start":…,"cadence_rpm":[…],"watts":[…],"bpm":[…]}`, or `cadence_spm` for steps; `null` is not known.
extension RecordedSeconds: FieldPayload {
    package static var allowsNaN: Bool { true }

    init() { self.init(start: 0) }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        let known = [cadence, watts, bpm].map { numbers -> [Int?]? in
            numbers.contains { $0 != nil } ? numbers : nil
        }
        var (time, rpm, spm) = (Double(start), isOfSteps ? nil : known[0], isOfSteps ? known[0] : nil)
        var (watts, bpm) = (known[1], known[2])
        try list.field("start", &time, .time)
        try list.field("cadence_rpm", &rpm, .knownNumbers)
        try list.field("cadence_spm", &spm, .knownNumbers)
        try list.field("watts", &watts, .knownNumbers)
        try list.field("bpm", &bpm, .knownNumbers)
        guard let second = Int64(exactly: time), Self.starts.contains(second) else { throw .absurdTime }
        guard rpm == nil || spm == nil else { throw .contradiction }
        (start, isOfSteps, cadence) = (second, spm != nil, rpm ?? spm ?? [])
        (self.watts, self.bpm) = (watts ?? [], bpm ?? [])
        guard count > 0 else { throw .noSamples }
        guard count <= Self.maximumSeconds else { throw .tooManySamples }
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
