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
        case .daySteps: return [try memory.steps(try whole(number), .day, message)]
        case .bootSteps: return [try memory.steps(try whole(number), .boot, message)]
        case nil: throw .wrongType
        }
    }

    private static func whole(_ number: Double) throws(WireError) -> UInt64 {
        guard let whole = UInt64(exactly: number.rounded(.down)) else { throw .outOfRange }
        return whole
    }
}
