package import Wire

/// The truth of a whole simulation, to compare what was counted with.
package struct SimulationTruth: Sendable, Hashable {
    /// The truth of one device.
    package struct Device: Sendable, Hashable {
        /// The device's name on the bus.
        package var id: DeviceID
        package var kind: DeviceKind
        /// The placement of its sensor.
        package var placement: SimulatedPlacement
        /// Everything that happened up to the last frame made.
        package var truth: MotionTruth
        /// The faults that were injected into its frames.
        package var ledger: FaultLedger
        /// True if it tells the pressure of the air.
        package var hasBarometer: Bool
    }

    /// The seed of everything random.
    package var seed: UInt64
    /// The devices, in the order of the gym.
    package var devices: [Device]

    /// The truth of a gym, with the ledgers of its devices' fault injectors in the same order; a device beyond the last
    /// ledger lost nothing.
    package init(of gym: SimulatedGym, ledgers: [FaultLedger] = []) {
        seed = gym.seed
        devices = gym.devices.enumerated().map { index, device in
            var ledger = FaultLedger()
            ledger.offered = device.sequence
            ledger.sent = device.sequence
            return Device(
                id: device.id, kind: device.actor.kind, placement: device.actor.placement, truth: device.truth,
                ledger: ledgers.indices.contains(index) ? ledgers[index] : ledger,
                hasBarometer: device.sampling.pressuresPerFrame > 0)
        }
    }

    /// One JSON object: `{"seed", "devices":[{"device", "kind", "placement", "steps", "revolutions", "frames_sent",
    /// "frames_lost", "frames_duplicated", "frames_reordered", "reboots", "steps_lost", "revolutions_lost"}]}`; of
    /// devices with a barometer also `"ascended_m"` and `"descended_m"`, gone on foot.
    package func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("seed", seed)
        writer.key("devices")
        writer.beginArray()
        for device in devices { Self.write(device, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ device: Device, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("device", device.id.description)
        writer.field("kind", device.kind.rawValue)
        writer.field("placement", device.placement.rawValue)
        writer.field("steps", device.truth.steps)
        writer.field("revolutions", device.truth.revolutions)
        writer.field("frames_sent", device.ledger.sent)
        writer.field("frames_lost", device.ledger.lost)
        writer.field("frames_duplicated", device.ledger.duplicated)
        writer.field("frames_reordered", device.ledger.reordered)
        writer.field("reboots", device.ledger.reboots)
        writer.field("steps_lost", device.ledger.lostTruth.steps)
        writer.field("revolutions_lost", device.ledger.lostTruth.revolutions)
        if device.hasBarometer {
            writer.field("ascended_m", device.truth.ascendedMetres, decimals: 2)
            writer.field("descended_m", device.truth.descendedMetres, decimals: 2)
        }
        writer.endObject()
    }
}

/// The truth, counted.
package struct MotionTruth: Sendable, Hashable {
    /// Feet that touched the ground.
    package private(set) var steps = 0
    /// Revolutions that the crank completed.
    package private(set) var revolutions = 0
    /// Metres gone up on foot, on stairs.
    package private(set) var ascendedMetres = 0.0
    /// Metres gone down on foot, on stairs.
    package private(set) var descendedMetres = 0.0

    /// Nothing happened yet.
    package init() {}

    /// Counts one event.
    package mutating func add(_ event: MotionEvent) {
        switch event {
        case .step: steps += 1
        case .revolution: revolutions += 1
        }
    }

    /// Notes how far the walker has gone up and down on foot in all.
    mutating func note(climbed: (up: Double, down: Double)) {
        ascendedMetres = climbed.up
        descendedMetres = climbed.down
    }

    /// The sum of two stretches.
    package static func + (lhs: MotionTruth, rhs: MotionTruth) -> MotionTruth {
        var sum = lhs
        sum.steps += rhs.steps
        sum.revolutions += rhs.revolutions
        sum.ascendedMetres += rhs.ascendedMetres
        sum.descendedMetres += rhs.descendedMetres
        return sum
    }

    /// The difference from an earlier moment to a later one.
    package static func - (later: MotionTruth, earlier: MotionTruth) -> MotionTruth {
        var difference = later
        difference.steps -= earlier.steps
        difference.revolutions -= earlier.revolutions
        difference.ascendedMetres -= earlier.ascendedMetres
        difference.descendedMetres -= earlier.descendedMetres
        return difference
    }
}
