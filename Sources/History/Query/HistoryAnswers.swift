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
    package var retention = Retention()
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
        var answers = self
        answers.nowSeconds = nowSeconds
        var answer: HistoryAnswer
        do {
            answers.asker = try await asker(of: requester)
            _ = try answers.scope(of: request.verb)
            let admitted = try answers.admitted(try request.withNormalNames())
            if let name = request.unknownField { throw ReplyError.unknownField(name, of: request.verb) }
            try answers.keepGoing()
            answer = try await request.verb.row.answer(answers, admitted, nowMinute(nowSeconds))
        } catch let error as ReplyError {
            answer = HistoryAnswer(.error(transaction: request.transaction, error))
        } catch HistoryError.overtime {
            answer = HistoryAnswer(.error(transaction: request.transaction, .overtime))
        } catch {
            noteStoreError(error)
            let sorry = ReplyError(code: .internal, message: "history cannot read its store now; ask again later")
            answer = HistoryAnswer(.error(transaction: request.transaction, sorry))
        }
        if answers.isOfNote(request) || answer.reply.code == .notAuthorised { answer.isOfNote = true }
        return answer
    }

    /// Whether the audit trail tells of a request: of a change that is not a member's own, and of the first page of an export.
    private func isOfNote(_ request: HistoryRequest) -> Bool {
        let row = request.verb.row
        return row.isChanging ? !(row.isPersonal && asker.role == .member) : request.isExport && request.cursor == nil
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
            throw ReplyError(
                code: .badRequest, message: "'zone' is no time zone; use an IANA name such as Europe/Berlin")
        }
    }
}

/// The answer to a request, and what it means beside it.
package struct HistoryAnswer: Sendable {
    package var reply: HistoryReply
    /// The devices and people whose totals or workouts have changed.
    package var changed: Set<Subject> = []
    /// Whether there are erasures to be sent to the counters of devices.
    package var hasErasures = false
    /// The config of a device, to be retained before the reply.
    package var config: (device: DeviceID, json: [UInt8])?
    /// Whether the audit tells of it.
    var isOfNote = false

    init(_ reply: HistoryReply, changed: Set<Subject> = []) { (self.reply, self.changed) = (reply, changed) }
}

extension HistoryReply {
    /// The code of an error; `nil` for data.
    var code: ReplyError.Code? { if case .error(_, let error) = self { error.code } else { nil } }
}

/// Who asks, the place of the answer, and the Correlation Data that goes with it.
package struct Requester: Sendable, Equatable {
    package var address: ReplyAddress
    package var correlationData: [UInt8]?
    /// The user, by the topic of the request; nil on the operators' way.
    package var user: DeviceID?
}
