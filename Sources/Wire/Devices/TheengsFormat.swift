/// Theengs Gateway and OpenMQTTGateway: what Bluetooth devices advertise, as JSON. Bands tell the steps of their own
/// day, which fall to 0 at the band's midnight.
///
/// `{"model_id":"MB/SW","steps":9101,"mac":"AA:BB:CC:DD:EE:FF"}`. Source: theengs/decoder, tests/BLE/test_ble.cpp.
enum TheengsFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["model_id"] != nil && (object["mac"] != nil || object["id"] != nil)
    }

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        guard object["model_id"] != nil else { throw .wrongType }
        guard let steps = try object["steps"]?.count() else { return [] }
        guard steps <= CountLimits.maximumCount else { throw .outOfRange }
        let time = message.arrivalMicroseconds
        return [
            .steps(
                DeviceStepCount(
                    kind: .day, steps: steps, startMicroseconds: time, endMicroseconds: time,
                    boot: BootID(rawValue: 0)))
        ]
    }
}
