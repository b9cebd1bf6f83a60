import Wire

/// Decides what history does: which rows it keeps, when it asks for rows again, what it answers and publishes. A value
/// without input, output or clock.
///
/// The messages of a counter form a chain: each names the last revision of the one before. A message that names a
/// later revision than the last one known shows a gap; its rows are kept, because they are states and true by
/// themselves, but the cursor stays until the counter has sent what was missed.
package struct HistoryPipeline: Sendable {
    private var chains: CountsChains
    private var share: HistoryShare
    private var totals = RetainedTotals()
    private var leases = LiveLeases()
    private var homeAssistant: HomeAssistantDiscovery?
    private var health = HistoryCounters()
    private var hasConnected = false
    /// The last connection that publishes.
    private var publishingConnection: UInt64?
    private var readers = (counts: false, requests: false)
    /// True if a batch was received whose changes are not on the disk.
    private var isCommitting = false
    private var waiting: [AdmittedRequest] = []
    private var audit = AuditTrail()
    /// The logins that the private broker had refused when it last said so.
    private var loginsRefused: UInt64?
    private var answering = 0
    private var erasures = (areLeft: true, areBeingSent: false, retrySeconds: -Double.infinity)
    private var healthDueSeconds = -Double.infinity

    package static let maximumWaiting = 256
    /// The requests of one user that wait at most, so that one cannot keep all others waiting.
    package static let maximumWaitingOfUser = 16
    /// The most that are answered at the same time: more than the store has readers, because an answer takes until the
    /// broker has it.
    static let maximumAnswering = 16
    /// The health of each device as it came, for `capabilities`; the broker sends it again at each connection. It is
    /// read when it is asked for: thousands of devices publish theirs every second, and hardly any is asked for.
    private var deviceHealths: [DeviceID: [UInt8]] = [:]
    static let maximumDeviceHealths = 100_000
    /// The names of devices in the systems that they come from, as their health tells them, for `devices`.
    private var deviceNames: [DeviceID: String] = [:]
    /// The largest health that is kept, in bytes.
    static let maximumDeviceHealthBytes = 2_048
    /// The start of the field of a name in the JSON of a device's health.
    private static let nameKey = Array("\"name\":".utf8)
    /// The time between two reports of health, in seconds.
    package static let healthSeconds = 10.0
    /// The time between two tries to send erasures to the counters, in seconds.
    static let erasureRetrySeconds = 2.0
    /// The shortest time between two requests for rows, in seconds.
    static let minimumResendSeconds = 2.0
    /// The longest time between two requests while a gap stays open, in seconds.
    static let maximumResendSeconds = 60.0

    /// Continues from the store's positions. With `homeAssistant`, devices are announced there.
    package init(
        cursors: [ChainCursor], share: HistoryShare = HistoryShare(), homeAssistant: HomeAssistantDiscovery? = nil
    ) {
        self.share = share
        chains = CountsChains(cursors)
        self.homeAssistant = homeAssistant
    }

    /// True if no batch, request or publication is on its way; what is due later does not count.
    package var isIdle: Bool { !isCommitting && answering == 0 && waiting.isEmpty }

    /// Takes an event.
    /// - Returns: What is to be done, in order.
    package mutating func handle(_ event: HistoryEvent, nowSeconds: Double) -> [HistoryEffect] {
        switch event {
        case .countsConnected: return connect()
        case .databaseConnectionLost: return [.readCursors]
        case .cursorsRead(let cursors):
            chains.goOn(from: cursors)
            chains.ask()
        case .requestsConnected:
            readers.requests = true
            return announcement
        case .received(let inputs): return receive(inputs, nowSeconds: nowSeconds)
        case .committed(let outcome):
            isCommitting = false
            health.note(outcome)
            totals.change(outcome.changedDevices.filter(share.owns))
            leases.change(outcome.changedDevices)
            let notes = outcome.changedRoles.flatMap { note($0, nowSeconds: nowSeconds) }
            return [.acknowledge] + notes + publications(nowSeconds: nowSeconds)
        case .commitFailed: health[.commitFailures] += 1
        case .instanceHeard(let status):
            return share.hear(status, nowSeconds: nowSeconds) ? sharesChanged() : []
        case .called: return [.sayStatus(owns: share.text)]
        case .requested(let admission): return admit(admission, nowSeconds: nowSeconds)
        case .healthsPublished(let healths): for (device, json) in healths { note(json, of: device) }
        case .answered(let request, let answer): return finish(request, answer, nowSeconds: nowSeconds)
        case .replied(let isPublished):
            answering -= 1
            if !isPublished { health[.publishFailures] += 1 }
            return answers(nowSeconds: nowSeconds)
        case .leasesCounted(let all, let seconds): return notices(of: all, after: seconds, nowSeconds: nowSeconds)
        case .recalled(let devices): totals.recall(devices.filter(share.owns))
        case .publishingConnected(let connection):
            guard connection != publishingConnection else { return [] }
            publishingConnection = connection
            totals.hold()
            return [.readRetained(connection, mark: health.report(nowSeconds: nowSeconds))]
        case .retained(let values): totals.note(values)
        case .retainedRead(let connection):
            guard connection == publishingConnection else { return [] }
            totals.begin(overConnection: connection)
            return publications(nowSeconds: nowSeconds)
        case .totalsPublished(let outcome):
            totals.published(outcome)
            health[.published] += UInt64(outcome.dayEndMinutes.count * 2)
            return publications(nowSeconds: nowSeconds)
        case .described(let kinds): return announce(kinds)
        case .retainedMayBeOld: homeAssistant?.announceAgain()
        case .totalsFailed(let devices, let ended):
            totals.failed(devices, endedConnection: ended)
            health[.publishFailures] += 1
        case .erasuresSent(let count, let areLeft):
            health[.erasuresSent] += UInt64(count)
            erasures = (areLeft || erasures.areLeft, false, nowSeconds + Self.erasureRetrySeconds)
        case .resendFailed:
            health[.publishFailures] += 1
            chains.ask()
        case .compacted(let minutes, let months):
            health[.minutesCompacted] += UInt64(minutes)
            health[.monthsDropped] += UInt64(months)
        case .storeSetAside: health[.storesSetAside] += 1
        case .auditRetained(let report): audit.resume(report)
        case .auditFailed: audit.publishAgain()
        case .tick: return tick(nowSeconds: nowSeconds)
        }
        return []
    }

    /// At each connection everything since the last stored cursor may be missing: a broker that failed over may have
    /// less, with a session as without, and what a process before this one meant to ask for is not known.
    private mutating func connect() -> [HistoryEffect] {
        readers.counts = true
        chains.ask()
        defer { hasConnected = true }
        return announcement + (hasConnected ? [.readCursors] : [])
    }

    private var announcement: [HistoryEffect] { readers.counts && readers.requests ? [.announce] : [] }

    /// Publishes the notices of leases that were counted.
    /// - Parameter seconds: The time that counting them took.
    private mutating func notices(
        of counted: [LeaseProgress], after seconds: Double, nowSeconds: Double
    ) -> [HistoryEffect] {
        leases.countingEnded(nowSeconds: nowSeconds, seconds: seconds)
        let notices = counted.flatMap { leases.counted($0, nowSeconds: nowSeconds) }
        health[.notices] += UInt64(notices.count)
        return (notices.isEmpty ? [] : [.notify(notices)]) + publications(nowSeconds: nowSeconds)
    }

    /// The totals and notices that are due.
    private mutating func publications(nowSeconds: Double) -> [HistoryEffect] {
        let publication = totals.takeDue(nowSeconds: nowSeconds)
        let due = leases.takeDue(nowSeconds: nowSeconds)
        return (publication.map { [.publishTotals($0)] } ?? []) + (due.isEmpty ? [] : [.count(due)])
    }

    /// The announcements to Home Assistant that are due for some devices.
    private mutating func announce(_ kinds: [DeviceID: DeviceKind?]) -> [HistoryEffect] {
        guard var discovery = homeAssistant else { return [] }
        var messages = discovery.announce(kinds.compactMap { device, kind in kind.map { (device, $0) } })
        for (device, kind) in kinds where kind == nil { messages.append(discovery.remove(device)) }
        homeAssistant = discovery
        return messages.isEmpty ? [] : [.retain(messages)]
    }

    /// Another history has come or gone: what is this one's now is published, and what it has begun is finished.
    private mutating func sharesChanged() -> [HistoryEffect] {
        erasures.areLeft = true
        return [.sayStatus(owns: share.text), .recallEverything]
    }

    private mutating func tick(nowSeconds: Double) -> [HistoryEffect] {
        var effects: [HistoryEffect] = []
        if share.expire(nowSeconds: nowSeconds) { effects += sharesChanged() }
        if share.isToSay(nowSeconds: nowSeconds) { effects.append(.sayStatus(owns: share.text)) }
        if let request = chains.takeRequest(nowSeconds: nowSeconds) {
            health[.resends] += 1
            effects.append(.resend(request))
        }
        health[.leasesExpired] += UInt64(leases.endExpired(nowSeconds: nowSeconds))
        effects += publications(nowSeconds: nowSeconds)
        if erasures.areLeft, share.isFirst, !erasures.areBeingSent, nowSeconds >= erasures.retrySeconds {
            erasures.areLeft = false
            erasures.areBeingSent = true
            effects.append(.sendErasures)
        }
        if let report = audit.takeDue(nowSeconds: nowSeconds) { effects.append(.publishAudit(report)) }
        if nowSeconds >= healthDueSeconds {
            healthDueSeconds = nowSeconds + Self.healthSeconds
            effects.append(.report(health.report(nowSeconds: nowSeconds)))
        }
        return effects
    }

    /// The effects before history ends: every total that has changed, whatever the usual pause of a device, and
    /// health.
    package mutating func finish(nowSeconds: Double) -> [HistoryEffect] {
        let report = audit.takeDue(nowSeconds: nowSeconds + AuditTrail.publishSeconds)
        let due = leases.takeDue(nowSeconds: nowSeconds)
        return totals.takeAllDue(nowSeconds: nowSeconds + RetainedTotals.minimumSeconds).map { .publishTotals($0) }
            + (due.isEmpty ? [] : [.count(due)]) + (report.map { [.publishAudit($0)] } ?? []) + [
                .report(health.report(nowSeconds: nowSeconds))
            ]
    }
}

// MARK: - Counts

extension HistoryPipeline {
    private mutating func receive(_ inputs: [HistoryInput], nowSeconds: Double) -> [HistoryEffect] {
        var changes = HistoryChanges()
        var effects: [HistoryEffect] = []
        for input in inputs {
            switch input {
            case .counts(let batch): receive(batch, into: &changes, nowSeconds: nowSeconds)
            case .settings(let device, let settings):
                changes.settings.append(SettingsChange(device: device, settings: settings))
                health[.configs] += 1
            case .role(let user, let role): changes.roles.append(RoleChange(user: user, role: role))
            case .loginsRefused(let count): effects += noteRefusedLogins(count, nowSeconds: nowSeconds)
            case .counterStarted: chains.ask()
            case .homeAssistantStarted: effects.append(.recallEverything)
            case .nothing: break
            case .refused(let reason): health.refuse(reason)
            }
        }
        guard !changes.isEmpty else { return effects + [.acknowledge] }
        isCommitting = true
        return effects + [.commit(changes)]
    }

    private mutating func receive(_ batch: CountsBatch, into changes: inout HistoryChanges, nowSeconds: Double) {
        guard batch.lastRevision >= batch.previousRevision, batch.lastRevision <= UInt64(Int64.max) else {
            return health[.rowsRefused] += 1
        }
        health[.batches] += 1
        health[.rowsReceived] += UInt64(batch.rows.count)
        for row in batch.rows {
            if Self.isPossible(row) { changes.rows.append(row) } else { health[.rowsRefused] += 1 }
        }
        if let cursor = chains.advance(batch, nowSeconds: nowSeconds) {
            changes.cursors.append(cursor)
        } else {
            health[.gaps] += 1
        }
    }

    private static func isPossible(_ row: MinuteTotals) -> Bool {
        DayCalendar.countedMinutes.contains(row.minute) && row.revision <= UInt64(Int64.max)
            && row.cadenceIntegral.isFinite && row.cadenceMinimum.isFinite && row.cadenceMaximum.isFinite
    }
}

// MARK: - Requests

extension HistoryPipeline {
    private mutating func admit(_ admission: Admission, nowSeconds: Double) -> [HistoryEffect] {
        switch admission {
        case .answer(let request, let ignoredUnsafe):
            guard share.owns(request) else { return [] }
            if ignoredUnsafe { health[.repliesUnsafe] += 1 }
            let user = request.requester.user
            let ofUser = user == nil ? 0 : waiting.count { $0.requester.user == user }
            guard waiting.count < Self.maximumWaiting, ofUser < Self.maximumWaitingOfUser else {
                health[.requestsTooBusy] += 1
                return [.offer(.error(transaction: request.transaction, .tooBusy), request.requester)]
            }
            waiting.append(request)
            return answers(nowSeconds: nowSeconds)
        case .retained: health[.requestsRetained] += 1
        case .expired: health[.requestsExpired] += 1
        case .unsafe:
            health[.repliesUnsafe] += 1
            health[.requestsDropped] += 1
        case .refused(let reason):
            health.refuse(reason)
            health[.requestsDropped] += 1
        }
        return []
    }

    private mutating func note(_ json: [UInt8], of device: DeviceID) {
        guard deviceHealths[device] != nil || deviceHealths.count < Self.maximumDeviceHealths else { return }
        let isKept = !json.isEmpty && json.count <= Self.maximumDeviceHealthBytes
        deviceHealths[device] = isKept ? json : nil
        // Few devices have a name, and a name stays.
        guard isKept, deviceNames[device] == nil, json.firstRange(of: Self.nameKey) != nil else {
            if json.isEmpty { deviceNames[device] = nil }
            return
        }
        deviceNames[device] = health(of: device)?.name
    }

    private func health(of device: DeviceID) -> DeviceHealth? {
        deviceHealths[device].flatMap { try? DeviceHealth(json: $0) }
    }

    private mutating func answers(nowSeconds: Double) -> [HistoryEffect] {
        var effects: [HistoryEffect] = []
        while answering < Self.maximumAnswering, !waiting.isEmpty {
            var request = waiting.removeFirst()
            guard nowSeconds <= request.deadlineSeconds else {
                health[.requestsExpired] += 1
                continue
            }
            answering += 1
            switch request.request {
            case .success(let question):
                request.request = .success(renewed(question, request.requester))
                let names = question.verb == .devices ? deviceNames : [:]
                effects.append(.answer(request, question.device.flatMap { health(of: $0) }, names: names))
            case .failure(let error):
                effects.append(reply(.error(transaction: request.transaction, error), to: request))
            }
        }
        return effects
    }

    /// A request that renews a lease and has no `from` means the beginning of that lease.
    private func renewed(_ request: HistoryRequest, _ requester: Requester) -> HistoryRequest {
        guard request.verb == .liveStart, request.from == nil, let device = request.device, let every = request.every,
            let minute = leases.startMinute(
                of: device, topic: requester.address.topic, every: Int64(clamping: every), counts: request.counts)
        else { return request }
        var request = request
        request.from = .instant(seconds: Double(minute) * 60)
        return request
    }

    private mutating func finish(
        _ request: AdmittedRequest, _ answer: HistoryAnswer, nowSeconds: Double
    ) -> [HistoryEffect] {
        let reply: HistoryReply
        switch answer {
        case .reply(let answer): reply = answer
        case .startLease(let lease):
            if let lease = leases.start(lease) {
                reply = .ok(transaction: request.transaction, data: LiveLeaseData(lease).encodedJSON())
            } else {
                reply = .error(transaction: request.transaction, .tooManyLeases)
            }
        case .stopLease(let device, let topic):
            let wasActive = leases.stop(device, topic: topic)
            let data = LiveStopData { ($0.device, $0.wasActive) = (device, wasActive) }
            reply = .ok(transaction: request.transaction, data: data.encodedJSON())
        case .erased(let devices, let answer):
            reply = answer
            totals.erase(devices)
            leases.change(Set(devices))
            erasures.areLeft = true
            erasures.retrySeconds = nowSeconds
        case .configured(let device, let config, let answer):
            health[.requestsOK] += 1
            return note(request, answer, nowSeconds: nowSeconds)
                + [.configure(device, config: config, answer, request.requester)]
        }
        let notes = note(request, reply, nowSeconds: nowSeconds)
        guard nowSeconds <= request.deadlineSeconds else {
            answering -= 1
            health[.requestsExpired] += 1
            return notes + answers(nowSeconds: nowSeconds)
        }
        return notes + [self.reply(reply, to: request)]
    }

    private mutating func reply(_ reply: HistoryReply, to request: AdmittedRequest) -> HistoryEffect {
        switch reply {
        case .ok: health[.requestsOK] += 1
        case .error(_, let error):
            health[.requestsError] += 1
            if error.code == .notAuthorised { health[.requestsNotAuthorised] += 1 }
        }
        return .reply(reply, request.requester)
    }
}

// MARK: - Audit

extension HistoryPipeline {
    /// Notes a request that changes what others see, takes data out, or is refused.
    private mutating func note(
        _ request: AdmittedRequest, _ reply: HistoryReply, nowSeconds: Double
    ) -> [HistoryEffect] {
        guard case .success(let question) = request.request else { return [] }
        var outcome = "ok"
        if case .error(_, let error) = reply { outcome = error.code.rawValue }
        let isOfNote: Bool
        switch question.verb {
        case .devicesConfigure, .devicesForget, .peopleConfigure, .peopleForget: isOfNote = true
        // Nobody but an operator, and members for themselves, is let to.
        case .peopleCheckin, .peopleCheckout: isOfNote = !request.isByMember
        default: isOfNote = question.isExport && question.cursor == nil
        }
        guard isOfNote || outcome == ReplyError.Code.notAuthorised.rawValue else { return [] }
        return note(
            AuditEntry { entry in
                (entry.t, entry.who, entry.outcome) = (nowSeconds, request.requester.user?.description, outcome)
                entry.did = question.isExport ? "export" : question.verb.rawValue
                entry.about = question.person ?? question.device?.description
            })
    }

    private mutating func note(_ change: RoleChange, nowSeconds: Double) -> [HistoryEffect] {
        note(
            AuditEntry { entry in
                (entry.t, entry.who, entry.did) = (nowSeconds, change.role?.by, "users")
                entry.about = change.user.description
                entry.outcome = change.role?.role.rawValue ?? "revoked"
            })
    }

    /// Notes logins that the broker refused since it last said so. It counts from 0 with each start.
    private mutating func noteRefusedLogins(_ count: UInt64, nowSeconds: Double) -> [HistoryEffect] {
        defer { loginsRefused = count }
        guard let before = loginsRefused, count != before else { return [] }
        let added = count > before ? count - before : count
        guard added > 0 else { return [] }
        return note(
            AuditEntry { ($0.t, $0.did, $0.outcome, $0.count) = (nowSeconds, "login", "refused", added) })
    }

    private mutating func note(_ entry: AuditEntry) -> [HistoryEffect] {
        audit.note(entry).map { [.log($0)] } ?? []
    }
}
