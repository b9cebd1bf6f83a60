extension MotionContent {
    /// Reads the payload of a device that counts by itself, from `rev`, `csc`, `ftms` or `count`.
    ///
    /// `nil` is a payload that is understood and has nothing to count: a wheel without a crank, a machine without a
    /// cadence, a runner's pod. Frames, on `imu`, are `FrameDecoder`'s.
    public static func decoding(
        _ payload: UnsafeRawBufferPointer, on channel: DeviceChannel, arrivalMicroseconds: Int64
    ) throws(WireError) -> MotionContent? {
        guard payload.count > 0 else { throw .emptyPayload }
        guard payload.count <= CountLimits.maximumPayloadBytes else { throw .payloadTooLarge }
        switch channel {
        case .rev: return .revolutions(try RevolutionCount(rev: payload))
        case .csc: return try decodingCSC(try BluetoothPayload(payload))
        case .ftms: return try decodingFTMS(try BluetoothPayload(payload))
        case .count: return .steps(try DeviceStepCount(count: payload, arrivalMicroseconds: arrivalMicroseconds))
        default: throw .unknownTopic
        }
    }

    /// CSC and RSC share a topic: no length of one occurs in the other under the same flags.
    private static func decodingCSC(_ payload: BluetoothPayload) throws(WireError) -> MotionContent? {
        let measurement = try payload.bytes.withRawBytes { bytes throws(WireError) -> CSCMeasurement? in
            if let cycling = try? CSCMeasurement(bytes) { return cycling }
            _ = try RSCMeasurement(bytes)
            return nil
        }
        let count = measurement?.revolutionCount(identity: payload.identity, time: payload.time)
        return count.map { .revolutions($0) }
    }

    private static func decodingFTMS(_ payload: BluetoothPayload) throws(WireError) -> MotionContent? {
        let data = try payload.bytes.withRawBytes { bytes throws(WireError) in try FTMSIndoorBikeData(bytes) }
        guard let rpm = data.cadenceRPM else { return nil }
        guard rpm <= CountLimits.maximumCadenceRPM else { throw .outOfRange }
        return .cadence(rpm: Float(rpm), identity: payload.identity, time: payload.time)
    }
}
