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
        let payload = try #require(Payload(rawValue: name))
        let written = try payload.rewritten(json)
        #expect(try payload.rewritten(written) == written)
        if payload != .bluetooth { #expect(try schema.problems(written) == []) }
    }

    @Test("What an example says is still said after it has been decoded and encoded", arguments: try examples.get())
    func nothingLost(file: String) throws {
        let payload = try #require(Payload(rawValue: String(file.prefix { $0 != "." })))
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
        #expect(Set(names) == Set(Payload.allCases.map(\.rawValue)))
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
        let payload = try #require(Payload(rawValue: name))
        let schema = try JSONSchema(name: name)
        let json = try Contract.bytes("examples/\(name).json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
        // A page of a series is read as any other page, which has neither.
        for field in schema.required where payload != .seriesData || !["zone", "bucket"].contains(field) {
            var without = document
            without[field] = nil
            #expect(throws: WireError.self) {
                try payload.rewritten(Array(JSONSerialization.data(withJSONObject: without)))
            }
        }
        for field in payload.type == nil || payload == .config ? schema.required : Array(schema.properties.keys) {
            var mistyped = document
            mistyped[field] = ["x": [1]]
            #expect(throws: WireError.self, "\(field)") {
                try payload.rewritten(Array(JSONSerialization.data(withJSONObject: mistyped)))
            }
        }
    }
}

/// The payloads of the bus by the names of their schemas.
enum Payload: String, CaseIterable, Sendable {
    case frame, rev, bluetooth, hr, count, seconds, config, cadence, steps, heart, power, activity, day, total, request,
        reply
    case frameCompact = "frame-compact"
    case deviceHealth = "device-health"
    case serviceHealth = "service-health"
    case daysData = "days-data"
    case intervalData = "interval-data"
    case seriesData = "series-data"
    case devicesData = "devices-data"
    case capabilitiesData = "capabilities-data"
    case activityData = "activity-data"
    case assignmentData = "assignment-data"
    case peopleData = "people-data"
    case forgetData = "forget-data"
    case shownPersonData = "shown-person-data"
    case userRole = "user-role"
    case workout
    case workoutsData = "workouts-data"
    case workoutData = "workout-data"
    case classReport = "class"
    case classesData = "classes-data"
    case workoutFileData = "workout-file-data"
    case audit, mark, wall

    /// Whether encoding writes the fields that were read: frames and counts become SI units and hashes, times in
    /// requests become seconds.
    var isKeptWhole: Bool {
        switch self {
        case .frame, .frameCompact, .rev, .bluetooth, .hr, .count, .seconds, .request, .reply: false
        default: true
        }
    }

    /// The type with a list of fields; nil where a payload is read by a decoder of its own.
    var type: (any FieldPayload.Type)? {
        switch self {
        case .frame, .frameCompact, .rev, .bluetooth, .hr, .count, .seconds, .request, .reply, .serviceHealth: nil
        case .config: DeviceConfig.self
        case .cadence: CadenceReport.self
        case .steps: StepsReport.self
        case .heart: HeartReport.self
        case .power: PowerReport.self
        case .activity: ActivityReport.self
        case .day: DayTotals.self
        case .total: DeviceTotals.self
        case .deviceHealth: DeviceHealth.self
        case .daysData: Page<DayTotals>.self
        case .intervalData: IntervalData.self
        case .seriesData: Page<SeriesBucket>.self
        case .devicesData: Page<DeviceEntry>.self
        case .capabilitiesData: CapabilitiesData.self
        case .activityData: Page<ActivitySegment>.self
        case .assignmentData: AssignmentData.self
        case .peopleData: Page<PersonEntry>.self
        case .forgetData: ForgetData.self
        case .shownPersonData: ShownPersonData.self
        case .userRole: UserRole.self
        case .audit: AuditEntry.self
        case .mark: Mark.self
        case .workout: Workout.self
        case .workoutsData: Page<Workout>.self
        case .workoutData: WorkoutData.self
        case .workoutFileData: WorkoutFileData.self
        case .wall: WallReport.self
        case .classReport: ClassReport.self
        case .classesData: Page<ClassReport>.self
        }
    }

    /// The payload after decoding and encoding.
    func rewritten(_ json: [UInt8]) throws -> [UInt8] {
        try json.withRawBytes { bytes throws(WireError) in try rewritten(bytes) }
    }

    private func rewritten(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [UInt8] {
        switch self {
        case .frame, .frameCompact:
            var frame = Frame()
            try FrameDecoder().decode(bytes, into: &frame)
            return self == .frame ? frame.encodedJSON() : frame.encodedCompactJSON()
        case .rev: return try RevolutionCount(rev: bytes).encodedJSON()
        case .bluetooth: return try BluetoothPayload(bytes).bytes
        case .seconds: return try RecordedSeconds(json: bytes).encodedJSON()
        case .hr:
            return try RiderNumbers(DeviceMessage(payload: bytes, arrivalMicroseconds: 1).object())?.encodedJSON() ?? []
        case .count: return try DeviceStepCount(count: bytes, arrivalMicroseconds: 1).encodedJSON()
        case .serviceHealth: return try ServiceHealth(json: bytes).encodedJSON()
        case .request: return try HistoryRequest(verb: .historySeries, json: bytes).encodedJSON()
        case .reply: return try HistoryReply(json: bytes).encodedJSON()
        default: return try type?.init(json: bytes).encodedJSON() ?? []
        }
    }
}
