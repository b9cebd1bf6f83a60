/// What a workout is.
public enum WorkoutKind: String, Sendable, Hashable, CaseIterable {
    case ride, walk, run
}

/// The data of `history/workout`, `workouts/start`, `workouts/stop` and `workouts/edit`: a workout, and of
/// `history/workout` its seconds, a page of them.
public struct WorkoutData: FieldPayload, Hashable {
    /// The workout; nil where a mark has been set and there is nothing yet.
    public var workout: Workout?
    /// When the mark was set, in seconds since 1970.
    public var t: Double?
    /// The first second of this page, in seconds since 1970.
    public var start: Double?
    /// Revolutions or steps a minute of each second; nil where they are not known.
    public var cadence: [Int?]?
    /// Watts of each second; nil where they are not known.
    public var watts: [Int?]?
    /// Heart beats a minute of each second; nil where they are not known.
    public var bpm: [Int?]?
    /// The cursor of the next page; absent on the last page.
    public var cursor: String?

    package static var maximumBytes: Int { HistoryReply.maximumBytes }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("workout", &workout, .object)
        try list.field("t", &t, .time)
        try list.field("start", &start, .time)
        try list.field("cadence", &cadence, .knownNumbers)
        try list.field("watts", &watts, .knownNumbers)
        try list.field("bpm", &bpm, .knownNumbers)
        try list.field("cursor", &cursor, .text)
    }
}

/// A ride, a walk or a run: a stretch of activity with its pauses.
public struct Workout: FieldPayload, Hashable {
    /// What it is known by, for ever.
    public var id = ""
    /// What it is: a ride, a walk or a run.
    public var kind = WorkoutKind.ride
    /// The name that somebody has given it.
    public var title: String?
    /// Who did it.
    public var persons: [String] = []
    /// What counted it.
    public var devices: [DeviceID] = []
    /// The first second, in seconds since 1970.
    public var start = 0.0
    /// The end, excluded, in seconds since 1970.
    public var end = 0.0
    /// The time without the pauses, in seconds.
    public var movingSeconds = 0.0
    /// The time of the pauses, in seconds.
    public var pausedSeconds = 0.0
    /// The pauses, from and to, in seconds since 1970; the event of its end has none of them.
    public var pauses: [Range<Double>] = []
    /// Steps.
    public var steps: UInt64 = 0
    /// Crank revolutions.
    public var revolutions: UInt64 = 0
    /// In metres; nil where the length of a step or revolution is not known.
    public var distanceMetres: Double?
    /// Crank revolutions a minute; nil for who walks.
    public var rpm: CadenceFigures?
    /// Steps a minute; nil for who rides.
    public var spm: CadenceFigures?
    /// The distance over the moving time, in metres a second.
    public var speedAverageMetresPerSecond: Double?
    /// That of the fastest minute, in metres a second.
    public var speedMaximumMetresPerSecond: Double?
    /// Heart rate and power of the seconds in which they are known.
    public var heart, power: ReadingFigures?
    /// Energy, in kilocalories; nil where nothing allows to tell it.
    public var energy: WorkoutEnergy?
    /// The title of the class that it was part of.
    public var classTitle: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("id", &id, .text(maximumBytes: HistoryRequest.maximumWorkoutBytes))
        try list.field("kind", &kind, .word)
        try list.field("title", &title, .name)
        try list.field("persons", &persons, .texts)
        try list.field("devices", &devices, .devices)
        try list.field("start", &start, .time)
        try list.field("end", &end, .time)
        try list.field("moving_s", &movingSeconds, .seconds)
        try list.field("paused_s", &pausedSeconds, .seconds)
        var told = pauses.isEmpty ? nil : pauses
        try list.field("pauses", &told, .times)
        pauses = told ?? []
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
        try list.field("distance_m", &distanceMetres, .metres)
        try list.cadence("rpm", &rpm)
        try list.cadence("spm", &spm)
        try list.field("speed_avg_m_per_s", &speedAverageMetresPerSecond, .speed)
        try list.field("speed_max_m_per_s", &speedMaximumMetresPerSecond, .speed)
        try list.readings(&heart, &power)
        var (kilocalories, source, formula) = (energy?.kilocalories, energy?.source, energy?.formula)
        try list.field("kcal", &kilocalories, .metres)
        try list.field("kcal_source", &source, .word)
        try list.field("kcal_formula", &formula, .text)
        energy = kilocalories.map { WorkoutEnergy(kilocalories: $0, source: source ?? .power, formula: formula ?? "") }
        try list.field("class", &classTitle, .text)
    }
}

/// The energy of a workout, and how it is told.
public struct WorkoutEnergy: Sendable, Hashable {
    /// What it is told from.
    public enum Source: String, Sendable, Hashable, CaseIterable {
        case power, heart, speed
    }

    /// Kilocalories.
    public var kilocalories: Double
    /// What they follow from.
    public var source: Source
    /// The formula, with its authors.
    public var formula: String

    package init(kilocalories: Double, source: Source, formula: String) {
        (self.kilocalories, self.source, self.formula) = (kilocalories, source, formula)
    }
}

extension FieldForm<[Range<Double>]> {
    /// Stretches of time, each a list of its beginning and its end.
    static var times: Self { .array(of: .stretch) }
}

extension FieldForm<Range<Double>> {
    fileprivate static var stretch: Self {
        let ends = FieldForm<[Double]>.array(of: .time)
        return Self { json throws(WireError) in
            let times = try ends.read(json)
            guard times.count == 2, times[0] <= times[1] else { throw .outOfRange }
            return times[0]..<times[1]
        } write: { writer, range in
            ends.write(&writer, [range.lowerBound, range.upperBound])
        }
    }
}

extension FieldForm<[Int?]> {
    /// The whole numbers of seconds, null for one that is not known; a fraction is rounded.
    static var knownNumbers: Self {
        .array(
            of: FieldForm<Int?> { json throws(WireError) in
                json == .null ? nil : Int(try json.number(in: 0...Double(Trace.Channel.maximum)).rounded())
            } write: { writer, number in
                if let number { writer.value(number) } else { writer.null() }
            })
    }
}

/// `{device}/mark`: somebody says where a workout begins or ends, with a button or a page.
///
/// It is an object such as `{"kind":"start","t":1763673600}`, or the word alone.
package struct Mark: FieldPayload, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case start, stop
        /// A button with one meaning: stop where a workout goes on, else start.
        case toggle
    }

    package var kind = Kind.toggle
    /// When, in seconds since 1970; `nil` for when it came.
    package var t: Double?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("kind", &kind, .word)
        try list.field("t", &t, .deviceTime)
    }

    /// Reads what came: JSON, or the word, in whatever case and with space around it.
    package init(payload: UnsafeRawBufferPointer) throws(WireError) {
        guard !payload.isEmpty else { throw .emptyPayload }
        guard payload.count <= Self.maximumBytes else { throw .payloadTooLarge }
        let text = String(decoding: payload, as: UTF8.self)
        let words = text.split { $0.isWhitespace || $0 == "\"" }
        if words.count == 1, let word = words.first, let kind = Kind(rawValue: word.lowercased()) {
            self.init()
            self.kind = kind
        } else {
            try self.init(json: payload)
        }
    }

    package static var maximumBytes: Int { 256 }

    /// A mark further ahead than this is of a clock that is wrong.
    private static let maximumAheadSeconds = 86_400.0

    /// When it is, in whole seconds since 1970.
    package func second(arrivalSeconds: Double) throws(WireError) -> Int64 {
        let time = t ?? arrivalSeconds
        guard time < arrivalSeconds + Self.maximumAheadSeconds, let second = Int64(exactly: time.rounded(.down)),
            second >= FrameLimits.minimumTimeMicroseconds / 1_000_000
        else { throw .absurdTime }
        return second
    }

    init() {}
}

extension FieldForm<Double> {
    /// When something was by a device's clock: seconds since 1970, or milliseconds, microseconds or nanoseconds.
    fileprivate static var deviceTime: Self {
        Self { json throws(WireError) in
            guard let time = json.double else { throw .wrongType }
            let seconds = Double(try DeviceTime.microseconds(time)) / 1e6
            guard PayloadLimits.timeSeconds.contains(seconds) else { throw .absurdTime }
            return seconds
        } write: {
            $0.value($1, decimals: 3)
        }
    }
}

/// The form of a workout's file.
package enum WorkoutFormat: String, Sendable, Hashable, CaseIterable {
    case fit, csv
}

/// The data of `workouts/export`: a part of a file.
package struct WorkoutFileData: FieldPayload, Hashable {
    /// The name that the file may have.
    package var name = ""
    package var type = ""
    package var part: [UInt8] = []
    /// The cursor of the next part; absent on the last one.
    package var cursor: String?

    package static let maximumPartBytes = 49_152
    package static var maximumBytes: Int { 4 * maximumPartBytes }

    package init() {}

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("name", &name, .text)
        try list.field("type", &type, .text)
        try list.field("part", &part, .base64(maximumBytes: Self.maximumPartBytes))
        try list.field("cursor", &cursor, .text)
    }
}

extension FieldForm<[UInt8]> {
    /// Bytes as base64.
    fileprivate static func base64(maximumBytes: Int) -> Self {
        Self { json throws(WireError) in
            try TextEncoding.bytes(base64: try json.text(maximumBytes: (maximumBytes + 2) / 3 * 4))
        } write: {
            $0.value(TextEncoding.base64($1))
        }
    }
}

extension TextEncoding {
    /// Base64 with its padding. Source: RFC 4648, section 4.
    fileprivate static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let text = stride(from: 0, to: bytes.count, by: 3).flatMap { start in
            let three = bytes[start..<min(start + 3, bytes.count)]
            let bits = three.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - three.count))
            return (0..<4).map { $0 > three.count ? UInt8(ascii: "=") : letters[bits >> (18 - 6 * $0) & 63] }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
