/// The unit that notices count.
package enum CountedKind: String, Sendable, Hashable, CaseIterable {
    case steps
    /// Crank revolutions.
    case revolutions
}

/// The data of `live/start`: a lease on notices. It expires unless it is renewed by the same request.
package struct LiveLeaseData: FieldPayload, Hashable {
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

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("counts", &counts, .word)
        try list.field("every", &every, .count)
        try list.field("from", &from, .time)
        try list.field("counted", &counted, .count)
        try list.field("number", &number, .count)
        try list.field("expires_t", &expiresT, .time)
    }
}

/// The data of `live/stop`.
package struct LiveStopData: FieldPayload, Hashable {
    /// The device whose notices end.
    package var device = DeviceID()
    /// True if there was a lease to end.
    package var wasActive = false

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("stopped", &wasActive, .flag)
    }
}

/// The data of a notice of `live/start`, sent after `every` more steps or revolutions.
///
/// A notice is sent with QoS 1 and may arrive twice, with the same number. The next notice makes up for a lost one,
/// because it carries everything counted since the lease's beginning.
package struct LiveNotice: FieldPayload, Hashable {
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

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("counts", &counts, .word)
        try list.field("number", &number, .count)
        try list.field("counted", &counted, .count)
        try list.field("today", &today, .count)
        try list.field("t", &t, .time)
    }
}
