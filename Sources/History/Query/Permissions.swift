import ServiceKit
package import Wire

/// Who asks, by the topic of the request, and what the asker is.
package struct Asker: Sendable, Equatable {
    /// The user, whose name the broker's access list vouches for; nil on the operators' way, `request/{verb}`.
    package let user: DeviceID?
    package let role: Role
    /// The person that a member is.
    package let person: String?

    /// Whoever may publish on `request/{verb}`.
    package static let operators = Asker(user: nil, role: .operator, person: nil)

    /// What a request may be about; nil if it is not answered.
    func scope(of verb: RequestVerb) -> RoleTable.Scope? { RoleTable.standard.scope(of: verb, for: role) }
}

/// What an asker is answered, by `schemas/roles.json`: (user, role, verb, device or person, time). A refusal is
/// `not_authorised` and says what may be asked instead.
extension HistoryAnswers {
    /// How far back a member may begin a check-in, in minutes: long enough for one that was forgotten, and too short to
    /// claim what somebody else has done.
    static var maximumLateCheckInMinutes: Int64 { 15 }
    /// The most devices that a member has at a time by check-ins: who could take more would take all bikes from everybody.
    static var maximumHeldDevices: Int { 8 }

    /// Who asks; throws for a user without a role.
    func asker(of requester: Requester?) async throws -> Asker {
        guard let user = requester?.user else { return .operators }
        guard let role = try await store.role(of: user) else {
            throw ReplyError.notAuthorised(
                "history does not know the user '\(user)'; an operator adds it with 'stridebus users add \(user)'")
        }
        let named = role.person.flatMap { $0.isEmpty ? nil : $0 }
        let person = role.role == .member ? named ?? "\(user)" : nil
        return Asker(user: user, role: role.role, person: person)
    }

    /// What a request of the asker may be about; throws where it is not answered.
    func scope(of verb: RequestVerb) throws(ReplyError) -> RoleTable.Scope {
        guard let scope = asker.scope(of: verb) else {
            throw .notAuthorised("a \(asker.role.rawValue) may not ask \(verb.rawValue); docs/roles.md says who may")
        }
        return scope
    }

    /// The request as it is answered: a member's is about the own person, whether it says so or not.
    func admitted(_ request: HistoryRequest) throws(ReplyError) -> HistoryRequest {
        guard try scope(of: request.verb) == .own else { return request }
        var request = request
        switch request.verb.row.own {
        case .named: break
        case .person: request.person = request.person ?? asker.person
        case .personAlone:
            guard request.device == nil || request.device == asker.user else {
                throw .notAuthorised("workouts are told of people: leave 'device' out, and ask about yourself")
            }
            if request.device == nil { request.person = request.person ?? asker.person }
            if let id = request.workout, let subject = WorkoutID(id)?.subject {
                // Whether others have such a workout is not told.
                guard subject.isPerson ? subject.person == asker.person : subject.device == asker.user else {
                    throw .unknownWorkout
                }
            }
        case .device:
            guard request.device == nil || request.device == asker.user else {
                throw .notAuthorised(
                    "only the device of your own name can be meant, '\(asker.user.map { "\($0)" } ?? "")'")
            }
            let person = request.config?["person"]?.string
            guard person == nil || person == asker.person else {
                throw .notAuthorised("a device of yours is nobody else's: leave 'person' out of 'config'")
            }
        }
        guard request.person == nil || request.person == asker.person else {
            throw .notAuthorised("you can ask only about yourself" + (asker.person.map { ", '\($0)'" } ?? ""))
        }
        return request
    }

    /// Throws unless the asker may read these minutes of a device.
    func permit(
        _ record: SubjectRecord, _ minutes: Range<Int64>, for verb: RequestVerb, nowMinute: Int64
    ) async throws {
        switch asker.scope(of: verb) {
        case .all: return
        case .own:
            // Of people only the own one is asked for: see `admitted`.
            guard let device = record.device, device != asker.user else { return }
            let own = try await minutesOfAsker(on: record, in: minutes)
            guard !RangeSet(minutes).subtracting(own).isEmpty else { return }
            let last = try await minutesOfAsker(on: record).ranges.last.map { range in
                let start = TimePoint.instant(seconds: Double(range.lowerBound) * 60).text
                let end = TimePoint.instant(seconds: Double(range.upperBound) * 60).text
                return range.upperBound > nowMinute
                    ? "; ask from \(start) on" : "; ask from \(start) to \(end), or for 'people' with your name"
            }
            throw ReplyError.notAuthorised("\(device) was not yours for all of that time" + (last ?? ""))
        case nil: throw ReplyError.notAuthorised("\(verb.rawValue) is not answered to you")
        }
    }

    /// Throws unless the asker may know what a device is.
    func permitDescription(of record: SubjectRecord, nowMinute: Int64) async throws {
        let isOwn = asker.scope(of: .capabilities) == .own
        if isOwn, try await !minutesOfAsker(on: record).isEmpty { return }
        try await permit(record, nowMinute..<nowMinute + 1, for: .capabilities, nowMinute: nowMinute)
    }

    /// The minutes of a device that the asking member may read, of some or of all.
    private func minutesOfAsker(
        on record: SubjectRecord, in minutes: Range<Int64> = DayCalendar.minutes
    ) async throws(HistoryError) -> RangeSet<Int64> {
        guard let person = asker.person, let device = record.device else { return RangeSet() }
        let owned = try await store.assignments(of: person, in: minutes)
        return RangeSet(owned.lazy.filter { $0.device == device }.map(\.minutes))
    }

    /// The devices that an asker with `own` rights sees, with what is the asker's of each.
    func ownDevices() async throws -> [DeviceEntry] {
        let owned = if let person = asker.person { try await store.assignments(of: person) } else { [Assignment]() }
        var minutes = Dictionary(grouping: owned, by: \.device).mapValues { RangeSet($0.map(\.minutes)) }
        if let user = asker.user { minutes[user] = RangeSet(DayCalendar.minutes) }
        var entries: [DeviceEntry] = []
        for (name, minutes) in minutes.sorted(by: { $0.key < $1.key }) {
            try keepGoing()
            guard let record = try await store.device(name) else { continue }
            let entry = try await self.entry(of: record, in: minutes)
            if let entry { entries.append(entry) }
        }
        return entries
    }

    /// A device with what it counted in some minutes; nil where there are none, or it has no data.
    private func entry(of record: SubjectRecord, in minutes: RangeSet<Int64>) async throws -> DeviceEntry? {
        guard let first = minutes.ranges.first, let last = minutes.ranges.last,
            let firstKnown = record.firstMinute, let lastKnown = record.lastMinute,
            var entry = DeviceEntry(record, defaultZone: defaultZone)
        else { return nil }
        // The minutes of a phone that was never anybody else's are years.
        if RangeSet(firstKnown..<max(firstKnown, lastKnown) + 1).subtracting(minutes).isEmpty { return entry }
        var counts = Counts()
        if lastKnown >= first.lowerBound {
            for sum in try await store.sums(of: record.subject, in: minutes.ranges.map(\.self)) { counts += sum.counts }
        }
        entry.steps = UInt64(clamping: counts.steps)
        entry.revolutions = UInt64(clamping: counts.revolutions)
        entry.firstT = max(entry.firstT, Double(first.lowerBound) * 60)
        entry.lastT = max(entry.firstT, min(entry.lastT, Double(last.upperBound) * 60))
        return entry
    }

    /// Why a member may not check in so; nil if it may be.
    func refusal(
        ofCheckIn assignment: Assignment, in situation: CheckInSituation, nowMinute: Int64
    ) -> ReplyError? {
        guard asker.scope(of: .peopleCheckin) == .own, assignment.device != asker.user else { return nil }
        let minutes = assignment.minutes
        // One of tomorrow would keep everybody else off the device from today on. The present second is in the minute before.
        guard (nowMinute - Self.maximumLateCheckInMinutes...nowMinute + 1).contains(minutes.lowerBound) else {
            return .notAuthorised(
                "a check-in begins now or at most \(Self.maximumLateCheckInMinutes) minutes ago; for another one ask an "
                    + "operator")
        }
        guard situation.otherDevices < Self.maximumHeldDevices else {
            return .notAuthorised(
                "you have \(situation.otherDevices) devices already: check out of one of them first ('people' lists them)"
            )
        }
        let others = situation.existing.filter { $0.person != assignment.person && $0.minutes.overlaps(minutes) }
        guard !situation.isMembers, !others.contains(where: { $0.origin == .config }) else {
            return .notAuthorised("\(assignment.device) is somebody's own")
        }
        // Who sits on a bike now ends the check-in of the one before, from now on.
        let isTaken = others.contains { other in
            other.minutes.lowerBound > nowMinute
                || other.minutes.overlaps(minutes.lowerBound..<max(minutes.lowerBound, nowMinute))
        }
        return isTaken
            ? .notAuthorised("\(assignment.device) was checked in to somebody else for some of that time") : nil
    }
}

extension ReplyError {
    /// The asker may not, for a reason that says what may be asked.
    static func notAuthorised(_ message: String) -> ReplyError { ReplyError(code: .notAuthorised, message: message) }
}
