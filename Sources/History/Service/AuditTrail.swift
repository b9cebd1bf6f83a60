package import Wire

/// Who did what in the last day: a line each, on the log and retained on `service/history/audit`.
///
/// What somebody repeats is one line a minute with its number, and of too many lines those of whoever has most go
/// first, so that nobody can push out what others have done.
package struct AuditTrail: Sendable {
    /// How long a line is kept, in seconds.
    static let keptSeconds = 86_400.0
    /// The most lines that are kept.
    package static let maximumEntries = 1_000
    /// The time within which the same thing is one line, in seconds.
    static let repeatSeconds = 60.0
    /// The shortest time between two publications, in seconds.
    static let publishSeconds = 1.0

    private var entries: [AuditEntry] = []
    private var isChanged = false
    private var publishedSeconds = -Double.infinity
    /// The logins that the private broker had refused when it last said so.
    private var loginsRefused: UInt64?

    package init() {}

    /// Adds what was done.
    /// - Returns: The line for the log; nil for a repetition.
    package mutating func note(_ entry: AuditEntry) -> AuditEntry? {
        isChanged = true
        let like = entries.lastIndex { other in
            entry.t - other.t < Self.repeatSeconds && other.who == entry.who && other.did == entry.did
                && other.outcome == entry.outcome && other.from == entry.from
                && (other.about == entry.about || entry.isRefusal)
        }
        if let like {
            entries[like].count += entry.count
            return nil
        }
        if entries.count >= Self.maximumEntries { dropOne() }
        entries.append(entry)
        return entry
    }

    /// Takes up the lines that were retained before this process began.
    package mutating func resume(_ report: AuditReport) {
        let known = Set(entries)
        let before = report.entries.suffix(Self.maximumEntries).filter { !known.contains($0) }
        guard !before.isEmpty else { return }
        entries = (before + entries).sorted { $0.t < $1.t }
        while entries.count > Self.maximumEntries { dropOne() }
        isChanged = true
    }

    /// What is to be retained now; nil if nothing has changed, or too soon.
    package mutating func takeDue(nowSeconds: Double) -> AuditReport? {
        let count = entries.count
        entries.removeAll { nowSeconds - $0.t > Self.keptSeconds }
        isChanged = isChanged || entries.count != count
        let isSoon = (0..<Self.publishSeconds).contains(nowSeconds - publishedSeconds)
        guard isChanged, !isSoon else { return nil }
        (isChanged, publishedSeconds) = (false, nowSeconds)
        return AuditReport { ($0.t, $0.entries) = (nowSeconds, entries) }
    }

    /// A publication failed: it is tried again.
    package mutating func publishAgain() { isChanged = true }

    /// The line for logins that the broker refused since it last said so. It counts from 0 with each start.
    ///
    /// - Parameter addresses: The addresses that they came from.
    package mutating func refusedLogins(
        _ count: UInt64, from addresses: String?, nowSeconds: Double
    ) -> AuditEntry? {
        defer { loginsRefused = count }
        guard let before = loginsRefused, count != before else { return nil }
        let added = count > before ? count - before : count
        guard added > 0 else { return nil }
        return AuditEntry {
            ($0.t, $0.did, $0.outcome, $0.from, $0.count) = (nowSeconds, "login", "refused", addresses, added)
        }
    }

    private mutating func dropOne() {
        // Logins have no user; they must not push out what operators did by their own way.
        func owner(_ entry: AuditEntry) -> [String?] { [entry.who, entry.from == nil ? nil : entry.did] }
        var counts: [[String?]: Int] = [:]
        for entry in entries { counts[owner(entry), default: 0] += 1 }
        guard let busiest = counts.max(by: { $0.value < $1.value })?.key else { return }
        if let index = entries.firstIndex(where: { owner($0) == busiest }) { entries.remove(at: index) }
    }
}

extension AuditEntry {
    /// The line for a request that changes what others see, takes data out, or is refused; `nil` for any other.
    ///
    /// - Parameters:
    ///   - isByMember: A member has checked in or out.
    ///   - takesOver: The member's check-in has ended the check-in of another person.
    init?(
        _ request: AdmittedRequest, _ reply: HistoryReply, isByMember: Bool, takesOver: Bool, nowSeconds: Double
    ) {
        guard case .success(let question) = request.request else { return nil }
        var outcome = "ok"
        if case .error(_, let error) = reply { outcome = error.code.rawValue }
        let isOfNote: Bool
        switch question.verb {
        case .devicesConfigure, .devicesForget, .peopleConfigure, .peopleForget: isOfNote = true
        // Nobody but an operator, and members for themselves, is let to.
        case .peopleCheckin, .peopleCheckout: isOfNote = !isByMember || takesOver
        default: isOfNote = question.isExport && question.cursor == nil
        }
        guard isOfNote || outcome == ReplyError.Code.notAuthorised.rawValue else { return nil }
        self.init { entry in
            (entry.t, entry.who, entry.outcome) = (nowSeconds, request.requester.user?.description, outcome)
            entry.did = question.isExport ? "export" : question.verb.rawValue
            let device = question.device?.description
            entry.about = takesOver ? device : question.person ?? device
        }
    }

    /// The line for a user whose role has changed.
    init(_ change: RoleChange, nowSeconds: Double) {
        self.init { entry in
            (entry.t, entry.who, entry.did) = (nowSeconds, change.role?.by, "users")
            entry.about = change.user.description
            entry.outcome = change.role.map { $0.change?.rawValue ?? $0.role.rawValue } ?? "revoked"
        }
    }

    /// True for a refused request, whatever it was about: a user who tries a thousand names has one line.
    fileprivate var isRefusal: Bool { outcome == ReplyError.Code.notAuthorised.rawValue }
}
