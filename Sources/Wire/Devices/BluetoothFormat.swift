/// Notifications of Bluetooth sensors from any bridge that forwards them: CSC, RSC, Cycling Power and, with
/// `service=ftms`, Indoor Bike Data; raw, hexadecimal, base64, or JSON with `hex` or `base64`.
enum BluetoothFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let content = try MotionContent.decoding(
            message.payload, on: message.source?.service == .ftms ? .ftms : .csc,
            arrivalMicroseconds: message.arrivalMicroseconds)
        return content.map { [$0] } ?? []
    }
}
