import CSimdJSON

/// One simdjson parser behind the C shim: reuses its buffers and belongs to one thread.
final class SimdJSONParser {
    /// The shim's parser; `nil` when there was no memory for it.
    let handle: OpaquePointer?

    /// A parser for documents of up to `maximumBytes` bytes. Nesting beyond `JSONValue.maximumDepth` is refused.
    init(maximumBytes: Int) {
        handle = stridebus_json_parser_create(max(maximumBytes, 0), JSONValue.maximumDepth + 1)
    }

    deinit {
        stridebus_json_parser_destroy(handle)
    }
}

extension WireError {
    /// Throws the error of a result of the shim, unless it is a success.
    static func check(_ result: stridebus_json_result) throws(WireError) {
        guard result != STRIDEBUS_JSON_OK else { return }
        throw WireError(rawValue: UInt8(truncatingIfNeeded: result.rawValue)) ?? .malformed
    }
}

extension JSONValue {
    /// Parses a document of at most `maximumBytes` bytes. `NaN` and the infinities, which JSON does not have, are null,
    /// or refused.
    package init(
        parsing bytes: UnsafeRawBufferPointer, maximumBytes: Int = JSONValue.maximumBytes, allowsNaN: Bool = true
    ) throws(WireError) {
        guard bytes.count <= maximumBytes else { throw .payloadTooLarge }
        let bytes = bytes.withoutByteOrderMark
        guard bytes.count > 0 else { throw .emptyPayload }
        do throws(WireError) { try self.init(exactly: bytes, maximumBytes: maximumBytes) } catch {
            guard error == .malformed, let text = TextRepair.repaired(bytes) else { throw error }
            self = try text.withRawBytes { bytes throws(WireError) in
                try JSONValue(exactly: bytes, maximumBytes: maximumBytes)
            }
            guard allowsNaN || bytes.starts(with: text) else { throw .outOfRange }
        }
    }

    private init(exactly bytes: UnsafeRawBufferPointer, maximumBytes: Int) throws(WireError) {
        let parser = SimdJSONParser(maximumBytes: maximumBytes)
        guard let handle = parser.handle else { throw .payloadTooLarge }
        var nodes: UnsafePointer<stridebus_json_node>?
        var count = 0
        try WireError.check(stridebus_json_parse(handle, bytes.baseAddress, bytes.count, &nodes, &count))
        var reader = JSONNodeReader(nodes: UnsafeBufferPointer(start: nodes, count: count))
        self = try withExtendedLifetime(parser) { () throws(WireError) in try reader.next() }
    }
}

/// Builds values from the shim's list of nodes, which lives as long as its parser.
private struct JSONNodeReader {
    let nodes: UnsafeBufferPointer<stridebus_json_node>
    var position = 0

    mutating func next() throws(WireError) -> JSONValue {
        guard position < nodes.count else { throw .malformed }
        let node = nodes[position]
        position += 1
        switch node.kind {
        case STRIDEBUS_JSON_NULL: return .null
        case STRIDEBUS_JSON_FALSE: return .bool(false)
        case STRIDEBUS_JSON_TRUE: return .bool(true)
        case STRIDEBUS_JSON_INTEGER: return .integer(node.value.integer)
        case STRIDEBUS_JSON_UNSIGNED: return .unsigned(node.value.unsigned_integer)
        case STRIDEBUS_JSON_DOUBLE: return .number(node.value.number)
        case STRIDEBUS_JSON_STRING: return .string(Self.text(node.value.text, node.text_length))
        case STRIDEBUS_JSON_ARRAY: return .array(try array(node.count))
        case STRIDEBUS_JSON_OBJECT: return .object(try object(node.count))
        default: throw .malformed
        }
    }

    private mutating func array(_ count: UInt32) throws(WireError) -> [JSONValue] {
        var values: [JSONValue] = []
        values.reserveCapacity(Int(count))
        for _ in 0..<count { values.append(try next()) }
        return values
    }

    private mutating func object(_ count: UInt32) throws(WireError) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<count {
            guard position < nodes.count else { throw .malformed }
            let name = Self.text(nodes[position].key, nodes[position].key_length)
            try object.append(name, try next())
        }
        return object
    }

    /// Text of the shim is UTF-8: the parser has refused anything else.
    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// Decodes the two JSON forms. The shim parses the text and checks its shape; units and limits are checked here.
extension Frame {
    /// Decodes either JSON form into this empty frame.
    mutating func decodeJSON(_ payload: UnsafeRawBufferPointer, with parser: SimdJSONParser) throws(WireError) {
        guard let handle = parser.handle else { throw .payloadTooLarge }
        var head = stridebus_json_frame()
        try WireError.check(
            stridebus_json_frame_parse(
                handle, payload.baseAddress, payload.count, FrameLimits.maximumSamples, &head))
        // A boot needs a sequence number and vice versa: one alone identifies nothing.
        guard head.has_boot == head.has_sequence else { throw .wrongType }
        if head.has_boot {
            let boot = try BootID(name: UnsafeRawBufferPointer(start: head.boot, count: head.boot_length))
            identity = .sequenced(boot: boot, sequence: head.sequence)
        }
        time = try Self.time(head)
        timing = try Self.timing(head)
        if head.has_acceleration { sensors.insert(.acceleration) }
        if head.gravity_removed { sensors.insert(.gravityRemoved) }
        if head.has_angular_velocity { sensors.insert(.angularVelocity) }
        if head.has_magnetic_field { sensors.insert(.magneticField) }
        sampleCount = head.sample_count
        let valueCount = sampleCount * sensors.valuesPerSample
        values.append(contentsOf: repeatElement(0, count: valueCount))
        intervalsMicroseconds.append(contentsOf: repeatElement(0, count: head.interval_count))
        pressuresHectopascals.append(contentsOf: repeatElement(0, count: head.pressure_count))
        let result = values.withUnsafeMutableBufferPointer { values in
            intervalsMicroseconds.withUnsafeMutableBufferPointer { intervals in
                pressuresHectopascals.withUnsafeMutableBufferPointer { pressures in
                    stridebus_json_frame_read(
                        handle, values.baseAddress, valueCount, intervals.baseAddress, intervals.count,
                        pressures.baseAddress, pressures.count)
                }
            }
        }
        try WireError.check(result)
    }

    /// The compact form's `t` is the device's own milliseconds, unless it is so large that it must be UTC.
    private static func time(_ head: stridebus_json_frame) throws(WireError) -> FrameTime {
        if head.time.present, head.is_compact {
            let microseconds = try DeviceTime.microseconds(milliseconds: head.time.number)
            return microseconds > FrameLimits.maximumUptimeMicroseconds
                ? try .checkedUTC(microseconds: microseconds) : try .checkedUptime(microseconds: microseconds)
        }
        if head.time.present {
            let microseconds =
                head.time.is_integer
                ? try DeviceTime.microseconds(head.time.integer) : try DeviceTime.microseconds(head.time.number)
            return try .checkedUTC(microseconds: microseconds, earliest: 0)
        }
        guard head.uptime_ms.present else { return .absent }
        return try .checkedUptime(microseconds: try DeviceTime.microseconds(milliseconds: head.uptime_ms.number))
    }

    private static func timing(_ head: stridebus_json_frame) throws(WireError) -> FrameTiming {
        guard !head.rate_hz.present || !(head.period_ms.present || head.has_intervals) else { throw .contradiction }
        if head.has_intervals { return .intervals }
        guard head.rate_hz.present || head.period_ms.present else { return .uniform(periodNanoseconds: 0) }
        let nanoseconds = head.rate_hz.present ? 1e9 / head.rate_hz.number : head.period_ms.number * 1e6
        guard let period = UInt32(exactly: nanoseconds.rounded()), FrameLimits.periodNanoseconds.contains(period)
        else { throw .absurdRate }
        return .uniform(periodNanoseconds: period)
    }
}

extension UnsafeRawBufferPointer {
    /// The text behind a byte order mark (EF BB BF), which some programs write before UTF-8. No frame and no notification
    /// of Bluetooth begins with these bytes.
    var withoutByteOrderMark: UnsafeRawBufferPointer {
        count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF ? Self(rebasing: self[3...]) : self
    }
}

/// Text that is nearly JSON, as microcontrollers write it: a NUL behind it, and numbers that are none.
enum TextRepair {
    private static let words = [Array("nan".utf8), Array("infinity".utf8), Array("inf".utf8)]

    /// The text without NUL bytes at its end, and with `null` for `NaN`, `-nan`, `inf` and `Infinity` outside of
    /// strings; `nil` where there is nothing to mend.
    static func repaired(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        var text: [UInt8] = []
        text.reserveCapacity(end + 16)
        var index = 0
        var isInString = false
        var isMended = end < bytes.count
        while index < end {
            let byte = bytes[index]
            if isInString, byte == UInt8(ascii: "\\"), index + 1 < end {
                text += [byte, bytes[index + 1]]
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if !isInString, let length = wordLength(bytes, at: index, before: end) {
                if text.last == UInt8(ascii: "-") { text.removeLast() }
                text += "null".utf8
                index += length
                isMended = true
                continue
            }
            text.append(byte)
            index += 1
        }
        return isMended ? text : nil
    }

    private static func wordLength(_ bytes: UnsafeRawBufferPointer, at index: Int, before end: Int) -> Int? {
        words.first { word in
            index + word.count <= end && word.indices.allSatisfy { bytes[index + $0] | 0x20 == word[$0] }
        }?.count
    }
}
