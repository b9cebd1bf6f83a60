// The composed form of a text, which Foundation takes from there too.
@_spi(_Unicode) import Swift

/// A foreign topic with messages of devices: the filter to subscribe to, the message format, and the rule that names
/// the device of a message.
///
/// The `sources` of the configuration are a JSON list of these; docs/devices.md has an example of each format.
package struct DeviceSource: Sendable, Hashable {
    /// The MQTT filter of its topics.
    package var filter: String
    /// The format of its messages.
    package var format: DeviceFormatName
    /// The rule that names the device of a message.
    package var device: DeviceRule
    /// The meaning of the number of `format=number`.
    package var quantity: Quantity?
    /// The Bluetooth service of the bytes, `service=ftms` or `service=hr`; `csc` by default.
    package var service: Service?
    /// The length of a record of `format=health-auto-export`, from `interval=`.
    package var interval: Interval?
    /// The factor that converts an acceleration to m/s², from the unit in `acceleration=`.
    package var accelerationScale: Float?
    /// The factor that converts an angular velocity to rad/s, from the unit in `gyroscope=`.
    package var angularVelocityScale: Float?
    /// The fields of `format=mapping`.
    package var fields: [MappedField] = []

    package enum Quantity: String, Sendable, CaseIterable {
        case rpm, revolutions, watts, bpm
        case daySteps = "day-steps"
        case bootSteps = "boot-steps"
    }

    /// A Bluetooth service. `csc` also covers RSC and Cycling Power, which are told apart by their bytes.
    package enum Service: String, Sendable, CaseIterable {
        case csc, ftms, hr
    }

    package enum Interval: String, Sendable, CaseIterable {
        case minute, hour, day

        var seconds: Int64 { self == .minute ? 60 : self == .hour ? 3600 : 86_400 }
    }

    /// A rule that names the device of a message.
    package enum DeviceRule: Sendable, Hashable {
        /// Always this device.
        case fixed(DeviceID)
        /// The name at a level of the topic, counted from 0.
        case topicLevel(Int)
        /// The name at a JSON pointer into the payload; `$.deviceId` is `/deviceId`.
        case pointer(String)
    }

    package static let maximumCount = 64

    /// The reason why a source cannot be used, with its remedy, in one line.
    package struct Problem: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Reads the JSON list of the configuration.
    ///
    /// - Throws: `Problem` that names the source and the word that cannot be used.
    package static func list(json text: String) throws(Problem) -> [DeviceSource] {
        let elements = try? Array(text.utf8).withRawBytes { bytes throws(WireError) in
            try JSONValue(parsing: bytes).array
        }
        guard let elements = elements ?? nil, elements.count <= maximumCount else {
            throw Problem(description: "it is no JSON list of at most \(maximumCount) sources")
        }
        var sources: [DeviceSource] = []
        for (index, element) in elements.enumerated() {
            guard let members = element.object?.members, members.allSatisfy({ $0.value.string != nil }) else {
                throw Problem(description: "source \(index + 1) is no object whose values are text")
            }
            let words = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.string ?? "") })
            do throws(Problem) { sources.append(try DeviceSource(words)) } catch {
                throw Problem(description: "source \(index + 1): \(error.description)")
            }
        }
        return sources
    }

    /// Reads a source from its words.
    ///
    /// - Throws: `Problem` that names the word that cannot be used.
    package init(_ words: [String: String]) throws(Problem) {
        filter = try Self.filter(words["filter"])
        format = try Self.word("format", words["format"])
        device = try Self.rule(words["device"])
        for (name, text) in words.sorted(by: { $0.key < $1.key }) {
            switch (format, name) {
            case (_, "filter"), (_, "format"), (_, "device"): continue
            case (.number, "quantity"): quantity = try Self.word(name, text)
            case (.bluetooth, "service"): service = try Self.word(name, text)
            case (.healthAutoExport, "interval"): interval = try Self.word(name, text)
            case (.imuJSON, "acceleration"), (.sensorLogger, "acceleration"):
                accelerationScale = try Self.scale(name, text, Self.accelerations)
            case (.imuJSON, "gyroscope"): angularVelocityScale = try Self.scale(name, text, Self.gyroscopes)
            case (.mapping, _) where MappedField.names.contains(name): fields.append(try MappedField(name, text))
            default: throw Problem(description: "'\(name)' is no word of format=\(format.rawValue)")
            }
        }
        guard (format == .number) == (quantity != nil) else {
            throw Problem(
                description: "format=number needs quantity=rpm, revolutions, watts, bpm, day-steps or boot-steps")
        }
        guard (format == .mapping) == !fields.isEmpty else {
            throw Problem(description: "format=mapping needs fields, such as rpm=/crank/rpm")
        }
    }

    private static let accelerations: [String: Float] = ["m/s2": 1, "g": 9.806_65, "mg": 0.009_806_65]
    private static let gyroscopes: [String: Float] = ["rad/s": 1, "deg/s": .pi / 180]

    private static func filter(_ text: String?) throws(Problem) -> String {
        guard let text, !text.isEmpty else { throw Problem(description: "a source needs filter=, the topics to read") }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        let isValid = levels.enumerated().allSatisfy { index, level in
            level == "#" ? index == levels.count - 1 : level == "+" || !level.contains { $0 == "#" || $0 == "+" }
        }
        guard isValid, text.utf8.count <= 1024, text != "#" else {
            throw Problem(description: "'filter=\(text)' is no MQTT filter that names topics")
        }
        return text
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String, _ text: String?
    ) throws(Problem) -> Word {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text else { throw Problem(description: "a source needs \(key)=, one of \(words)") }
        guard let word = Word(rawValue: text) else {
            throw Problem(description: "'\(key)=\(text)': use one of \(words)")
        }
        return word
    }

    private static func scale(_ key: String, _ text: String, _ units: [String: Float]) throws(Problem) -> Float {
        guard let scale = units[text] else {
            throw Problem(
                description: "'\(key)=\(text)': use one of \(units.keys.sorted().joined(separator: ", "))")
        }
        return scale
    }

    private static func rule(_ text: String?) throws(Problem) -> DeviceRule {
        guard let text else {
            throw Problem(description: "a source needs device=: an id, topic:LEVEL or $.FIELD of the payload")
        }
        if text.hasPrefix("$.") { return .pointer("/" + text.dropFirst(2).replacing(".", with: "/")) }
        if text.hasPrefix("/") { return .pointer(text) }
        if text.hasPrefix("topic:") {
            guard let level = Int(text.dropFirst(6)), level >= 0, level < 32 else {
                throw Problem(description: "'device=\(text)': topic levels are counted from 0")
            }
            return .topicLevel(level)
        }
        do throws(WireError) { return .fixed(try DeviceID(text)) } catch {
            throw Problem(description: "'device=\(text)' is \(error)")
        }
    }
}

/// A topic of a source, and the device of a message on it.
extension DeviceSource {
    package func matches(_ levels: [Substring]) -> Bool {
        var index = 0
        for part in filter.split(separator: "/", omittingEmptySubsequences: false) {
            if part == "#" { return true }
            guard index < levels.count, part == "+" || part == levels[index] else { return false }
            index += 1
        }
        return index == levels.count
    }

    /// The device of a message, and its name as it came, where that is another one: at most
    /// `PayloadLimits.maximumTextBytes`.
    ///
    /// - Throws: `.invalidDeviceID` if the message names no device, or its name has nothing that is valid in an id.
    package func device(of message: DeviceMessage) throws(WireError) -> (id: DeviceID, name: String?) {
        let name: String
        switch device {
        case .fixed(let device): return (device, nil)
        case .topicLevel(let level):
            guard message.topicLevels.indices.contains(level) else { throw .invalidDeviceID }
            name = String(message.topicLevels[level])
        case .pointer(let pointer):
            switch try message.json()[pointer] {
            case .string(let text): name = text
            case .integer(let number): name = String(number)
            default: throw .invalidDeviceID
            }
        }
        let id = try DeviceID(foreign: String(String.UnicodeScalarView(name._nfc)).utf8)
        return (id, id.description == name ? nil : PayloadLimits.cut(NameText.shown(name)))
    }
}

extension DeviceID {
    /// The id for a name of another system: the name, where it is one. Else it is in lower case, with a dash for each byte
    /// that an id cannot have, and ends with its hash, so that no two names become one. A hardware address is the same in
    /// capitals, and with whichever separator.
    package init(foreign name: some Collection<UInt8>) throws(WireError) {
        var bytes: [UInt8] = []
        for byte in name.prefix(PayloadLimits.maximumTextBytes) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte + 32)
            default: if !bytes.isEmpty { bytes.append(UInt8(ascii: "-")) }
            }
        }
        while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        var hash = StableHash()
        hash.combine(name)
        if bytes.count > Self.maximumBytes {
            bytes = bytes.prefix(Self.maximumBytes - 17) + [UInt8(ascii: "-")] + String(hash.value, radix: 16).utf8
        } else if !bytes.elementsEqual(name), !Self.isHardwareAddress(name),
            !bytes.isEmpty || name.contains(where: { $0 >= 0x80 })
        {
            let mark = String(hash.value & 0xFF_FFFF | 0x100_0000, radix: 16).dropFirst()
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "-")) }
            bytes = Array(bytes.prefix(Self.maximumBytes - 7)) + Array(mark.utf8)
        }
        try self.init(bytes: bytes)
    }

    /// True for six or eight bytes in hexadecimal digits, all of them with one separator between or none, in capitals or
    /// not.
    private static func isHardwareAddress(_ name: some Collection<UInt8>) -> Bool {
        let digits = Array(name.filter { Character(Unicode.Scalar($0)).isHexDigit })
        guard digits.count == 12 || digits.count == 16 else { return false }
        let others = name.enumerated().filter { !Character(Unicode.Scalar($0.element)).isHexDigit }
        guard let separator = others.first?.element else { return true }
        return ":-.".utf8.contains(separator) && others.allSatisfy { $0.element == separator && $0.offset % 3 == 2 }
            && others.count == digits.count / 2 - 1
    }
}
