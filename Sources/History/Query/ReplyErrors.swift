import Wire

extension ReplyError {
    static var wrongCursor: ReplyError {
        ReplyError(code: .badRequest, message: "'cursor' is not the one of the page before this")
    }

    /// An answer has more rows than a reply, and the request asks for no pages.
    static func tooLarge(_ rows: String) -> ReplyError {
        ReplyError(
            code: .tooLarge,
            message: "\(rows) are more than the \(PayloadLimits.rowsAPage) rows of one reply; ask for less time or "
                + "wider buckets, or for pages with 'limit'")
    }

    /// An answer was given up.
    static var overtime: ReplyError {
        ReplyError(
            code: .tooLarge,
            message: "the answer takes longer than \(Int(RequestQueue.maximumAnswerSeconds)) s; ask for less time")
    }

    /// Every verb, for a sentence.
    static var verbs: String { RequestVerb.allCases.map(\.rawValue).joined(separator: ", ") }

    /// There is no such verb.
    static var unknownVerb: ReplyError {
        ReplyError(code: .unknownVerb, message: "no such request; there are \(verbs)")
    }

    /// Too many requests wait already.
    static var tooBusy: ReplyError {
        ReplyError(code: .tooBusy, message: "too many requests wait already; ask again in a few seconds")
    }

    /// The payload is no JSON object.
    static func notAnObject(_ error: WireError) -> ReplyError {
        let problem =
            switch error {
            case .payloadTooLarge: "is larger than \(HistoryRequest.maximumBytes) bytes"
            case .contradiction: "has a field twice"
            case .outOfRange: "has a number that no field allows"
            default: "is not a JSON object (\(error.reason))"
            }
        return ReplyError(
            code: .badRequest, message: "the request \(problem); send something like {\"device\":\"bike-07\"}")
    }

    /// The Correlation Data is longer than a reply has.
    static var longCorrelationData: ReplyError {
        ReplyError(
            code: .badRequest,
            message: "the Correlation Data is longer than \(IncomingRequest.maximumCorrelationBytes) bytes")
    }

    /// A field that a verb does not take: misspelt, or meant for another one.
    static func unknownField(_ name: String, of verb: RequestVerb) -> ReplyError {
        ReplyError(
            code: .badRequest,
            message: "\(verb.rawValue) takes no '\(PayloadLimits.cut(NameText.shown(name)))'; it takes "
                + verb.fields.joined(separator: ", "))
    }

    /// A field cannot be used: its name, and what it should look like.
    static func wrongField(of object: JSONObject?, _ error: WireError) -> ReplyError {
        let wrong = object.flatMap { HistoryRequest.wrongField(in: $0) }
        if let wrong, ["person", "alias", "team", "title"].contains(wrong), let name = object?[wrong]?.string,
            let character = NameText.refusedCharacter(in: name)
        {
            return ReplyError(
                code: .badRequest, message: "'\(wrong)' has a character that is not seen, \(character); leave it out")
        }
        let expected = expectations.first { $0.key == wrong }
        return ReplyError(
            code: .badRequest,
            message: expected.map { "'\($0.key)' \($0.value)" }
                ?? "\(wrong.map { "'\($0)'" } ?? "a field") has the wrong type or is out of range (\(error.reason))")
    }

    /// The form that each field must have, in words.
    private static let expectations: KeyValuePairs<String, String> = [
        "device": "is not an id; ids are lower-case letters, digits and dashes, such as \"bike-07\"",
        "from": noTime,
        "to": noTime,
        "bucket": "must be one of \(Bucket.allCases.map(\.rawValue).joined(separator: ", "))",
        "limit": "must be a whole number from 1 to \(PayloadLimits.rowsAPage)",
        "person": aName,
        "alias": aName,
        "team": aName,
        "title": "must be a text of at most \(PayloadLimits.maximumTextBytes) bytes",
        "goal_steps_per_day": "must be a whole number of steps up to 1,000,000, or 0 for no goal",
        "goal_active_min_per_week": "must be whole minutes up to 10,080, or 0 for no goal",
        "goal_rides_per_week": "must be a whole number of rides up to 1,000, or 0 for no goal",
        "week_starts": "must be one of \(WeekStart.allCases.map(\.rawValue).joined(separator: ", "))",
        "weight_kg": "must be kilograms up to 500, or 0 to forget them",
        "born": "must be a year such as 1984, or 0 to forget it",
        "sex": "must be one of \(BodyFields.Sex.allCases.map(\.rawValue).joined(separator: ", "))",
        "id": "must be text, as 'history/workouts' gives it",
        "t": noTime,
        "cut_t": noTime,
        "kind": "must be one of \(WorkoutKind.allCases.map(\.rawValue).joined(separator: ", "))",
        "format": "must be one of \(WorkoutFormat.allCases.map(\.rawValue).joined(separator: ", "))",
        "joined": "must be true or false",
        "deleted": "must be true or false",
        "merge": "must be true or false",
        "length_s": "must be whole seconds from \(ClassLimits.lengthSeconds.lowerBound) to "
            + "\(ClassLimits.lengthSeconds.upperBound)",
        "steps":
            "must be a list such as [{\"length_s\":300,\"cadence_min_rpm\":80,\"cadence_max_rpm\":90}], with steps of "
            + "\(ClassLimits.stepSeconds.lowerBound) to \(ClassLimits.stepSeconds.upperBound) s, cadences up to "
            + "\(ClassLimits.cadenceRPM.upperBound) rpm and powers up to \(ClassLimits.powerWatts.upperBound) W",
        "ranking": "must be one of \(ClassRanking.allCases.map(\.rawValue).joined(separator: ", "))",
        "devices": "must be a list of ids such as [\"bike-07\"]",
        "export": "must be true or false",
        "config": "must be an object such as {\"kind\":\"bike\"}",
        "keep_unknown": "must be true or false",
        "zone": "must be text, the IANA name of a time zone",
        "cursor": "must be text, as the page before gave it",
        "reply_to": "must be text, a topic",
        "deadline": "must be seconds since 1970",
        "transaction": "must be short text or a whole number",
    ]

    private static let aName = "must be a name of at most \(PayloadLimits.maximumTextBytes) bytes"
    private static let noTime =
        "is no time from 1970 to 9999; use \"2026-11-20\", \"2026-11-20T17:00:00+01:00\" or seconds since 1970"
}
