/// A message format of devices and bridges that were not made for stridebus.
///
/// A format is a type without instances: it turns one message into content to be counted. `DeviceMemory` holds the
/// state between two messages of a device; a restart loses it, and no count depends on it.
package protocol DeviceFormat {
    /// True if an object on `{device}/imu` has this format, by the names of its fields.
    static func recognises(_ object: JSONObject) -> Bool
    /// Reads a message; empty for a valid message with nothing to count.
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent]
}

extension DeviceFormat {
    /// False, the default for a format with a topic of its own.
    package static func recognises(_: JSONObject) -> Bool { false }
}

/// One message of a device, with its origin.
package struct DeviceMessage {
    /// The levels of its topic; empty on `{device}/imu`.
    package var topicLevels: [Substring] = []
    /// Without a byte order mark.
    package let payload: UnsafeRawBufferPointer
    /// The time of arrival: microseconds since 1970, UTC.
    package var arrivalMicroseconds: Int64
    /// The operator's settings for messages of this kind.
    package var source: DeviceSource?

    package init(
        topicLevels: [Substring] = [], payload: UnsafeRawBufferPointer, arrivalMicroseconds: Int64,
        source: DeviceSource? = nil
    ) {
        self.topicLevels = topicLevels
        self.payload = payload.withoutByteOrderMark
        self.arrivalMicroseconds = arrivalMicroseconds
        self.source = source
    }

    func json() throws(WireError) -> JSONValue {
        try JSONValue(parsing: payload, maximumBytes: FrameLimits.maximumPayloadBytes)
    }

    func object() throws(WireError) -> JSONObject {
        guard let object = try json().object else { throw .wrongType }
        return object
    }

    /// The message as plain text, the form in which home automation publishes numbers.
    func text() throws(WireError) -> String {
        guard !payload.isEmpty else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        guard let text = String(validating: payload, as: UTF8.self) else { throw .notUTF8 }
        return text.filter { $0 != "\0" }
    }

    /// The message as a number; nil for a word such as `unavailable`, which home automation publishes instead of one.
    func number() throws(WireError) -> Double? {
        let text = try text().filter { !$0.isWhitespace }
        guard !Self.absences.contains(text.lowercased()) else { return nil }
        guard let number = Double(text), number.isFinite else { throw .malformed }
        return number
    }

    private static let absences: Set<String> = ["unknown", "unavailable", "none", "null", "nan"]

    /// An identity for a message that has none: the hash of its bytes and its time of arrival, because the same number
    /// sent again is a new message.
    var arrivalIdentity: FrameIdentity {
        var hash = StableHash()
        hash.combine(payload)
        withUnsafeBytes(of: arrivalMicroseconds.littleEndian) { hash.combine($0) }
        return .unsequenced(contentHash: hash.value)
    }
}

/// The state of a device between two messages. It is small and of a fixed size.
package struct DeviceMemory: Sendable {
    /// True if the device has sent samples. Its own step counter is then not counted.
    var hasSamples = false
    /// True if the device has sent a count of crank revolutions. Its cadence is then not counted.
    var hasRevolutions = false
    /// The last numbers of a bridge that publishes changes only.
    var rider = RiderNumbers()
    /// A count of crank revolutions that waits for its event time, which comes on a topic of its own.
    var cranks: UInt64?
    /// The last event time of the crank, in 1/1024 s modulo 65,536, and its arrival.
    var crankEvent: (time1024: UInt16, arrivalMicroseconds: Int64)?
    /// The hash of the name of the machine behind a bridge.
    var machine: UInt64?
    /// The newest sample of the last message with times.
    var lastSample: SampleTrack.Sample?
    /// The clock of a sketch, which no field gives a unit.
    var ownClock = OwnClock()
    /// The arrival of the last message, in microseconds since 1970.
    private var arrivalMicroseconds = Int64.min
    /// The sum and number of acceleration magnitudes. They give the unit of a device that does not state it.
    var magnitudeSum: Float = 0
    var magnitudeCount: Float = 0

    package init() {}

    /// Makes times of arrival distinct. Messages read together have the same one, which may be their only difference:
    /// each is put one microsecond behind the message before it.
    package mutating func separate(_ message: inout DeviceMessage) {
        let since = message.arrivalMicroseconds.subtractingReportingOverflow(arrivalMicroseconds)
        if !since.overflow, (-Self.maximumTogether...0).contains(since.partialValue) {
            message.arrivalMicroseconds = arrivalMicroseconds + 1
        }
        arrivalMicroseconds = message.arrivalMicroseconds
    }

    /// The maximum number of messages read together. An arrival further back means that the clock was set.
    private static let maximumTogether: Int64 = 100_000

    /// A running count of revolutions. Where it begins anew the counter finds from its values.
    mutating func revolutions(
        _ count: UInt64, _ message: DeviceMessage, identity: FrameIdentity? = nil, time: FrameTime = .absent,
        lastEventTime1024: UInt16? = nil
    ) throws(WireError) -> MotionContent {
        guard count <= CountLimits.maximumCount else { throw .outOfRange }
        hasRevolutions = true
        return .revolutions(
            RevolutionCount(
                identity: identity ?? message.arrivalIdentity, time: time, cumulative: count, modulus: 0,
                lastEventTime1024: lastEventTime1024))
    }
}

extension DeviceMessage {
    /// A reading of a step counter that counts per day or per boot.
    func steps(
        _ steps: UInt64, _ kind: DeviceStepCount.Kind, at microseconds: Int64? = nil, boot: BootID? = nil
    ) throws(WireError) -> MotionContent {
        .steps(
            try DeviceStepCount(
                kind, steps: steps, atMicroseconds: microseconds ?? arrivalMicroseconds,
                boot: kind == .boot ? boot ?? BootID(rawValue: 0) : BootID(rawValue: 0)))
    }
}

extension MotionContent {
    /// Reads the records of a message one by one.
    ///
    /// - Returns: The refusals of those that cannot be read, which do not harm the others.
    /// - Throws: The first reason, where no record can be read.
    static func refusals<Record>(
        reading records: some Collection<Record>, _ read: (Record) throws(WireError) -> Void
    ) throws(WireError) -> [MotionContent] {
        var refused: [WireError] = []
        for record in records {
            do throws(WireError) { try read(record) } catch { refused.append(error) }
        }
        if let error = refused.first, refused.count == records.count { throw error }
        return refused.map { .refusal($0, count: 1) }
    }
}

/// The formats, by their names in the configuration.
package enum DeviceFormatName: String, Sendable, Hashable, CaseIterable {
    case sensorLogger = "sensor-logger"
    case phyphox
    case imuJSON = "imu-json"
    case healthAutoExport = "health-auto-export"
    case ownTracks = "owntracks"
    case theengs
    case qdomyosZwift = "qdomyos-zwift"
    case number
    case bluetooth
    case btHome = "bthome"
    case mapping

    package var type: any DeviceFormat.Type {
        switch self {
        case .sensorLogger: SensorLoggerFormat.self
        case .phyphox: PhyphoxFormat.self
        case .imuJSON: IMUJSONFormat.self
        case .healthAutoExport: HealthAutoExportFormat.self
        case .ownTracks: OwnTracksFormat.self
        case .theengs: TheengsFormat.self
        case .qdomyosZwift: QdomyosZwiftFormat.self
        case .number: NumberFormat.self
        case .bluetooth: BluetoothFormat.self
        case .btHome: BTHomeFormat.self
        case .mapping: MappingFormat.self
        }
    }

    /// The format of an `imu` message that failed to decode as a frame with `error`; nil if none is recognised. It is
    /// looked for only if the frame decoder found nothing to read.
    package static func recognising(_ payload: UnsafeRawBufferPointer, after error: WireError) -> DeviceFormatName? {
        switch error {
        case .noSamples, .wrongType, .contradiction: (try? JSONValue(parsing: payload)).flatMap { recognising($0) }
        default: nil
        }
    }

    /// The format of a JSON document that is not a stridebus frame, by the names of its fields; nil if none is
    /// recognised.
    package static func recognising(_ json: JSONValue) -> DeviceFormatName? {
        if let elements = json.array {
            return elements.first?.object.map { IMUJSONFormat.recognises($0) } == true ? .imuJSON : nil
        }
        guard let object = json.object else { return nil }
        return allCases.first { $0.type.recognises(object) }
    }
}
