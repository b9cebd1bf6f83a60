import Wire

extension ReplyError {
    /// Too many leases on notices.
    static var tooManyLeases: ReplyError {
        ReplyError(code: .tooBusy, message: "too many leases already; stop some, or wait until they expire")
    }

    /// The verbs that are answered.
    static var verbs: String {
        "history/days, history/interval, history/series, history/activity, live/start, live/stop, devices, "
            + "capabilities, people, people/checkin, people/checkout, people/forget, devices/configure and "
            + "devices/forget"
    }

    /// There is no such verb.
    static var unknownVerb: ReplyError {
        ReplyError(code: .unknownVerb, message: "no such request; there are \(verbs)")
    }

    /// Too many requests wait already.
    static var tooBusy: ReplyError {
        ReplyError(code: .tooBusy, message: "too many requests wait already; ask again in a few seconds")
    }

    /// History protects the verb, and the key is missing or wrong.
    static func notAuthorised(_ verb: RequestVerb, isKeyGiven: Bool) -> ReplyError {
        let problem =
            isKeyGiven
            ? "'key' is not the one that \(verb.rawValue) needs here"
            : "\(verb.rawValue) needs a key here; send it as 'key' in the request"
        return ReplyError(
            code: .notAuthorised, message: "\(problem); whoever runs this history has set it as 'protected-key'")
    }

    /// The payload is no JSON object.
    static func notAnObject(_ error: WireError) -> ReplyError {
        let problem =
            error == .payloadTooLarge
            ? "is larger than \(HistoryRequest.maximumBytes) bytes" : "is not a JSON object (\(error.reason))"
        return ReplyError(
            code: .badRequest, message: "the request \(problem); send something like {\"device\":\"bike-07\"}")
    }

    /// Some field cannot be used: says which, and what it should look like.
    static func wrongField(of object: JSONObject?, _ error: WireError) -> ReplyError {
        let words = object.flatMap(Self.words) ?? "a field has the wrong type or is out of range (\(error.reason))"
        return ReplyError(code: .badRequest, message: words)
    }

    private static func words(for object: JSONObject) -> String? {
        if let value = object["device"], value.string.flatMap({ try? DeviceID($0) }) == nil {
            return "'device' is not an id; ids are lower-case letters, digits and dashes, such as \"bike-07\""
        }
        for name in ["from", "to"] {
            if let value = object[name], (try? TimePoint(value: value)) == nil {
                return "'\(name)' is no time; use \"2026-11-20\", \"2026-11-20T17:00:00+01:00\" or seconds since 1970"
            }
        }
        if let value = object["bucket"], value.string.flatMap(Bucket.init(rawValue:)) == nil {
            return "'bucket' must be one of \(Bucket.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        if let value = object["limit"], !(1...Int64(PayloadLimits.maximumRecords)).contains(value.signedInteger ?? 0) {
            return "'limit' must be a whole number from 1 to \(PayloadLimits.maximumRecords)"
        }
        if object["every"] != nil, !isWhole(object["every"], in: HistoryRequest.everyRange) {
            return "'every' must be a whole number from 1 to \(HistoryRequest.everyRange.upperBound)"
        }
        if let value = object["person"], value.string.map({ $0.isEmpty || $0.utf8.count > 256 }) ?? true {
            return "'person' must be a name of at most 256 bytes"
        }
        if object["priority"] != nil, !isWhole(object["priority"], in: HistoryRequest.priorities) {
            return "'priority' must be a whole number from 0 to \(HistoryRequest.priorities.upperBound)"
        }
        if object["max_bytes"] != nil, !isWhole(object["max_bytes"], in: HistoryRequest.replyBytes) {
            let range = HistoryRequest.replyBytes
            return "'max_bytes' must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
        if let value = object["compact"], value.bool == nil { return "'compact' must be true or false" }
        if object["lease_s"] != nil, !isWhole(object["lease_s"], in: HistoryRequest.leaseRangeSeconds) {
            let range = HistoryRequest.leaseRangeSeconds
            return "'lease_s' must be a whole number of seconds from \(range.lowerBound) to \(range.upperBound)"
        }
        if let value = object["key"], value.string.map({ $0.utf8.count > RequestKey.lengths.upperBound }) ?? true {
            return "'key' must be text of at most \(RequestKey.lengths.upperBound) bytes"
        }
        if let value = object["config"], value.object == nil {
            return "'config' must be an object such as {\"kind\":\"bike\"}"
        }
        for name in ["zone", "cursor", "reply_to"] where object[name] != nil && object[name]?.string == nil {
            return "'\(name)' must be text"
        }
        if let value = object["counts"], value.string.flatMap(CountedKind.init(rawValue:)) == nil {
            return "'counts' must be steps or revolutions"
        }
        return object["transaction"] != nil ? "'transaction' must be short text or a whole number" : nil
    }

    private static func isWhole(_ value: JSONValue?, in range: ClosedRange<Int>) -> Bool {
        value?.signedInteger.map { (Int64(range.lowerBound)...Int64(range.upperBound)).contains($0) } ?? false
    }
}
