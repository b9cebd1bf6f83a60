/// BTHome version 2, the service data of Bluetooth advertisements: rotational speed (0x61, rpm).
///
/// The payload is bytes, hexadecimal or base64 as on `csc`, or the JSON of a gateway: `{"rotational_speed":61}`.
/// Source: bthome.io, "Format", version 2.
enum BTHomeFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        if let object = try JSONObject(beginning: message.payload),
            let rpm = try object.anyNumber(object["rpm"] == nil ? "rotational_speed" : "rpm")
        {
            return [.reading(.cadence, rpm, message)]
        }
        let payload = try BluetoothPayload(message.payload)
        let bytes = payload.written?.bytes ?? payload.bytes
        let rpm = try bytes.withRawBytes { bytes throws(WireError) -> UInt16? in try Self.rpm(bytes) }
        guard let rpm else { return [] }
        return [.reading(.cadence, Double(rpm), message)]
    }

    /// The version in bits 5 to 7 of the device-information byte; bit 0 is encryption.
    private static let version: UInt8 = 2

    private static func rpm(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UInt16? {
        var reader = ByteReader(bytes)
        let information = try reader.read(UInt8.self)
        guard information >> 5 == version else { throw .malformed }
        guard information & 1 == 0 else { throw .encrypted }
        while !reader.isAtEnd {
            let object = try reader.read(UInt8.self)
            if object == 0x61 { return try reader.read(UInt16.self) }
            _ = try reader.readBytes(try length(of: object, &reader))
        }
        return nil
    }

    /// The length of an object's value, in bytes. Text and raw data carry it as their first byte.
    private static func length(of object: UInt8, _ reader: inout ByteReader) throws(WireError) -> Int {
        switch object {
        case 0x53, 0x54: Int(try reader.read(UInt8.self))
        case 0x00, 0x01, 0x09, 0x0F...0x11, 0x15...0x2F, 0x3A, 0x46, 0x57...0x59, 0x60, 0x64: 1
        case 0x02, 0x03, 0x06...0x08, 0x0C...0x0E, 0x12...0x14, 0x3C, 0x3D, 0x3F...0x41, 0x43...0x45, 0x47...0x4A: 2
        case 0x51, 0x52, 0x56, 0x5A, 0x5D...0x5F, 0xF0: 2
        case 0x04, 0x05, 0x0A, 0x0B, 0x42, 0x4B, 0xF2: 3
        case 0x3E, 0x4C...0x50, 0x55, 0x5B, 0x5C, 0x62, 0x63, 0xF1: 4
        default: throw .malformed
        }
    }
}

/// Notifications of Bluetooth sensors from any bridge that forwards them: CSC, RSC and Cycling Power; with `service=ftms`
/// data of fitness machines, with `service=hr` heart rates; raw, hexadecimal, or JSON with `hex` or `base64`.
enum BluetoothFormat: DeviceFormat {
    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let channel: DeviceChannel =
            switch message.source?.service {
            case .ftms: .ftms
            case .hr: .hr
            case .csc, nil: .csc
            }
        return try MotionContent.decoding(message, on: channel)
    }
}

/// Theengs Gateway and OpenMQTTGateway: advertisements of Bluetooth devices, as JSON. Bands send the steps of their own
/// day, which return to 0 at the band's midnight, and the heart rate of a wearer who is active.
///
/// `{"model_id":"MB/SW","steps":9101,"act_bpm":125,"mac":"AA:BB:CC:DD:EE:FF"}`. Source: theengs/decoder, tests/BLE/test_ble.cpp.
enum TheengsFormat: DeviceFormat {
    static func recognises(_ object: JSONObject) -> Bool {
        object["model_id"] != nil && (object["mac"] != nil || object["id"] != nil)
    }

    static func decode(_ message: DeviceMessage, _: inout DeviceMemory) throws(WireError) -> [MotionContent] {
        let object = try message.object()
        guard object["model_id"] != nil else { throw .wrongType }
        var contents: [MotionContent] = []
        if let steps = try object["steps"]?.count() { contents.append(try message.steps(steps, .day)) }
        // A band that is not worn tells 0.
        do throws(WireError) {
            if let bpm = try object.anyNumber("act_bpm"), bpm != 0 { contents.append(.reading(.heart, bpm, message)) }
        } catch {
            contents.append(.refusal(error, count: 1))
        }
        return contents
    }
}

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
            return try waitingCranks(message, &memory)
                + memory.rider.contents(identity: message.arrivalIdentity, time: .absent)
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
