/// What has become of the records that a pipeline was given, since it started.
///
/// `received + resumed = accepted + duplicate + late + stale + refused + waiting + parked`: nothing else happens to a
/// record.
package struct CounterTally: Sendable, Equatable {
    /// Records given to the pipeline.
    package var received: UInt64 = 0
    /// Frames that waited in restored states.
    package var resumed: UInt64 = 0
    /// Counted in order.
    package var accepted: UInt64 = 0
    /// Seen before.
    package var duplicate: UInt64 = 0
    /// Counted after later ones.
    package var late: UInt64 = 0
    /// Not counted, because they cannot be told from counted ones.
    package var stale: UInt64 = 0
    /// Not counted: of a device too many, with an absurd arrival, or refused by ingest already.
    package var refused: UInt64 = 0
    /// Frames that wait for earlier ones.
    package var waiting: UInt64 = 0
    /// Frames that waited in states when those were dropped from memory.
    package var parked: UInt64 = 0
    /// Frames that never came so far, by their numbers.
    package var missing: UInt64 = 0
    /// Stored states that were damaged and set aside.
    package var damagedStates: UInt64 = 0
    /// Stored states of which a part was of another version or damaged: that part began anew.
    package var partialStates: UInt64 = 0
    /// Devices counted.
    package var devices: UInt64 = 0

    /// All zero.
    package init() {}

    mutating func add(from old: MessageCounts, to new: MessageCounts) {
        accepted &+= new.accepted &- old.accepted
        duplicate &+= new.duplicate &- old.duplicate
        late &+= new.late &- old.late
        stale &+= new.stale &- old.stale
        missing &+= new.missing &- old.missing
    }
}
