import Contract
import Foundation
import Testing

@testable import Wire

@Suite("Schemas, examples and code say the same")
struct SchemaTests {
    static let examples = Result {
        try FileManager.default.contentsOfDirectory(atPath: Contract.folder.appendingPathComponent("examples").path)
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test(
        "An example keeps to its schema, is decoded, and is the same after another round", arguments: try examples.get()
    )
    func example(file: String) throws {
        let name = String(file.prefix { $0 != "." })
        let json = try Contract.bytes("examples/\(file)")
        let schema = try JSONSchema(name: name)
        #expect(try schema.problems(json) == [])
        let payload = try Payload(name)
        let written = try payload.rewritten(json)
        #expect(try payload.rewritten(written) == written)
        if name != "bluetooth" { #expect(try schema.problems(written) == []) }
    }

    @Test("What an example says is still said after it has been decoded and encoded", arguments: try examples.get())
    func nothingLost(file: String) throws {
        let payload = try Payload(String(file.prefix { $0 != "." }))
        guard payload.isKeptWhole else { return }
        let json = try Contract.bytes("examples/\(file)")
        let before = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
        let after = try #require(try JSONSerialization.jsonObject(with: Data(payload.rewritten(json))) as? NSDictionary)
        for (key, value) in before {
            #expect((after[key] as? NSObject)?.isEqual(value) == true, "\(key)")
        }
    }

    @Test("Every schema has an example, and every payload a schema")
    func complete() throws {
        let examples = try Self.examples.get()
        let names = try JSONSchema.names()
        #expect(Set(names) == Payload.names)
        for name in names { #expect(examples.contains("\(name).json")) }
    }

    @Test("Every reason for a refusal is in the schema of a device's health")
    func reasons() throws {
        let schema = try JSONSchema(name: "device-health")
        for error in WireError.allCases { #expect(schema.properties["refused_\(error.reason)"] != nil) }
    }

    @Test("The codes of errors are those of the schema of replies")
    func codes() throws {
        let error = try JSONSchema(name: "reply").properties["error"]
        #expect(error?.properties["code"]?.words == ReplyError.Code.allCases.map(\.rawValue))
    }

    @Test(
        "A required field that is missing, or any that the schema has of another type, is refused",
        arguments: try JSONSchema.names())
    func refused(name: String) throws {
        let payload = try Payload(name)
        let schema = try JSONSchema(name: name)
        let json = try Contract.bytes("examples/\(name).json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        // A page of a series is read as any other page, which has neither.
        for field in schema.required where name != "series-data" || !["zone", "bucket"].contains(field) {
            var without = document
            without[field] = nil
            #expect(throws: WireError.self) {
                try payload.rewritten(Array(JSONSerialization.data(withJSONObject: without)))
            }
        }
        for field in payload.type == nil || name == "config" ? schema.required : Array(schema.properties.keys) {
            var mistyped = document
            mistyped[field] = ["x": [1]]
            #expect(throws: WireError.self, "\(field)") {
                try payload.rewritten(Array(JSONSerialization.data(withJSONObject: mistyped)))
            }
        }
    }
}

/// A payload of the bus, by the name of its schema.
struct Payload {
    let name: String

    /// The types with a list of fields.
    private static let types: [String: any FieldPayload.Type] = [
        "activity": ActivityReport.self, "activity-data": Page<ActivitySegment>.self,
        "assignment-data": AssignmentData.self, "audit": AuditEntry.self, "cadence": CadenceReport.self,
        "capabilities-data": CapabilitiesData.self, "class": ClassReport.self, "classes-data": Page<ClassReport>.self,
        "config": DeviceConfig.self, "day": DayTotals.self, "days-data": Page<DayTotals>.self,
        "device-health": DeviceHealth.self, "devices-data": Page<DeviceEntry>.self, "forget-data": ForgetData.self,
        "heart": HeartReport.self, "interval-data": IntervalData.self, "mark": Mark.self,
        "people-data": Page<PersonEntry>.self, "power": PowerReport.self, "series-data": Page<SeriesBucket>.self,
        "shown-person-data": ShownPersonData.self, "steps": StepsReport.self, "total": DeviceTotals.self,
        "user-role": UserRole.self, "wall": WallReport.self, "workout": Workout.self, "workout-data": WorkoutData.self,
        "workout-file-data": WorkoutFileData.self, "workouts-data": Page<Workout>.self,
    ]

    static let names = Set(types.keys).union([
        "bluetooth", "count", "frame", "frame-compact", "hr", "reply", "request", "rev", "seconds", "service-health",
    ])

    init(_ name: String) throws {
        try #require(Self.names.contains(name))
        self.name = name
    }

    /// The type with a list of fields; nil where a payload is read by a decoder of its own.
    var type: (any FieldPayload.Type)? { Self.types[name] }

    /// Whether encoding writes the fields that were read: frames and counts become SI units and hashes, times in
    /// requests become seconds.
    var isKeptWhole: Bool { type != nil || name == "service-health" }

    /// The payload after decoding and encoding.
    func rewritten(_ json: [UInt8]) throws -> [UInt8] {
        try json.withRawBytes { bytes throws(WireError) in try rewritten(bytes) }
    }

    private func rewritten(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [UInt8] {
        switch name {
        case "frame", "frame-compact":
            var frame = Frame()
            try FrameDecoder().decode(bytes, into: &frame)
            return name == "frame" ? frame.encodedJSON() : frame.encodedCompactJSON()
        case "rev": return try RevolutionCount(rev: bytes).encodedJSON()
        case "bluetooth": return try BluetoothPayload(bytes).bytes
        case "seconds": return try RecordedSeconds(json: bytes).encodedJSON()
        case "hr":
            return try RiderNumbers(DeviceMessage(payload: bytes, arrivalMicroseconds: 1).object())?.encodedJSON() ?? []
        case "count": return try DeviceStepCount(count: bytes, arrivalMicroseconds: 1).encodedJSON()
        case "service-health": return try ServiceHealth(json: bytes).encodedJSON()
        case "request": return try HistoryRequest(verb: .historySeries, json: bytes).encodedJSON()
        case "reply": return try HistoryReply(json: bytes).encodedJSON()
        default: return try type?.init(json: bytes).encodedJSON() ?? []
        }
    }
}
