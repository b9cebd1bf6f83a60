/// A topic whose whole payload is one number: ESPHome's sensors, Home Assistant's states.
///
/// The source says what the number is: `rpm`, `revolutions` (counted since the device started), or steps: `day-steps`
/// (since local midnight), `boot-steps` (since the device started).
enum NumberFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        guard let number = try message.number() else { return [] }
        switch message.source?.quantity {
        case .rpm: return [try .cadence(rpm: number, message)]
        case .revolutions: return [try memory.revolutions(try whole(number), message)]
        case .daySteps: return [try steps(number, .day, message, &memory)]
        case .bootSteps: return [try steps(number, .boot, message, &memory)]
        case nil: throw .wrongType
        }
    }

    private static func whole(_ number: Double) throws(WireError) -> UInt64 {
        guard let whole = UInt64(exactly: number.rounded(.down)), whole <= CountLimits.maximumCount else {
            throw .outOfRange
        }
        return whole
    }

    private static func steps(
        _ number: Double, _ kind: DeviceStepCount.Kind, _ message: DeviceMessage, _ memory: inout DeviceMemory
    ) throws(WireError) -> MotionContent {
        let steps = try whole(number)
        let boot = kind == .boot ? memory.boot(ofCount: steps, message) : BootID(rawValue: 0)
        let time = message.arrivalMicroseconds
        return .steps(
            DeviceStepCount(kind: kind, steps: steps, startMicroseconds: time, endMicroseconds: time, boot: boot))
    }
}
