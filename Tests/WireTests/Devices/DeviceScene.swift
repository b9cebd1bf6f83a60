import Contract
import Foundation
import Wire

/// Messages of one device, decoded as ingest does it: by their content, or by a source.
struct DeviceScene {
    /// 2025-11-20 21:20:10 UTC.
    static let arrival: Int64 = 1_763_673_610_000_000

    let source: DeviceSource?
    var memory = DeviceMemory()
    var arrival = Self.arrival

    init(_ source: String? = nil) throws {
        self.source = try source.map { text in try DeviceSource(text) }
    }

    mutating func decode(_ text: String, topic: String = "") throws -> [MotionContent] {
        try decode(Array(text.utf8), topic: topic)
    }

    mutating func decode(file: String) throws -> [MotionContent] {
        try decode(try Contract.bytes("devices/\(file).json"))
    }

    mutating func decode(_ bytes: [UInt8], topic: String = "") throws -> [MotionContent] {
        try bytes.withRawBytes { payload throws(WireError) in
            var message = DeviceMessage(
                topicLevels: topic.split(separator: "/"), payload: payload, arrivalMicroseconds: arrival,
                source: source)
            memory.separate(&message)
            var format = source?.format
            if format == nil { format = DeviceFormatName.recognising(try JSONValue(parsing: payload)) }
            guard let format else { throw .noSamples }
            return try format.type.decode(message, &memory)
        }
    }
}

extension DeviceSource {
    /// A source written as `key=value` words.
    init(_ text: String) throws {
        let words = text.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        try self.init(Dictionary(uniqueKeysWithValues: words.map { ($0[0], $0[1]) }))
    }
}

extension [MotionContent] {
    /// The frames among them.
    var frames: [Frame] { compactMap { if case .frame(let frame) = $0 { frame } else { nil } } }
    /// The step counts among them.
    var steps: [DeviceStepCount] { compactMap { if case .steps(let count) = $0 { count } else { nil } } }
    /// The counts of revolutions among them.
    var revolutions: [RevolutionCount] { compactMap { if case .revolutions(let count) = $0 { count } else { nil } } }
    /// The readings of a kind among them.
    func readings(_ kind: Reading.Kind) -> [Float] {
        compactMap { if case .reading(let reading) = $0, reading.kind == kind { reading.value } else { nil } }
    }
    /// The reasons among them why a part is refused.
    var refused: [WireError] { compactMap { if case .refusal(let reason, _) = $0 { reason } else { nil } } }
    /// The cadences among them, in rpm.
    var cadences: [Float] { readings(.cadence) }
}
