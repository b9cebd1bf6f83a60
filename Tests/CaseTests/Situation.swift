import Foundation
import Wire

/// A situation that somebody met: messages with their times, restarts, and what must be told afterwards. It is a file of
/// `Cases`; docs/testing.md says how one is written.
struct Situation: Sendable, CustomStringConvertible {
    /// One thing that happens.
    enum Event: Sendable {
        case message(topic: String, payload: [UInt8])
        /// Time passes, in microseconds.
        case wait(Int64)
        /// All services begin again.
        case restart
    }

    /// What must be told of a device.
    struct Expectation: Sendable {
        var steps: ClosedRange<Int64>?
        var revolutions: ClosedRange<Int64>?
        /// Seconds with a heart rate and with a power, and the averages of these.
        var (heartSeconds, powerSeconds): (ClosedRange<Int64>?, ClosedRange<Int64>?)
        var (bpm, watts): (ClosedRange<Int64>?, ClosedRange<Int64>?)
        /// Steps and revolutions by local date.
        var days: [String: Int64]?
        /// The only local dates that have steps or revolutions.
        var dates: Set<String>?
        /// Reasons under which messages that changed nothing are counted.
        var uncounted: [String]
        /// Words of the problem or the note on the device's health.
        var words: [String]
        var isOK: Bool?
        /// The device's name as it came.
        var name: String?
    }

    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    var name: String
    var title: String
    var sources: [DeviceSource] = []
    var configs: [DeviceID: DeviceConfig] = [:]
    var zone = "UTC"
    var beginMicroseconds: Int64
    var events: [Event] = []
    var expected: [DeviceID: Expectation] = [:]

    var description: String { name }

    /// All files of a folder, by name.
    static func all(in folder: URL) throws -> [Situation] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { try Situation(file: $0) }
    }

    init(file: URL) throws {
        name = file.deletingPathExtension().lastPathComponent
        let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: file))
        guard let object = json as? [String: Any], let title = object["title"] as? String,
            let messages = object["messages"] as? [[String: Any]], let expect = object["expect"] as? [String: Any]
        else { throw Fault(description: "\(file.lastPathComponent): needs title, messages and expect") }
        self.title = title
        zone = object["zone"] as? String ?? "UTC"
        let begin = object["begin"] as? String ?? "2026-11-24T10:00:00Z"
        guard let date = try? Date(begin, strategy: .iso8601) else { throw Fault(description: "begin is no time") }
        beginMicroseconds = Int64(date.timeIntervalSince1970 * 1e6)
        if let list = object["sources"] {
            let text = String(decoding: try JSONSerialization.data(withJSONObject: list), as: UTF8.self)
            sources = try DeviceSource.list(json: text)
        }
        for (device, config) in object["configs"] as? [String: Any] ?? [:] {
            let bytes = Array(try JSONSerialization.data(withJSONObject: config))
            configs[try DeviceID(device)] = try DeviceConfig(json: bytes)
        }
        var now = beginMicroseconds
        for message in messages { try append(message, at: &now) }
        for (device, told) in expect { expected[try DeviceID(device)] = Self.expectation(told) }
    }

    private static func expectation(_ json: Any) -> Expectation {
        let object = json as? [String: Any] ?? [:]
        func range(_ name: String) -> ClosedRange<Int64>? {
            if let number = object[name] as? Int64 { return number...number }
            guard let pair = object[name] as? [Int64], pair.count == 2 else { return nil }
            return pair[0]...pair[1]
        }
        return Expectation(
            steps: range("steps"), revolutions: range("revolutions"), heartSeconds: range("heart_s"),
            powerSeconds: range("power_s"), bpm: range("bpm"), watts: range("watts"),
            days: object["days"] as? [String: Int64],
            dates: (object["dates"] as? [String]).map { Set($0) },
            uncounted: object["uncounted"] as? [String] ?? [], words: object["words"] as? [String] ?? [],
            isOK: object["ok"] as? Bool, name: object["name"] as? String)
    }

    /// Messages of one topic, `every` so many seconds: one for each of `values`, or one.
    private mutating func append(_ json: [String: Any], at now: inout Int64) throws {
        if json["restart"] != nil { return events.append(.restart) }
        if let seconds = json["wait"] as? Double {
            now += Int64(seconds * 1e6)
            return events.append(.wait(Int64(seconds * 1e6)))
        }
        let every = Int64((json["every"] as? Double ?? 1) * 1e6)
        if let walk = json["walk"] as? [String: Any] {
            for payload in try CaseWalk(walk, start: now).payloads() {
                events.append(.wait(every))
                now += every
                events.append(.message(topic: json["topic"] as? String ?? "stride/walker/imu", payload: payload))
            }
            return
        }
        guard let topic = json["topic"] as? String else { throw Fault(description: "\(name): a message has no topic") }
        for value in try Self.values(json["values"]) {
            events.append(.wait(every))
            now += every
            events.append(.message(topic: topic, payload: try Self.payload(json, value, now)))
        }
    }

    /// Numbers and ranges such as "0..11"; one empty value where there is no list.
    private static func values(_ json: Any?) throws -> [Double?] {
        guard let list = json as? [Any] else { return [nil] }
        return try list.flatMap { item -> [Double?] in
            if let number = item as? Double { return [number] }
            let ends = (item as? String ?? "").components(separatedBy: "..").compactMap { Int($0) }
            guard ends.count == 2, ends[0] <= ends[1] else { throw Fault(description: "\(item) is no value") }
            return (ends[0]...ends[1]).map { Double($0) }
        }
    }

    private static func payload(_ json: [String: Any], _ value: Double?, _ now: Int64) throws -> [UInt8] {
        if let hex = json["hex"] as? String {
            let digits = filled(hex, value, now).filter { !$0.isWhitespace }
            return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
                let start = digits.index(digits.startIndex, offsetBy: index)
                return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
            }
        }
        if let text = json["payload"] as? String { return Array(filled(text, value, now).utf8) }
        let object = json["payload"] ?? [:]
        let text = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        // A string that is a number's place becomes a number.
        return Array(filled(text.replacing(/"(\$[vt][^"]*)"/) { "\($0.1)" }, value, now).utf8)
    }

    /// `$v` is the value, `$t` the time of sending in seconds since 1970, `$t-90` earlier or later, and `$le16` the value
    /// as two bytes of hexadecimal.
    private static func filled(_ text: String, _ value: Double?, _ now: Int64) -> String {
        var text = text
        if let value {
            let low = UInt16(truncatingIfNeeded: Int64(value))
            let hex = [low & 0xFF, low >> 8].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            text = text.replacing("$le16", with: hex)
            text = text.replacing("$v", with: value == value.rounded() ? "\(Int64(value))" : "\(value)")
        }
        return text.replacing(/\$t([+-][0-9]+)?/) { match in
            let shift = match.1.flatMap { Int64($0) } ?? 0
            return "\(Double(now + shift * 1_000_000) / 1e6)"
        }
    }
}
