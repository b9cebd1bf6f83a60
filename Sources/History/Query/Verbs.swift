package import Wire

/// What a verb takes, does and leaves. Who may ask it is in `schemas/roles.json`.
struct Verb: Sendable {
    /// What may be asked by who may ask for the own alone.
    enum Own: Sendable {
        /// What the request names, within what the asker may read.
        case named
        /// The asker's own person, whether it is named or not.
        case person
        /// The asker's own person, or the device of the own name, and no device that others had.
        case personAlone
        /// The device of the asker's own name.
        case device
    }

    typealias Answer = @Sendable (HistoryAnswers, HistoryRequest, Int64) async throws -> HistoryAnswer

    /// The fields that mean something to it, beside those of every request.
    let fields: [String]
    let own: Own
    /// True for one that changes what is kept.
    let isChanging: Bool
    /// True for one by which members do something for themselves.
    let isPersonal: Bool
    /// Answers a request, at a minute.
    let answer: Answer

    init(
        _ fields: [String], own: Own = .named, isChanging: Bool = false, isPersonal: Bool = false,
        answer: @escaping Answer
    ) {
        (self.fields, self.own, self.answer) = (fields, own, answer)
        (self.isChanging, self.isPersonal) = (isChanging || isPersonal, isPersonal)
    }
}

extension RequestVerb {
    /// The one table of verbs.
    var row: Verb {
        let span = ["device", "from", "to", "zone"]
        let whose = span + ["person"]
        let pages = ["limit", "cursor", "export"]
        return switch self {
        case .historyDays:
            Verb(["device", "person", "from", "to"] + pages) { $1.ok(try await $0.days($1, nowMinute: $2)) }
        case .historyInterval: Verb(whose + ["export"]) { $1.ok(try await $0.interval($1, nowMinute: $2)) }
        case .historySeries: Verb(whose + ["bucket"] + pages) { $1.ok(try await $0.series($1, nowMinute: $2)) }
        case .historyActivity: Verb(whose + pages) { $1.ok(try await $0.activity($1, nowMinute: $2)) }
        case .historyWorkouts:
            Verb(whose + pages, own: .personAlone) { $1.ok(try await $0.workouts($1, nowMinute: $2)) }
        case .historyWorkout:
            Verb(["id"] + pages, own: .personAlone) { $1.ok(try await $0.workout($1, nowMinute: $2)) }
        case .workoutsStart, .workoutsStop:
            Verb(["device", "person", "t"], own: .personAlone, isPersonal: true) { answers, request, _ in
                let data = try await answers.mark(request)
                return HistoryAnswer(request.reply(data), changed: [try HistoryAnswers.subject(of: request)])
            }
        case .workoutsEdit:
            Verb(["id", "title", "kind", "joined", "cut_t", "deleted"], own: .personAlone, isPersonal: true) {
                answers, request, _ in
                let data = try await answers.editWorkout(request)
                let subject = request.workout.flatMap { WorkoutID($0)?.subject }
                return HistoryAnswer(request.reply(data), changed: subject.map { [$0] } ?? [])
            }
        case .historyClasses:
            Verb(["from", "to", "zone"] + pages) { answers, request, _ in
                request.ok(try await answers.classes(request))
            }
        case .workoutsExport:
            Verb(["id", "format", "zone", "cursor", "export"], own: .personAlone) {
                $1.ok(try await $0.exportWorkout($1, nowMinute: $2))
            }
        case .devices: Verb(pages) { answers, request, _ in request.ok(try await answers.devices(request)) }
        case .capabilities: Verb(["device", "zone"]) { $1.ok(try await $0.capabilities($1, nowMinute: $2)) }
        case .people:
            Verb(["from", "to", "zone"] + pages) { $1.ok(try await $0.people($1, nowMinute: $2)) }
        case .peopleCheckin:
            Verb(whose + ["team"], own: .person, isPersonal: true) {
                try await $0.checkIn($1, nowMinute: $2)
            }
        case .peopleCheckout:
            Verb(["device", "person", "to", "zone"], own: .person, isPersonal: true) {
                try await $0.checkOut($1, nowMinute: $2)
            }
        case .peopleConfigure:
            Verb(
                [
                    "person", "alias", "goal_steps_per_day", "goal_active_min_per_week", "goal_rides_per_week",
                    "week_starts", "weight_kg", "born", "sex",
                ], own: .person, isChanging: true
            ) { answers, request, _ in try await answers.configurePerson(request) }
        case .peopleForget:
            Verb(["person"], own: .person, isChanging: true) { try await $0.erasePerson($1, nowMinute: $2) }
        case .classesStart:
            Verb(["title", "length_s", "steps", "ranking", "devices"], isChanging: true) { answers, request, _ in
                request.ok(try await answers.startClass(request))
            }
        case .classesStop:
            Verb([], isChanging: true) { answers, request, _ in request.ok(try await answers.stopClass()) }
        case .devicesConfigure:
            Verb(["device", "config", "merge", "keep_unknown"], own: .device, isChanging: true) {
                answers, request, _ in
                try await answers.configureDevice(request)
            }
        case .devicesForget:
            Verb(["device"], own: .device, isChanging: true) { try await $0.eraseDevice($1, nowMinute: $2) }
        }
    }

    /// The names of the fields that mean something to the verb.
    package var fields: [String] { row.fields }

    /// The fields of every request: where and by when it is answered.
    private static let common: Set<String> = ["reply_to", "transaction", "deadline"]

    /// The first field of a request that the verb does not take, which would otherwise be passed over in silence.
    func unknownField(in object: JSONObject) -> String? {
        let known = Self.common.union(fields)
        return object.members.first { $0.value != .null && !known.contains($0.name) }?.name
    }
}

extension HistoryRequest {
    /// The reply with data, and nothing else to be done.
    func ok(_ data: some JSONPayload) -> HistoryAnswer { HistoryAnswer(reply(data)) }

    /// The reply with data.
    func reply(_ data: some JSONPayload) -> HistoryReply { .ok(transaction: transaction, data: data) }
}
