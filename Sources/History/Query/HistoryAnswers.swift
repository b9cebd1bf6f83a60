package import Wire

/// Answers requests from the store. Nothing known is zeros with `"covered_s": 0`, not an error: history cannot tell a
/// device that was never switched on from one that does not exist.
///
/// A zone named in the request counts before the device's own; local dates are days of that zone, beginning at the
/// device's start of day.
package struct HistoryAnswers: Sendable {
    let store: HistoryStore
    /// Who asks.
    var asker = Asker.operators
    /// The present, in seconds since 1970.
    var nowSeconds = 0.0
    /// The time that minutes are kept.
    package var retention = Retention.usual
    /// Whether nobody waits for the answer any more.
    var isOver: @Sendable () -> Bool = { false }
    /// Called with an error of the store, of which the asker is told no more than that there was one.
    var noteStoreError: @Sendable (any Error) -> Void = { _ in }
    /// The retained health of the device that is asked about, if there is one.
    package var deviceHealth: DeviceHealth?
    /// The retained config of the device that is asked about, if history has heard one.
    package var deviceConfig: [UInt8]?
    /// The names of devices in the systems that they come from, where they are not the ids.
    package var deviceNames: [DeviceID: String] = [:]

    package init(store: HistoryStore) { self.store = store }

    var defaultZone: DayCalendar { store.defaultZone }

    /// The answer to a request, as it is due to who asks: without a requester, to an operator.
    package func answer(
        _ request: HistoryRequest, from requester: Requester? = nil, nowSeconds: Double
    ) async -> HistoryAnswer {
        do {
            var answers = self
            answers.nowSeconds = nowSeconds
            answers.asker = try await asker(of: requester)
            _ = try answers.scope(of: request.verb)
            let admitted = try answers.admitted(try request.withNormalNames())
            if let name = request.unknownField { throw ReplyError.unknownField(name, of: request.verb) }
            try answers.keepGoing()
            return try await request.verb.row.answer(answers, admitted, nowMinute(nowSeconds))
        } catch let error as ReplyError {
            return .reply(.error(transaction: request.transaction, error))
        } catch HistoryError.overtime {
            return .reply(.error(transaction: request.transaction, .overtime))
        } catch {
            noteStoreError(error)
            let sorry = ReplyError(code: .internal, message: "history cannot read its store now; ask again later")
            return .reply(.error(transaction: request.transaction, sorry))
        }
    }

    /// Why a verb is not answered to who asks; nil if it is.
    func refusal(of verb: RequestVerb, to requester: Requester?) async -> ReplyError? {
        do {
            var answers = self
            answers.asker = try await asker(of: requester)
            _ = try answers.scope(of: verb)
            return nil
        } catch {
            return error as? ReplyError
        }
    }

    /// The present minute, held within the calendar.
    func nowMinute(_ nowSeconds: Double) -> Int64 {
        min(Int64(clampingSeconds: nowSeconds) / 60, DayCalendar.countedMinutes.upperBound)
    }

    /// The rows of one page of an answer.
    static func limit(of request: HistoryRequest) -> Int { request.limit ?? PayloadLimits.rowsAPage }

    /// Looks at the clock between two parts of an answer.
    func keepGoing() throws(HistoryError) { if isOver() { throw .overtime } }

    /// The device or person that a request is about, and the calendar.
    func subject(of request: HistoryRequest) async throws -> (record: SubjectRecord, calendar: DayCalendar) {
        let subject = try Self.subject(of: request)
        let record = try await store.record(of: subject) ?? SubjectRecord(subject)
        return (record, try calendar(request, of: record.settings))
    }

    /// A device or a person.
    static func subject(of request: HistoryRequest) throws(ReplyError) -> Subject {
        guard let person = request.person else { return .device(try device(of: request)) }
        guard request.device == nil else {
            throw ReplyError(
                code: .badRequest, message: "give 'device' or 'person', not both: \(request.verb.rawValue) is about one"
            )
        }
        return .person(person)
    }

    static func device(of request: HistoryRequest) throws(ReplyError) -> DeviceID {
        guard let device = request.device else {
            throw ReplyError(code: .badRequest, message: "'device' is missing; give an id such as \"bike-07\"")
        }
        return device
    }

    static func person(of request: HistoryRequest) throws(ReplyError) -> String {
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        return person
    }

    /// The calendar that a request is about: that of the zone it names, or that of a device.
    func calendar(_ request: HistoryRequest, of settings: DeviceSettings) throws(ReplyError) -> DayCalendar {
        guard let zone = request.zone else { return DayCalendar(settings, defaultZone: defaultZone) }
        do { return try DayCalendar(zone: zone, dayStartMinutes: settings.dayStartMinutes) } catch {
            throw ReplyError(code: .badRequest, message: "'zone': \(error)")
        }
    }
}

/// The answer to a request, and its effects.
package enum HistoryAnswer: Sendable {
    /// Only to reply.
    case reply(HistoryReply)
    /// To publish what is told of devices and people now, and to reply.
    case changed([Subject], HistoryReply)
    /// To publish what is left of devices and people, to send erasures to the devices' counters, and to reply.
    case erased(Set<Subject>, HistoryReply)
    /// To publish what people have now, and to reply to a check-in or check-out; it may have ended the check-in of another
    /// person.
    case changedHands(CommitOutcome, endsAnothers: Bool, HistoryReply)
    /// To retain the config of a device, and then to reply.
    case configured(DeviceID, config: [UInt8], HistoryReply)
}

/// Who asks, the place of the answer, and the Correlation Data that goes with it.
package struct Requester: Sendable, Equatable {
    package var address: ReplyAddress
    package var correlationData: [UInt8]?
    /// The user, by the topic of the request; nil on the operators' way.
    package var user: DeviceID?
}
