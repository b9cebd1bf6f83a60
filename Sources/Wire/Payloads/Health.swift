/// `{device}/health`: the problems of a device's data.
public struct DeviceHealth: FieldPayload, Equatable {
    /// The time, in seconds since 1970.
    public var t = 0.0
    /// True if nothing is wrong.
    public var ok = true
    /// The device's name in the system that it comes from, as it came; `nil` where that is the id.
    public var name: String?
    /// The problem, in words.
    public var problem: String?
    /// A remark that is no problem, in words.
    public var note: String?
    /// The measured sampling rate, in Hz; `nil` without samples.
    public var rateHz: Double?
    /// The received sensors by their names in frames; `nil` without sensors.
    public var sensors: [String]?
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
    /// Messages of a device that counts itself which changed nothing, by reason: the fields `uncounted_repeated`, …,
    /// if they are not 0.
    public var uncounted: [Uncounted: UInt64] = [:]

    private static let maximumRateHz = 1e6

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("ok", &ok, .flag)
        try list.field("name", &name, .text)
        try list.field("problem", &problem, .text)
        try list.field("note", &note, .text)
        try list.field("rate_hz", &rateHz, .number(in: 0...Self.maximumRateHz, decimals: 1))
        try list.field("sensors", &sensors, .texts)
        try list.field("time_from", &timeFrom, .word)
        try list.field("self_counted", &selfCounted, .word)
        try list.field("accepted", &accepted, .count)
        try list.field("duplicate", &duplicate, .count)
        try list.field("late", &late, .count)
        try list.field("missing", &missing, .count)
        try list.field("refused", &refused, .count)
        for error in WireError.allCases {
            try list.field("refused_\(error.reason)", &refusedByReason[error], .count)
        }
        for reason in Uncounted.allCases {
            try list.field("uncounted_\(reason.word)", &uncounted[reason], .count)
        }
    }
}

/// The reasons why a message of a device that counts itself changes nothing.
public enum Uncounted: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// It was told before.
    case repeated = 1
    /// It is older than what is counted.
    case older = 2
    /// The count fell a little, or for a moment.
    case dip = 3
    /// Its time is told more finely already.
    case overlapped = 4
    /// Its time has not come, or is none.
    case noClock = 5
    /// Its time was forgotten.
    case forgotten = 6

    /// The word under which it is counted.
    public var word: String { self == .noClock ? "no_clock" : "\(self)" }
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

/// `service/{name}/health`: the counters of a service, in one object.
package struct ServiceHealth: JSONPayload {
    /// The time, in seconds since 1970.
    package let t: Double
    package let service: ServiceName
    /// The counters, each under its own name.
    package let counters: [(name: String, value: UInt64)]
    /// The addresses from which the private broker refused logins since the last report.
    package var loginsRefusedFrom: [String] = []

    package init(t: Double, service: ServiceName, counters: [(name: String, value: UInt64)]) {
        self.t = t
        self.service = service
        self.counters = counters
    }

    package subscript(name: String) -> UInt64? { counters.first { $0.name == name }?.value }

    /// Reads a report: every whole number but `t` is a counter.
    package init(value: JSONValue) throws(WireError) {
        guard let object = value.object else { throw .wrongType }
        t = try object.value("t").timeSeconds()
        service = try object.value("service").word()
        counters = object.members.compactMap { member in
            guard member.name != "t", member.name != "service" else { return nil }
            return member.value.unsignedInteger.map { (member.name, $0) }
        }
        if let addresses = object["logins_refused_from"] {
            loginsRefusedFrom = try FieldForm<[String]>.texts.read(addresses)
        }
    }

    package func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("service", service.rawValue)
        for counter in counters { writer.field(counter.name, counter.value) }
        guard !loginsRefusedFrom.isEmpty else { return }
        writer.key("logins_refused_from")
        FieldForm<[String]>.texts.write(&writer, loginsRefusedFrom)
    }
}
