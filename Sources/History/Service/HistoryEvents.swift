package import Wire

/// One thing that happens to history.
package enum HistoryEvent: Sendable {
    /// The connection that reads counts and settings is there; without a session, messages may be lost.
    case countsConnected(sessionPresent: Bool)
    /// A connection to the database was lost: the server that answers now may have less than the one before.
    case databaseConnectionLost
    /// The chains' positions in the store.
    case cursorsRead([ChainCursor])
    /// A batch of messages came; they are acknowledged when their changes are on the disk.
    case received([HistoryInput])
    /// The changes are on the disk.
    case committed(CommitOutcome)
    /// A commit failed and is tried again.
    case commitFailed
    /// Another history has said its status, or this one.
    case instanceHeard(InstanceStatus)
    /// Somebody asks every history for its status.
    case called
    /// The connection that reads requests is there.
    case requestsConnected
    case requested(Admission)
    /// The healths of devices were published, in this order; no bytes where one was taken back.
    case healthsPublished([(device: DeviceID, json: [UInt8])])
    /// A request was answered from the store.
    case answered(AdmittedRequest, HistoryAnswer)
    /// The broker has a reply, or could not be given it.
    case replied(isPublished: Bool)
    /// Leases were counted, which took some seconds.
    case leasesCounted([LeaseProgress], seconds: Double)
    /// Devices whose retained totals may be older than the store.
    case recalled([DeviceID])
    /// The connection that publishes is there, the one of this number.
    case publishingConnected(UInt64)
    /// Totals that were retained when that connection began.
    case retained([RetainedValue])
    /// All that was retained when a connection began has been read.
    case retainedRead(UInt64)
    /// The totals of devices were published.
    case totalsPublished(TotalsOutcome)
    /// The kinds of devices whose totals were published; `nil` where nothing is kept of one.
    case described([DeviceID: DeviceKind?])
    /// The broker may have lost what it retained, or Home Assistant has started: everything is published again.
    case retainedMayBeOld
    /// The totals of devices could not be published, perhaps because a connection is over.
    case totalsFailed([DeviceID], endedConnection: UInt64?)
    /// The broker has a number of erasures for the counters; those that are left are tried again.
    case erasuresSent(Int, areLeft: Bool)
    /// A request for rows could not be published.
    case resendFailed
    /// Minutes became hours, and the room of months was given back.
    case compacted(minutes: Int, months: Int)
    /// A damaged file was set aside at the start.
    case storeSetAside
    /// The audit that was retained when the connection that reads requests began.
    case auditRetained(AuditReport)
    /// The audit could not be published.
    case auditFailed
    /// Time has passed.
    case tick
}

/// The content of a message of the bus.
package enum HistoryInput: Sendable {
    /// Rows of a counter.
    case counts(CountsBatch)
    /// A device's settings; `nil` puts the defaults back.
    case settings(DeviceID, DeviceSettings?)
    /// A user's role; nil revokes it.
    case role(DeviceID, UserRole?)
    /// The logins that the private broker refused since it started.
    case loginsRefused(UInt64)
    case counterStarted
    case homeAssistantStarted
    /// A message without meaning for history, such as a retained status.
    case nothing
    /// A message that is refused.
    case refused(WireError)

    /// Reads a message.
    package init(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool, in topics: TopicTree)
    {
        do throws(WireError) {
            self = try Self.read(try topics.parse(topic), payload, isRetained: isRetained)
        } catch {
            self = .refused(error)
        }
    }

    /// Reads the payload of a topic.
    package static func read(
        _ topic: Topic, _ payload: UnsafeRawBufferPointer, isRetained: Bool
    ) throws(WireError) -> HistoryInput {
        switch topic {
        case .counts:
            guard !isRetained else { throw .retainedData }
            return .counts(try CountsBatch(decoding: payload))
        case .device(let device, .config):
            // The operator removes settings with an empty message.
            guard !payload.isEmpty else { return .settings(device, nil) }
            return .settings(device, DeviceSettings(try DeviceConfig(json: payload)))
        case .userRole(let user):
            return .role(user, payload.isEmpty ? nil : try UserRole(json: payload))
        case .serviceHealth(.network):
            return try ServiceHealth(json: payload)["logins_refused"].map { .loginsRefused($0) } ?? .nothing
        case .serviceStatus(.counter):
            return !isRetained && payload.elementsEqual("online".utf8) ? .counterStarted : .nothing
        default: throw .unknownTopic
        }
    }
}

/// One thing that history is to do; its end comes back as an event.
package enum HistoryEffect: Sendable {
    /// Keep changes, trying again until they are on the disk: `committed`.
    case commit(HistoryChanges)
    /// Read the chains' positions from the store: `cursorsRead`.
    case readCursors
    /// Acknowledge the batch that was last received.
    case acknowledge
    /// Say that history is online.
    case announce
    /// Say what is this history's own.
    case sayStatus(owns: String?)
    /// Ask the counters for rows: `resendFailed` if that cannot be published.
    case resend(CountsResend)
    /// Answer a request from the store, the health of its device and the names of devices: `answered`.
    case answer(AdmittedRequest, DeviceHealth?, names: [DeviceID: String])
    /// Publish a reply: `replied`.
    case reply(HistoryReply, Requester)
    /// Retain the config of a device, and then publish the reply: `replied`.
    case configure(DeviceID, config: [UInt8], HistoryReply, Requester)
    /// Publish a reply if that needs no waiting.
    case offer(HistoryReply, Requester)
    /// Count leases: `leasesCounted`.
    case count([LiveLease])
    /// Publish notices; a lost one is made good by the next.
    case notify([LeaseNotice])
    /// Read the totals that are retained, with health as the mark of their end: `retained` and `retainedRead`.
    case readRetained(UInt64, mark: ServiceHealth)
    /// Publish the retained totals of devices: `totalsPublished` or `totalsFailed`.
    case publishTotals(TotalsPublication)
    /// Publish retained messages: `retainedMayBeOld` if they could not be.
    case retain([RetainedMessage])
    /// Name every device as `recalled`.
    case recallEverything
    /// Finish erasures and send them to the counters: `erasuresSent`.
    case sendErasures
    /// Publish health, without waiting.
    case report(ServiceHealth)
    /// Write a line of the audit to the log.
    case log(AuditEntry)
    /// Retain the audit: `auditFailed` if it could not be.
    case publishAudit(AuditReport)
}
