/// qdomyos-zwift, an app that drives gym machines. Each value has its own topic, as plain text, sent on change only.
///
/// `QZ/{id}/workout/bike/cranks` counts crank revolutions; `bike/cranktime` follows with the event time of the last
/// one, in 1/1024 s. `bike/cadence/current` is a cadence, `watts/current` a power and `heart/current` a heart rate (0
/// without a strap): they stay valid without messages while `elapsed/total_seconds` ticks. `paused`, `connected` and
/// `status` end them. Steps a minute of treadmills are not a count and are ignored. Source: cagnulein/qdomyos-zwift,
/// src/mqttpublisher.cpp.
enum QdomyosZwiftFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let leaf = message.topicLevels.drop { $0 != "workout" && $0 != "status" }.joined(separator: "/")
        switch leaf {
        case "status": return try message.text() == "offline" ? stop(message, &memory) : []
        case "workout/device/connected": return try message.text() == "false" ? stop(message, &memory) : []
        case "workout/device/paused": return try message.text() == "true" ? stop(message, &memory) : []
        case "workout/device/id": try checkMachine(message, &memory)
        case "workout/bike/cranks":
            guard let cranks = try message.number() else { return [] }
            guard let count = UInt64(exactly: cranks.rounded(.down)) else { throw .outOfRange }
            memory.rider.rpm = nil
            // If event times come, the count waits for its own.
            guard memory.crankEvent != nil else { return [try memory.revolutions(count, message)] }
            let late = try waitingCranks(message, &memory)
            memory.cranks = count
            return late
        case "workout/bike/cranktime":
            guard let number = try message.number() else { return [] }
            guard let time = UInt16(exactly: number) else { throw .outOfRange }
            let event = memory.crankEvent
            memory.crankEvent = (time, message.arrivalMicroseconds)
            return try waitingCranks(message, &memory, event: event)
        case "workout/bike/cadence/current":
            let rpm = try message.number()
            return memory.hasRevolutions ? [] : hold(.cadence, rpm, message, &memory)
        case "workout/watts/current": return hold(.power, try message.number(), message, &memory)
        case "workout/heart/current":
            let bpm = try message.number()
            return hold(.heart, bpm == 0 ? nil : bpm, message, &memory)
        case "workout/elapsed/total_seconds":
            return try waitingCranks(message, &memory) + memory.rider.contents(message)
        default: break
        }
        return []
    }

    /// The maximum difference between the time from event to event and that from message to message, in microseconds.
    /// Some releases of the app advance the event time per packet.
    private static let eventSlackMicroseconds: Int64 = 2_000_000

    /// The waiting count. It has its event time if that advanced as far as the messages since the event before.
    private static func waitingCranks(
        _ message: DeviceMessage, _ memory: inout DeviceMemory,
        event: (time1024: UInt16, arrivalMicroseconds: Int64)? = nil
    ) throws(WireError) -> [MotionContent] {
        guard let count = memory.cranks else { return [] }
        memory.cranks = nil
        var time: UInt16?
        if let event, let now = memory.crankEvent {
            let between = Int64(now.time1024 &- event.time1024) * 1_000_000 / 1024
            let slack = (now.arrivalMicroseconds - event.arrivalMicroseconds - between).magnitude
            if slack <= UInt64(eventSlackMicroseconds) { time = now.time1024 }
        }
        return [try memory.revolutions(count, message, lastEventTime1024: time)]
    }

    /// Takes a number, which is valid until the next one.
    private static func hold(
        _ kind: Reading.Kind, _ number: Double?, _ message: DeviceMessage, _ memory: inout DeviceMemory
    ) -> [MotionContent] {
        memory.rider[kind] = number.flatMap(kind.possible)
        return number.map { [.reading(kind, $0, message)] } ?? []
    }

    private static func stop(_ message: DeviceMessage, _ memory: inout DeviceMemory) -> [MotionContent] {
        defer { memory.rider = RiderNumbers() }
        return memory.rider.rpm == nil ? [] : [.reading(.cadence, 0, message)]
    }

    /// Refuses messages of two apps with one name, such as `default`: the ids of their machines differ.
    private static func checkMachine(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) {
        let machine = StableHash.of(message.payload)
        defer { memory.machine = machine }
        guard memory.machine == nil || memory.machine == machine else { throw .twoMachines }
    }
}
