import ServiceKit
import Wire

extension HistoryAnswers {
    /// The most devices that one person has in the time that is asked for.
    static var maximumSources: Int { 32 }
    /// The most minutes that one reply about a person is merged from: the longest month and a day.
    static var maximumMergedMinutes: Int64 { 32 * 1440 }

    /// `people`: who has which devices; with `person`, the merged totals of the person's devices.
    func people(_ request: HistoryRequest, nowMinute: Int64) async throws -> [UInt8] {
        guard let name = request.person else {
            return try await everybody(request, nowMinute: nowMinute).encodedJSON()
        }
        var data = try await merged(
            try await person(named: name, for: request.verb), request, nowMinute: nowMinute)
        data.person = name
        return data.encodedJSON()
    }

    private func everybody(_ request: HistoryRequest, nowMinute: Int64) async throws -> PeopleData {
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

    /// Buckets of a person's merged totals, days without `bucket`, by the calendar of the zone: that of the request, or
    /// that of the device of highest priority. Without `from` the last seven days; without `to` up to and with
    /// today.
    private func merged(_ person: String, _ request: HistoryRequest, nowMinute: Int64) async throws -> PersonData {
        let (sources, calendar, home) = try await subject(person, request, nowMinute: nowMinute)
        let bucket = request.bucket ?? .day
        let today = calendar.date(ofMinute: nowMinute)
        let week = calendar.startMinute(of: today.advanced(by: 1 - Self.defaultDays))
        let range = try Self.page(
            of: try RequestedRange(
                request, in: calendar, default: week..<calendar.minutes(of: today).upperBound
            ).minutes, cursor: request.cursor)
        try permitToday(range, by: home, request.verb, nowMinute: nowMinute)
        try Self.refuse(bucket, of: range, before: sources.map(\.compactedMinute).max() ?? 0)
        let (ranges, end) = try Self.mergeable(request, range, bucket, calendar)
        guard let buckets = try await store.merged(person, sources, in: ranges, unless: isOver) else {
            throw HistoryError.overtime
        }
        return PersonData {
            ($0.person, $0.zone) = (person, calendar.zone)
            ($0.bucket, $0.buckets) = (bucket, buckets)
            if end < range.upperBound { $0.cursor = "\(end)" }
        }
    }

    /// As many buckets as may be merged for one reply. What is more is an error, or the next page where a limit was
    /// given.
    private static func mergeable(
        _ request: HistoryRequest, _ range: Range<Int64>, _ bucket: Bucket, _ calendar: DayCalendar
    ) throws(ReplyError) -> (ranges: [Range<Int64>], end: Int64) {
        let limit = limit(of: request)
        let reach = range.lowerBound..<min(range.upperBound, range.lowerBound + maximumMergedMinutes)
        var ranges = calendar.buckets(bucket, in: range, limit: limit).filter { $0.upperBound <= reach.upperBound }
        if ranges.isEmpty, !reach.isEmpty { ranges = [reach] }
        let end = ranges.last?.upperBound ?? range.upperBound
        guard request.limit != nil || end >= range.upperBound else {
            throw .tooLarge("the buckets of a \(bucket.rawValue) of more than \(maximumMergedMinutes / 1440) days")
        }
        return (ranges, end)
    }

    /// The devices that were the person's in the time that is asked for, by priority; the calendar of the request's zone or,
    /// without one, of the first device; and in any case that of the first device.
    func subject(
        _ person: String, _ request: HistoryRequest, nowMinute: Int64
    ) async throws -> (sources: [PersonSource], calendar: DayCalendar, home: DayCalendar) {
        let records = try await records(of: person, near: asked(request, nowMinute: nowMinute))
        let sources = records.compactMap(\.source).sorted()
        let first = sources.first.flatMap { first in records.first { $0.record.device == first.device }?.record }
        let settings = first?.settings ?? DeviceSettings()
        return (sources, try calendar(request, of: settings), DayCalendar(settings, defaultZone: defaultZone))
    }

    /// The time that a request is about in whatever zone: its own may be known only by the devices.
    private func asked(_ request: HistoryRequest, nowMinute: Int64) throws(ReplyError) -> Range<Int64> {
        let (reach, week) = (Int64(DayAggregator.reachDays) * 1440, Int64(Self.defaultDays) * 1440)
        // In a zone ahead of the default one the date of today begins later than now does here.
        let range = try RequestedRange(request, in: defaultZone, default: nowMinute - week..<nowMinute + reach).minutes
        return range.lowerBound - reach..<range.upperBound + reach
    }

    private func records(
        of person: String, near asked: Range<Int64>
    ) async throws -> [(record: DeviceRecord, source: PersonSource?)] {
        let all = try await store.assignments(of: person)
        var devices = Set(all.lazy.filter { $0.minutes.overlaps(asked) }.map(\.device)).sorted()
        // Whoever had none then is answered by the calendar of a device of another time.
        if devices.isEmpty { devices = Array(Set(all.suffix(1).map(\.device))) }
        guard devices.count <= Self.maximumSources else {
            throw ReplyError(
                code: .tooLarge,
                message: "more than \(Self.maximumSources) devices of one person in that time; ask for less time")
        }
        var records: [(record: DeviceRecord, source: PersonSource?)] = []
        for device in devices {
            let record = try await store.device(device) ?? DeviceRecord(device: device)
            let assignments = try await store.assignments(of: device)
            records.append((record, PersonSource(record, person: person, assignments: assignments)))
        }
        return records
    }
}

extension HistoryAnswers {
    /// `people/checkin`: a device is a person's from `from`, or now, up to `to`, or for good. It ends what was so.
    func checkIn(_ request: HistoryRequest, nowMinute: Int64) async throws -> AssignmentData {
        let (record, calendar) = try await subject(of: request)
        let person = try Self.person(of: request)
        // A minute is one person's: where a check-in cuts one, it begins with the next.
        let asked = try RequestedRange(request, in: calendar, default: nowMinute..<Assignment.forGood).minutes
        let start = request.from.map { RequestedRange.minute($0, in: calendar, .up) } ?? asked.lowerBound
        let range = start..<max(start, asked.upperBound)
        guard !range.isEmpty else {
            throw ReplyError(code: .badRequest, message: "'from' and 'to' are in the same minute")
        }
        let assignment = Assignment(
            person: person, device: record.device, minutes: range, priority: request.priority)
        let refusal = try await store.assign(assignment) { situation in
            self.refusal(ofCheckIn: assignment, in: situation, nowMinute: nowMinute)
        }
        if let refusal { throw refusal }
        return AssignmentData(assignment)
    }

    /// True if a check-in would end the check-in of another person.
    func endsAnothers(_ request: HistoryRequest, nowMinute: Int64) async throws -> Bool {
        guard let device = request.device else { return false }
        return try await store.assignments(of: device).contains { other in
            other.origin == .checkin && other.person != request.person && other.minutes.contains(nowMinute)
        }
    }

    /// `people/configure`: the name by which others see a person, and whether the wall shows the person at all. What the
    /// request does not say stays as it is; an empty alias takes it away.
    func configurePerson(_ request: HistoryRequest) async throws -> ShownPersonData {
        let person = try Self.person(of: request)
        var shown = try await store.shownPeople([person])[person] ?? ShownPerson(person: person)
        if let alias = request.alias { shown.alias = alias.isEmpty || alias == person ? nil : try Self.readable(alias) }
        if let isOnTheWall = request.isOnTheWall { shown.isOnTheWall = isOnTheWall }
        switch try await store.keep(shown) {
        case nil: break
        case .taken:
            throw ReplyError(
                code: .badRequest, message: "'alias' is the name of somebody else, or looks like it; choose another one"
            )
        case .tooMany:
            throw ReplyError(
                code: .badRequest, message: "\(ShownPerson.maximumKept) people have settings; forget some of them first"
            )
        }
        return ShownPersonData {
            ($0.person, $0.alias, $0.isOnTheWall) = (person, shown.alias, shown.isOnTheWall)
        }
    }

    /// An alias, if all of it can be read.
    private static func readable(_ alias: String) throws(ReplyError) -> String {
        guard !NameSkeleton(alias).isEmpty else {
            throw ReplyError(code: .badRequest, message: "'alias' has nothing that is seen")
        }
        return alias
    }

    /// `people/forget`: what a person's devices counted while they were the person's is erased, and that they were.
    func erasePerson(
        _ request: HistoryRequest, nowMinute: Int64
    ) async throws -> (devices: [DeviceID], data: ForgetData) {
        let person = try Self.person(of: request)
        let begun = try await store.begin(forgetting: person, nowMinute: nowMinute)
        let minutes = await begun.days + carryOut(begun.erasures)
        return (
            begun.devices,
            ForgetData { ($0.devices, $0.minutes) = (UInt64(begun.devices.count), UInt64(clamping: minutes)) }
        )
    }

    /// `people/checkout`: a device belongs to no person from `to` on, or from now, until the next check-in.
    func checkOut(_ request: HistoryRequest, nowMinute: Int64) async throws -> AssignmentData {
        let (record, calendar) = try await subject(of: request)
        let minute = request.to.map { RequestedRange.minute($0, in: calendar, .up) } ?? nowMinute + 1
        guard let ended = try await store.unassign(record.device, person: request.person, at: minute) else {
            throw ReplyError(code: .badRequest, message: "no person is checked in on \(record.device) then")
        }
        return AssignmentData(ended)
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
