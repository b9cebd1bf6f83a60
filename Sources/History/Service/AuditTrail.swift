package import Wire

/// Who did what: a line each on the log, and a message each on `service/history/audit`.
///
/// What somebody repeats within a minute is told once, and at the minute's end with its number, so that nobody floods
/// the log.
package struct AuditTrail: Sendable {
    /// The time within which the same deed is told once, in seconds.
    static let repeatSeconds = 60.0
    /// The most deeds whose repetitions are counted; beyond it each one is told.
    package static let maximumDeeds = 1_000

    /// The first entry of each deed of the last minute, and how often it was repeated.
    private var recent: [Deed: (first: AuditEntry, repeats: UInt64)] = [:]
    /// The logins that the private broker had refused when it last said so.
    private var loginsRefused: UInt64?

    /// What makes two entries the same: a user who is refused a thousand names has one deed.
    private typealias Deed = [String?]

    private static func deed(_ entry: AuditEntry) -> Deed {
        let isRefused = entry.outcome == ReplyError.Code.notAuthorised.rawValue
        return [entry.who, entry.did, entry.outcome, isRefused ? nil : entry.about] + (entry.addresses ?? [])
    }

    package init() {}

    /// Takes what was done.
    /// - Returns: The entry to be told; nil for a repetition.
    package mutating func note(_ entry: AuditEntry) -> AuditEntry? {
        let deed = Self.deed(entry)
        if recent[deed] != nil {
            recent[deed]?.repeats += entry.count
            return nil
        }
        if recent.count < Self.maximumDeeds { recent[deed] = (entry, 0) }
        return entry
    }

    /// The deeds that were repeated in the minute that is over for them, with how often.
    package mutating func takeRepeated(nowSeconds: Double) -> [AuditEntry] {
        var told: [AuditEntry] = []
        for (deed, (first, repeats)) in recent
        where !(0..<Self.repeatSeconds).contains(nowSeconds - first.t) {
            recent[deed] = nil
            var entry = first
            (entry.t, entry.count) = (nowSeconds, repeats)
            if repeats > 0 { told.append(entry) }
        }
        return told
    }

    /// The entry for logins that the broker refused since it last said so. It counts from 0 with each start.
    ///
    /// - Parameter addresses: The addresses that they came from.
    package mutating func refusedLogins(
        _ count: UInt64, from addresses: [String], nowSeconds: Double
    ) -> AuditEntry? {
        defer { loginsRefused = count }
        guard let before = loginsRefused, count != before else { return nil }
        let added = count > before ? count - before : count
        guard added > 0 else { return nil }
        return AuditEntry {
            ($0.t, $0.did, $0.outcome, $0.count) = (nowSeconds, "login", "refused", added)
            $0.addresses = addresses.isEmpty ? nil : addresses
        }
    }
}

extension AuditEntry {
    /// The entry for a request.
    init(_ question: HistoryRequest, by user: DeviceID?, _ reply: HistoryReply, nowSeconds: Double) {
        self.init { entry in
            (entry.t, entry.who, entry.outcome) = (nowSeconds, user?.description, reply.code?.rawValue ?? "ok")
            entry.did = question.isExport ? "export" : question.verb.rawValue
            entry.about = question.person ?? question.device?.description ?? question.title
        }
    }

    /// The entry for a user whose role has changed.
    init(_ change: RoleChange, nowSeconds: Double) {
        self.init { entry in
            (entry.t, entry.who, entry.did) = (nowSeconds, change.role?.by, "users")
            entry.about = change.user.description
            entry.outcome = change.role.map { $0.change?.rawValue ?? $0.role.rawValue } ?? "revoked"
        }
    }
}
