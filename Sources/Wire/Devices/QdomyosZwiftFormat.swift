/// qdomyos-zwift, which drives gym machines and publishes one topic a value, plain text, on change only.
///
/// `QZ/{id}/workout/bike/cranks` counts crank revolutions; `bike/cadence/current` is a cadence, which silence leaves as
/// it was while `elapsed/total_seconds` ticks. `paused`, `connected` and `status` end it. Steps a minute of treadmills
/// are no count, and are not taken. Source: cagnulein/qdomyos-zwift, src/mqttpublisher.cpp.
enum QdomyosZwiftFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let leaf = message.topicLevels.drop { $0 != "workout" && $0 != "status" }.joined(separator: "/")
        switch leaf {
        case "status": return try message.text() == "offline" ? try stop(message, &memory) : []
        case "workout/device/connected": return try message.text() == "false" ? try stop(message, &memory) : []
        case "workout/device/paused": return try message.text() == "true" ? try stop(message, &memory) : []
        case "workout/device/id": try checkMachine(message, &memory)
        case "workout/bike/cranks":
            guard let cranks = try message.number() else { return [] }
            guard let count = UInt64(exactly: cranks.rounded(.down)) else { throw .outOfRange }
            memory.rpm = nil
            return [try memory.revolutions(count, message)]
        case "workout/bike/cadence/current":
            guard let rpm = try message.number() else { return [] }
            let content = try MotionContent.cadence(rpm: rpm, message)
            guard !memory.hasRevolutions else { return [] }
            memory.rpm = Float(rpm)
            return [content]
        case "workout/elapsed/total_seconds":
            guard let rpm = memory.rpm, !memory.hasRevolutions else { return [] }
            return [try .cadence(rpm: Double(rpm), message)]
        default: break
        }
        return []
    }

    private static func stop(
        _ message: DeviceMessage, _ memory: inout DeviceMemory
    ) throws(WireError) -> [MotionContent] {
        guard memory.rpm != nil else { return [] }
        memory.rpm = nil
        return [try .cadence(rpm: 0, message)]
    }

    /// Two apps that both call themselves `default` mix silently: their machines differ.
    private static func checkMachine(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) {
        let machine = StableHash.of(message.payload)
        defer { memory.machine = machine }
        guard memory.machine == nil || memory.machine == machine else { throw .contradiction }
    }
}
