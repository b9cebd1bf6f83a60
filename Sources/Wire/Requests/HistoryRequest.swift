/// The verbs of `request/{verb}`.
public enum RequestVerb: String, Hashable, Sendable, CaseIterable {
    /// Totals per calendar day.
    case historyDays = "history/days"
    /// One record for any interval.
    case historyInterval = "history/interval"
    /// Buckets of minutes, hours, days, weeks or months.
    case historySeries = "history/series"
    /// Segments of activity.
    case historyActivity = "history/activity"
    /// Rides, walks and runs.
    case historyWorkouts = "history/workouts"
    /// One of them with its seconds.
    case historyWorkout = "history/workout"
    /// A workout begins.
    case workoutsStart = "workouts/start"
    /// A workout ends.
    case workoutsStop = "workouts/stop"
    /// A workout has a title, is joined, cut or deleted.
    case workoutsEdit = "workouts/edit"
    /// Classes, with their riders.
    case historyClasses = "history/classes"
    /// A workout as a file.
    case workoutsExport = "workouts/export"
    /// The devices that the bus has seen.
    case devices
    /// The capabilities of a device, with a reason for each that it lacks.
    case capabilities
    /// Devices of people, and merged totals.
    case people
    /// A device is assigned to a person.
    case peopleCheckin = "people/checkin"
    /// The assignment of a device ends.
    case peopleCheckout = "people/checkout"
    /// The name under which the wall shows a person.
    case peopleConfigure = "people/configure"
    /// Everything about a person is deleted.
    case peopleForget = "people/forget"
    /// A class begins.
    case classesStart = "classes/start"
    /// The class that runs ends.
    case classesStop = "classes/stop"
    /// An operator's config is checked and retained on the device's `config`.
    case devicesConfigure = "devices/configure"
    /// Everything about a device is deleted.
    case devicesForget = "devices/forget"
}

/// The length of a bucket of `history/series`.
public enum Bucket: String, Sendable, Hashable, CaseIterable {
    /// A minute.
    case minute
    /// An hour.
    case hour
    /// A calendar day.
    case day
    /// A calendar week, by the country of the zone or as the person wants.
    case week
    /// A calendar month.
    case month
}

/// A request on `request/{verb}`.
///
/// Every field is optional here. The service decides which fields a verb needs, and what a missing field means.
package struct HistoryRequest: FieldPayload, Hashable {
    /// The verb, which is in the topic and not in the payload.
    package var verb = RequestVerb.devices
    package var device: DeviceID?
    /// The start of the requested interval, included.
    package var from: TimePoint?
    /// The end of the requested interval, excluded.
    package var to: TimePoint?
    /// The IANA name of the time zone of the days, instead of the device's own.
    package var zone: String?
    package var bucket: Bucket?
    /// The most rows of one reply.
    package var limit: Int?
    /// The `cursor` of the reply before.
    package var cursor: String?
    /// The topic to answer on, for clients without a Response Topic (MQTT 3.1.1).
    package var replyTo: String?
    /// The id that the reply must carry.
    package var transaction: JSONValue?
    /// The time after which an answer is of no use, in seconds since 1970.
    package var deadline: Double?
    package var person: String?
    /// The name under which the wall shows a person; an empty one takes it away.
    package var alias: String?
    /// The team that a person rides for while checked in.
    package var team: String?
    /// The title of a class, or that a workout is to have; an empty one takes it away.
    package var title: String?
    package var lengthSeconds: Int?
    /// The parts of a class, with what is to be kept to in each.
    package var steps: [ClassStep]?
    package var ranking: ClassRanking?
    package var devices: [DeviceID]?
    /// What a person wants to reach; 0 takes a goal away.
    package var goals = Goals()
    /// True if the answer is kept outside, which the audit notes.
    package var isExport = false
    /// The new config of a device, as received; the answer names its errors.
    package var config: JSONObject?
    /// True if unknown fields of `config` are kept instead of refused.
    package var keepsUnknownFields = false
    /// True if `config` has the fields that change, null for one that goes, and the others stay.
    package var mergesConfig = false
    package var workout: String?
    /// When a workout begins or ends, in seconds since 1970; nil for now.
    package var t: Double?
    /// What a workout is after all.
    package var workoutKind: WorkoutKind?
    /// True if a workout and the next one are one, false if they are not after all.
    package var isJoined: Bool?
    /// Where a workout is cut in two, in seconds since 1970.
    package var cutT: Double?
    /// The form of a workout's file.
    package var format: WorkoutFormat?
    /// True if a workout is none, false if it is one after all.
    package var isDeleted: Bool?
    /// What is known of a person's body, for the energy of workouts.
    package var body = BodyFields()
    /// A field of the payload that the verb does not take.
    package var unknownField: String?

    init() {}

    package init(
        verb: RequestVerb, device: DeviceID? = nil, person: String? = nil, from: TimePoint? = nil, to: TimePoint? = nil,
        zone: String? = nil, bucket: Bucket? = nil, limit: Int? = nil, cursor: String? = nil, replyTo: String? = nil,
        transaction: JSONValue? = nil, deadline: Double? = nil
    ) {
        self.verb = verb
        self.device = device
        self.person = person
        self.from = from
        self.to = to
        self.zone = zone
        self.bucket = bucket
        self.limit = limit
        self.cursor = cursor
        self.replyTo = replyTo
        self.transaction = transaction
        self.deadline = deadline
    }

    package static let maximumBytes = 4096
    /// The longest id of a workout, in bytes: a name, and what is around it.
    package static let maximumWorkoutBytes = 288

    /// Reads a request; an empty payload is a request without fields.
    package init(verb: RequestVerb, json: UnsafeRawBufferPointer) throws(WireError) {
        if json.isEmpty { self.init() } else { try self.init(json: json) }
        self.verb = verb
        if verb == .workoutsExport { isExport = true }
        if person?.isEmpty == true { throw .outOfRange }
    }

    /// Reads a request; an empty payload is a request without fields.
    package init(verb: RequestVerb, json: [UInt8]) throws(WireError) {
        self = try json.withRawBytes { bytes throws(WireError) in try Self(verb: verb, json: bytes) }
    }

    /// The first field that cannot be read.
    package static func wrongField(in object: JSONObject) -> String? {
        wrongFields(in: object).first ?? (object["person"]?.string == "" ? "person" : nil)
    }

    /// The fields of the payload; the verb is in the topic.
    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("from", &from, .time)
        try list.field("to", &to, .time)
        try list.field("zone", &zone, .zone)
        try list.field("bucket", &bucket, .word)
        try list.field("limit", &limit, .whole(in: 1...PayloadLimits.rowsAPage))
        try list.field("cursor", &cursor, .text)
        try list.field("reply_to", &replyTo, .text)
        try list.field("transaction", &transaction, .transaction)
        try list.field("deadline", &deadline, .time)
        try list.field("person", &person, .name)
        try list.field("alias", &alias, .name)
        try list.field("team", &team, .name)
        try list.field("title", &title, .name)
        try list.field("length_s", &lengthSeconds, .whole(in: ClassLimits.lengthSeconds))
        try list.field("steps", &steps, .list())
        try list.field("ranking", &ranking, .word)
        try list.field("devices", &devices, .devices)
        try goals.fields(&list)
        try list.flag("export", ifTrue: &isExport)
        try list.field(
            "config", &config,
            FieldForm { json throws(WireError) in
                guard let object = json.object else { throw .wrongType }
                return object
            } write: {
                $0.value(.object($1))
            })
        try list.flag("keep_unknown", ifTrue: &keepsUnknownFields)
        try list.flag("merge", ifTrue: &mergesConfig)
        try body.fields(&list)
        try list.field("id", &workout, .text(maximumBytes: Self.maximumWorkoutBytes))
        try list.field("t", &t, .time)
        try list.field("kind", &workoutKind, .word)
        try list.field("joined", &isJoined, .flag)
        try list.field("cut_t", &cutT, .time)
        try list.field("deleted", &isDeleted, .flag)
        try list.field("format", &format, .word)
    }
}
