import ServiceKit
import Wire

extension HistoryAnswers {
    /// The most days whose minutes are merged again before a check-in is answered; the others are merged after it.
    static var maximumMergedDays: Int { 31 }

    /// `people`: who has which devices.
    func people(_ request: HistoryRequest, nowMinute: Int64) async throws -> PeopleData {
        let limit = Self.limit(of: request)
        let scope = asker.scope(of: .people)
        var data = PeopleData()
        let page: [String]
        switch scope {
        case .own: page = asker.person.map { [$0] } ?? []
        // One page: a cursor would be a person's own name.
        case .wall: page = try await store.people(atMinute: nowMinute, limit: limit)
        default:
            page = try await store.people(after: request.cursor, limit: limit)
            if page.count == limit { data.cursor = page.last }
        }
        let shown = try await store.shownPeople(page)
        let asked: Range<Int64>? =
            request.from == nil && request.to == nil
            ? nil : try RequestedRange(request, in: defaultZone, default: DayCalendar.minutes).minutes
        var rows = 0
        for person in page where scope != .wall || shown[person]?.isOnTheWall != false {
            try keepGoing()
            var assignments = try await store.assignments(
                of: person, in: asked ?? DayCalendar.minutes, limit: PayloadLimits.rowsAPage - 1)
            // The wall shows who is here now, by the name that they gave.
            if scope == .wall { assignments.removeAll { !$0.minutes.contains(nowMinute) } }
            if scope == .wall, assignments.isEmpty { continue }
            // Each check-in is a row, and that of the person another.
            rows += 1 + assignments.count
            if rows > PayloadLimits.rowsAPage, let last = data.people.last?.person {
                data.cursor = last
                break
            }
            let alias = shown[person]?.alias
            data.people.append(
                PersonEntry { entry in
                    entry.person = scope == .wall ? alias ?? person : person
                    entry.alias = scope == .wall ? nil : alias
                    entry.isOnTheWall = shown[person]?.isOnTheWall ?? true
                    entry.devices = assignments.map { assignment in
                        var data = AssignmentData(assignment)
                        data.person = entry.person
                        return data
                    }
                })
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
        let assignment = Assignment(
            person: person, device: device, minutes: range, priority: request.priority)
        let endsAnothers = try await store.assignments(of: device).contains { other in
            other.origin == .checkin && other.person != person && other.minutes.contains(nowMinute)
        }
        let refusal = try await store.assign(assignment) { situation in
            self.refusal(ofCheckIn: assignment, in: situation, nowMinute: nowMinute)
        }
        if let refusal { throw refusal }
        let merged = try await store.mergePeople(days: Self.maximumMergedDays, nowMinute: nowMinute)
        return .changedHands(merged, endsAnothers: endsAnothers, request.reply(AssignmentData(assignment)))
    }

    /// `people/configure`: the name by which others see a person, and whether the wall shows the person at all. What the
    /// request does not say stays as it is; an empty alias takes it away.
    func configurePerson(_ request: HistoryRequest) async throws -> ShownPersonData {
        let person = try Self.person(of: request)
        var shown = try await store.shownPeople([person])[person] ?? ShownPerson(person: person)
        if let alias = request.alias { shown.alias = alias.isEmpty || alias == person ? nil : alias }
        if let isOnTheWall = request.isOnTheWall { shown.isOnTheWall = isOnTheWall }
        switch try await store.keep(shown) {
        case nil: break
        case .taken:
            throw ReplyError(
                code: .badRequest,
                message: "'alias' is the name of somebody else, but for capitals and accents; choose another one")
        case .tooMany:
            throw ReplyError(
                code: .badRequest, message: "\(ShownPerson.maximumKept) people have settings; forget some of them first"
            )
        }
        return ShownPersonData {
            ($0.person, $0.alias, $0.isOnTheWall) = (person, shown.alias, shown.isOnTheWall)
        }
    }

    /// `people/forget`: what a person's devices counted while they were the person's is erased, and that they were.
    func erasePerson(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let person = try Self.person(of: request)
        let begun = try await store.begin(erasing: person, nowMinute: nowMinute)
        let minutes = await begun.days + carryOut(begun.erasures)
        try await store.finishErasing()
        let data = ForgetData { ($0.devices, $0.minutes) = (UInt64(begun.devices.count), UInt64(clamping: minutes)) }
        return .erased([.person(person)] + begun.devices.map { .device($0) }, request.reply(data))
    }

    /// `people/checkout`: a device belongs to no person from `to` on, or from now, until the next check-in.
    func checkOut(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let device = try Self.device(of: request)
        let calendar = try calendar(request, of: try await store.device(device)?.settings ?? DeviceSettings())
        let minute = request.to.map { RequestedRange.minute($0, in: calendar, .up) } ?? nowMinute + 1
        guard let ended = try await store.unassign(device, person: request.person, at: minute) else {
            throw ReplyError(code: .badRequest, message: "no person is checked in on \(device) then")
        }
        let merged = try await store.mergePeople(days: Self.maximumMergedDays, nowMinute: nowMinute)
        return .changedHands(merged, endsAnothers: false, request.reply(AssignmentData(ended)))
    }
}

extension AssignmentData {
    /// The payload of an assignment.
    init(_ assignment: Assignment) {
        let (first, end) = (assignment.minutes.lowerBound, assignment.minutes.upperBound)
        self.init()
        (person, device) = (assignment.person, assignment.device)
        if first != Assignment.always { from = Double(first) * 60 }
        if end != Assignment.forGood { to = Double(end) * 60 }
    }
}
