import ServiceKit
import Wire

extension HistoryAnswers {
    /// The most days whose minutes are merged again before a check-in is answered; the others are merged after it.
    static var maximumMergedDays: Int { 31 }

    /// `people`: who has which devices.
    func people(_ request: HistoryRequest, nowMinute: Int64) async throws -> Page<PersonEntry> {
        var data = Page<PersonEntry>()
        let page: [String]
        if asker.scope(of: .people) == .own {
            page = asker.person.map { [$0] } ?? []
        } else {
            let limit = Self.limit(of: request)
            page = try await store.people(after: request.cursor, limit: limit)
            if page.count == limit { data.cursor = page.last }
        }
        let profiles = try await store.profiles(of: page)
        let asked: Range<Int64>? =
            request.from == nil && request.to == nil
            ? nil : try RequestedRange(request, in: defaultZone, default: DayCalendar.minutes).minutes
        var rows = 0
        for person in page {
            try keepGoing()
            let assignments = try await store.assignments(
                of: person, in: asked ?? DayCalendar.minutes, limit: PayloadLimits.rowsAPage - 1)
            // Each check-in is a row, and that of the person another.
            rows += 1 + assignments.count
            if rows > PayloadLimits.rowsAPage, let last = data.rows.last?.person {
                data.cursor = last
                break
            }
            var entry = PersonEntry {
                ($0.person, $0.alias) = (person, profiles[person]?.alias)
                $0.devices = assignments.map { AssignmentData($0) }
            }
            if let goals = profiles[person]?.goals, goals != Goals() {
                let record = try await store.record(of: .person(person)) ?? SubjectRecord(.person(person))
                let day = try await store.day(of: record, at: nowMinute)
                entry.daySteps = goals.stepsPerDay.map { _ in UInt64(clamping: day.counts.steps) }
                entry.progress = try await store.progress(of: goals, record, on: day, nowMinute: nowMinute)
            }
            data.rows.append(entry)
        }
        return data
    }
}

extension HistoryAnswers {
    /// `people/checkin`: a device is a person's from `from`, or now, up to `to`, or for good. It ends what was so.
    func checkIn(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let device = try Self.device(of: request)
        let calendar = try calendar(request, of: try await store.device(device)?.settings ?? DeviceSettings())
        let person = try Self.person(of: request)
        // A minute is one person's: where a check-in cuts one, it begins with the next.
        let asked = try RequestedRange(request, in: calendar, default: nowMinute..<Assignment.forGood).minutes
        let start = request.from.map { RequestedRange.minute($0, in: calendar, .up) } ?? asked.lowerBound
        let range = start..<max(start, asked.upperBound)
        guard !range.isEmpty else {
            throw ReplyError(code: .badRequest, message: "'from' and 'to' are in the same minute")
        }
        let present = try await store.assignments(of: device, in: nowMinute..<nowMinute + 1).filter {
            $0.origin == .checkin
        }
        let assignment = Assignment(
            person: person, device: device, minutes: range, team: request.team?.isEmpty == false ? request.team : nil)
        let refusal = try await store.assign(assignment) { situation in
            self.refusal(ofCheckIn: assignment, in: situation, nowMinute: nowMinute)
        }
        if let refusal { throw refusal }
        let merged = try await store.makeDue(days: Self.maximumMergedDays, nowMinute: nowMinute)
        var answer = HistoryAnswer(request.reply(AssignmentData(assignment)), changed: merged?.changedSubjects ?? [])
        // Who ends the check-in of another person.
        answer.isOfNote = present.contains { $0.person != person }
        return answer
    }

    /// `people/configure`: the name under which the wall shows a person, where an empty one takes the person off it, what is
    /// known of the body, and the goals.
    func configurePerson(_ request: HistoryRequest) async throws -> HistoryAnswer {
        let person = try Self.person(of: request)
        let said = PersonProfile(alias: request.alias, body: request.body, goals: request.goals)
        guard said != PersonProfile() else {
            throw ReplyError(
                code: .badRequest,
                message: "'alias' is missing, and any goal; give the name on the wall, or an empty one for none")
        }
        if let born = request.body.born, born != 0,
            !(1_900...CivilDate.date(days: Int(clamping: Int64(clampingSeconds: nowSeconds) / 86_400)).year).contains(
                born)
        {
            throw ReplyError(
                code: .badRequest, message: "'born' is nobody's year: give one from 1900 to this, or 0 for none")
        }
        switch try await store.keep(said, of: person) {
        case .success(let profile):
            let data = ShownPersonData {
                ($0.person, $0.alias, $0.body, $0.goals) = (person, profile.alias, profile.body, profile.goals)
            }
            return HistoryAnswer(request.reply(data), changed: [.person(person)])
        case .failure(.aliasTaken):
            throw ReplyError(
                code: .badRequest,
                message: "'alias' is the name of somebody else, but for capitals and accents; choose another one")
        case .failure(.tooMany):
            throw ReplyError(
                code: .badRequest,
                message: "\(PersonProfile.maximumPeople) people have aliases or goals; take some away first")
        }
    }

    /// `people/forget`: what a person's devices counted while they were the person's is erased, and that they were.
    func erasePerson(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let person = try Self.person(of: request)
        let begun = try await store.begin(erasing: person, nowMinute: nowMinute)
        let erased = await carryOut(begun.erasures)
        let data = ForgetData {
            ($0.devices, $0.minutes) = (UInt64(begun.devices.count), UInt64(clamping: erased.minutes))
        }
        var answer = HistoryAnswer(request.reply(data), changed: erased.changed.union([.person(person)]))
        answer.hasErasures = true
        return answer
    }

    /// `people/checkout`: a device belongs to no person from `to` on, or from now, until the next check-in.
    func checkOut(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let device = try Self.device(of: request)
        let calendar = try calendar(request, of: try await store.device(device)?.settings ?? DeviceSettings())
        let minute = request.to.map { RequestedRange.minute($0, in: calendar, .up) } ?? nowMinute + 1
        guard let ended = try await store.unassign(device, person: request.person, at: minute) else {
            throw ReplyError(code: .badRequest, message: "no person is checked in on \(device) then")
        }
        let merged = try await store.makeDue(days: Self.maximumMergedDays, nowMinute: nowMinute)
        return HistoryAnswer(request.reply(AssignmentData(ended)), changed: merged?.changedSubjects ?? [])
    }
}

extension AssignmentData {
    /// The payload of an assignment.
    init(_ assignment: Assignment) {
        let (first, end) = (assignment.minutes.lowerBound, assignment.minutes.upperBound)
        self.init()
        (person, device, team) = (assignment.person, assignment.device, assignment.team)
        if first != Assignment.always { from = Double(first) * 60 }
        if end != Assignment.forGood { to = Double(end) * 60 }
    }
}
