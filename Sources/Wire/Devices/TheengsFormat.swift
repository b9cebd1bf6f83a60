/// Theengs Gateway and OpenMQTTGateway: what Bluetooth devices advertise, as JSON. Bands tell the steps of their own
/// day, which fall to 0 at the band's midnight.
///
/// `{"model_id":"MB/SW","steps":9101,"mac":"AA:BB:CC:DD:EE:FF"}`. Source: theengs/decoder, tests/BLE/test_ble.cpp.
enum TheengsFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["model_id"] != nil && (object["mac"] != nil || object["id"] != nil)
    }

    static func decode(_ message: DeviceMessage, _ memory: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        guard object["model_id"] != nil else { throw .wrongType }
        guard let steps = try object["steps"]?.count() else { return [] }
        return [try memory.steps(steps, .day, message)]
    }
}
