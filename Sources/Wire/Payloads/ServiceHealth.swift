/// `service/{name}/health`: what a service counted, as one flat object.
public struct ServiceHealth: JSONPayload, Equatable {
    /// One counter.
    public struct Counter: Sendable, Hashable {
        /// Its name on the bus.
        public var name: String
        /// Its value.
        public var value: UInt64

        /// A counter from its parts.
        public init(name: String, value: UInt64) {
            self.name = name
            self.value = value
        }
    }

    /// When, in seconds since 1970.
    public var t: Double
    /// Whose counters.
    public var service: ServiceName
    /// The counters, each under its own name.
    public var counters: [Counter]

    /// A report from its parts.
    public init(t: Double, service: ServiceName, counters: [Counter]) {
        self.t = t
        self.service = service
        self.counters = counters
    }

    /// A report from its parts.
    public init(t: Double, service: ServiceName, counters: [(name: String, value: UInt64)]) {
        self.init(t: t, service: service, counters: counters.map { Counter(name: $0.name, value: $0.value) })
    }

    /// The value of a counter.
    public subscript(name: String) -> UInt64? { counters.first { $0.name == name }?.value }

    /// Reads the fields: every other whole number is a counter.
    public init(object: JSONObject) throws(WireError) {
        t = try object.time("t")
        guard let service = ServiceName(rawValue: try object.string("service")) else { throw .outOfRange }
        self.service = service
        counters = []
        for member in object.members where member.name != "t" && member.name != "service" {
            guard let value = member.value.unsignedInteger else { continue }
            counters.append(Counter(name: member.name, value: value))
        }
    }

    /// Writes the fields of the object, without its braces.
    public func writeFields(to writer: inout JSONWriter) {
        writer.field("t", t, decimals: 3)
        writer.field("service", service.rawValue)
        for counter in counters { writer.field(counter.name, counter.value) }
    }
}
