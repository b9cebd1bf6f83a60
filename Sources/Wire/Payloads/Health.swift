/// `{device}/health`: the problems of a device's data.
public struct DeviceHealth: JSONPayload, Equatable {
    /// The time, in seconds since 1970.
    public var t = 0.0
    /// True if nothing is wrong.
    public var ok = true
    /// The problem, in words.
    public var problem: String?
    /// A remark that is no problem, in words.
    public var note: String?
    /// The measured sampling rate, in Hz; `nil` without samples.
    public var rateHz: Double?
    /// The received sensors by their names in frames, separated by commas; `nil` without sensors.
    public var sensors: String?
    /// The source of the samples' times; `nil` without samples.
    public var timeFrom: TimeOrigin?
    /// The quantity that the device counts itself; `nil` without one.
    public var selfCounted: SelfCounted?
    /// Messages counted.
    public var accepted: UInt64 = 0
    /// Messages received before.
    public var duplicate: UInt64 = 0
    /// Messages that came too late to be counted in order.
    public var late: UInt64 = 0
    /// Messages that never came, from the gaps in their sequence numbers.
    public var missing: UInt64 = 0
    /// Messages refused, for any reason.
    public var refused: UInt64 = 0
    /// Messages refused, by reason: the fields `refused_malformed`, …, if they are not 0.
    public var refusedByReason: [WireError: UInt64] = [:]

    package init() {}

    package init(
        t: Double, ok: Bool, problem: String? = nil, note: String? = nil, accepted: UInt64 = 0, duplicate: UInt64 = 0,
        late: UInt64 = 0, missing: UInt64 = 0, refused: UInt64 = 0, refusedByReason: [WireError: UInt64] = [:]
    ) {
        self.t = t
        self.ok = ok
        self.problem = problem
        self.note = note
        self.accepted = accepted
        self.duplicate = duplicate
        self.late = late
        self.missing = missing
        self.refused = refused
        self.refusedByReason = refusedByReason
    }

    private static let maximumRateHz = 1e6

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.time("t", &t)
        try list.flag("ok", &ok)
        try list.text("problem", &problem)
        try list.text("note", &note)
        try list.number("rate_hz", &rateHz, in: 0...Self.maximumRateHz, decimals: 1)
        try list.text("sensors", &sensors)
        try list.word("time_from", &timeFrom)
        try list.word("self_counted", &selfCounted)
        try list.count("accepted", &accepted)
        try list.count("duplicate", &duplicate)
        try list.count("late", &late)
        try list.count("missing", &missing)
        try list.count("refused", &refused)
        for error in WireError.allCases {
            try list.count("refused_\(error.reason)", &refusedByReason[error])
        }
    }
}

/// The sources of the times of a device's samples, best first.
public enum TimeOrigin: String, Sendable, Hashable, CaseIterable {
    /// The device's own clock, set to UTC.
    case device
    /// The time since the device started, converted to UTC by times of arrival.
    case uptime
    /// The number of the samples and their rate.
    case samples
    /// The arrival of the message.
    case arrival
}

/// The quantities that a device can count itself.
public enum SelfCounted: String, Sendable, Hashable, CaseIterable {
    /// Steps.
    case steps
    /// Crank revolutions.
    case revolutions
    /// A momentary cadence, from which revolutions are derived.
    case cadence
}

/// `service/{name}/health`: the counters of a service, as one flat object.
package struct ServiceHealth: Sendable, Equatable {
    /// One counter.
    package struct Counter: Sendable, Hashable {
        /// Its name on the bus.
        package var name: String
        package var value: UInt64
    }

    /// The time, in seconds since 1970.
    package var t: Double
    /// The service that reports.
    package var service: ServiceName
    /// The counters, each under its own name.
    package var counters: [Counter]

    package init(t: Double, service: ServiceName, counters: [(name: String, value: UInt64)]) {
        self.t = t
        self.service = service
        self.counters = counters.map { Counter(name: $0.name, value: $0.value) }
    }

    package subscript(name: String) -> UInt64? { counters.first { $0.name == name }?.value }

    /// Reads a report: every whole number but `t` is a counter.
    package init(json: UnsafeRawBufferPointer) throws(WireError) {
        guard let object = try JSONValue(parsing: json, maximumBytes: DeviceHealth.maximumBytes).object,
            let time = object["t"], let service = object["service"]
        else { throw .wrongType }
        t = try time.timeSeconds()
        self.service = try service.word()
        counters = []
        for member in object.members where member.name != "t" && member.name != "service" {
            guard let value = member.value.unsignedInteger else { continue }
            counters.append(Counter(name: member.name, value: value))
        }
    }

    /// Reads a report.
    package init(json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(json: bytes) }
    }

    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("t", t, decimals: 3)
        writer.field("service", service.rawValue)
        for counter in counters { writer.field(counter.name, counter.value) }
        writer.endObject()
        return writer.bytes
    }
}
