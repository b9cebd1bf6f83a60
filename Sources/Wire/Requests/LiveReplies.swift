/// The unit that notices count.
package enum CountedKind: String, Sendable, Hashable, CaseIterable {
    case steps
    /// Crank revolutions.
    case revolutions
}

/// The data of `live/start`: a lease on notices. It expires unless it is renewed by the same request.
package struct LiveLeaseData: JSONPayload, Hashable {
    /// The device whose steps or revolutions are counted.
    package var device = DeviceID()
    /// The unit that is counted.
    package var counts = CountedKind.steps
    /// The number of steps or revolutions from one notice to the next.
    package var every: UInt64 = 0
    /// The beginning of the count, in seconds since 1970.
    package var from = 0.0
    /// The count so far.
    package var counted: UInt64 = 0
    /// The number of the last notice due so far; the first one is 1.
    package var number: UInt64 = 0
    /// The expiry of the lease without a renewal, in seconds since 1970.
    package var expiresT = 0.0

    package init() {}

    package init(
        device: DeviceID, counts: CountedKind, every: UInt64, from: Double, counted: UInt64, number: UInt64,
        expiresT: Double
    ) {
        self.device = device
        self.counts = counts
        self.every = every
        self.from = from
        self.counted = counted
        self.number = number
        self.expiresT = expiresT
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.word("counts", &counts)
        try list.count("every", &every)
        try list.time("from", &from)
        try list.count("counted", &counted)
        try list.count("number", &number)
        try list.time("expires_t", &expiresT)
    }
}

/// The data of `live/stop`.
package struct LiveStopData: JSONPayload, Hashable {
    /// The device whose notices end.
    package var device = DeviceID()
    /// True if there was a lease to end.
    package var wasActive = false

    package init() {}

    package init(device: DeviceID, wasActive: Bool) {
        self.device = device
        self.wasActive = wasActive
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.flag("stopped", &wasActive)
    }
}

/// The data of a notice of `live/start`, sent after `every` more steps or revolutions.
///
/// A notice is sent with QoS 1 and may arrive twice, with the same number. The next notice makes up for a lost one,
/// because it carries everything counted since the lease's beginning.
package struct LiveNotice: JSONPayload, Hashable {
    /// The device whose steps or revolutions are counted.
    package var device = DeviceID()
    /// The unit that is counted.
    package var counts = CountedKind.steps
    /// The number of the notice in its lease, from 1, without a gap.
    package var number: UInt64 = 0
    /// The count since the lease's beginning: `number` times `every`.
    package var counted: UInt64 = 0
    /// The count of today, by the device's own calendar, at the time of the notice.
    package var today: UInt64 = 0
    /// The time of the notice, in seconds since 1970.
    package var t = 0.0

    package init() {}

    package init(device: DeviceID, counts: CountedKind, number: UInt64, counted: UInt64, today: UInt64, t: Double) {
        self.device = device
        self.counts = counts
        self.number = number
        self.counted = counted
        self.today = today
        self.t = t
    }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.device("device", &device)
        try list.word("counts", &counts)
        try list.count("number", &number)
        try list.count("counted", &counted)
        try list.count("today", &today)
        try list.time("t", &t)
    }
}
