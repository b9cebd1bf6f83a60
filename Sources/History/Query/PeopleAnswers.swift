import ServiceKit
import Wire

extension HistoryAnswers {
    static var maximumPeople: Int { 250 }
    /// The most devices of one person.
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
        return data.encodedJSON(request)
    }

    private func everybody(_ request: HistoryRequest, nowMinute: Int64) async throws -> PeopleData {
        let limit = min(request.limit ?? Self.maximumPeople, Self.maximumPeople)
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
        for person in page where scope != .wall || shown[person]?.isOnTheWall != false {
            var assignments = try await store.assignments(of: person)
            // The wall shows who is here now, by the name that they gave.
            if scope == .wall { assignments.removeAll { !$0.minutes.contains(nowMinute) } }
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
        let (sources, calendar) = try await subject(person, request)
        let bucket = request.bucket ?? .day
        let today = calendar.date(ofMinute: nowMinute)
        let week = calendar.startMinute(of: today.advanced(by: 1 - Self.defaultDays))
        let range = try Self.page(
            of: try RequestedRange(
                request, in: calendar, default: week..<calendar.minutes(of: today).upperBound
            ).minutes, cursor: request.cursor)
        try permitToday(range, by: calendar, request.verb, nowMinute: nowMinute)
        let (ranges, end) = try Self.mergeable(request, range, bucket, calendar)
        var buckets: [PersonBucket] = []
        for range in ranges { buckets.append(try await self.bucket(sources, range)) }
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
        let limit = min(request.limit ?? maximumBuckets, maximumBuckets)
        let reach = range.lowerBound..<min(range.upperBound, range.lowerBound + maximumMergedMinutes)
        var ranges = calendar.buckets(bucket, in: range, limit: limit).filter { $0.upperBound <= reach.upperBound }
        if ranges.isEmpty, !reach.isEmpty { ranges = [reach] }
        let end = ranges.last?.upperBound ?? range.upperBound
        guard request.limit != nil || end >= range.upperBound else {
            throw ReplyError(
                code: .tooLarge,
                message: "more than \(maximumBuckets) buckets or \(maximumMergedMinutes / 1440) days of one person; "
                    + "ask for less time, or for pages with 'limit'")
        }
        return (ranges, end)
    }

    /// The person's devices by priority, and the calendar of the request's zone or, without one, of the first device.
    func subject(
        _ person: String, _ request: HistoryRequest
    ) async throws -> (sources: [PersonSource], calendar: DayCalendar) {
        let records = try await records(of: person)
        let sources = PersonSource.ordered(records.compactMap(\.source))
        let first = sources.first.flatMap { first in records.first { $0.record.device == first.device }?.record }
        return (sources, try calendar(request, of: first?.settings ?? DeviceSettings()))
    }

    private func records(of person: String) async throws -> [(record: DeviceRecord, source: PersonSource?)] {
        let devices = Set(try await store.assignments(of: person).map(\.device)).sorted()
        guard devices.count <= Self.maximumSources else {
            throw ReplyError(code: .tooLarge, message: "more than \(Self.maximumSources) devices of one person")
        }
        var records: [(record: DeviceRecord, source: PersonSource?)] = []
        for device in devices {
            let record = try await store.device(device) ?? DeviceRecord(device: device)
            let assignments = try await store.assignments(of: device)
            records.append((record, PersonSource(record, person: person, assignments: assignments)))
        }
        return records
    }

    private func bucket(_ sources: [PersonSource], _ range: Range<Int64>) async throws -> PersonBucket {
        var merger = SourceMerger(sources)
        for minute in try await minutes(of: sources, in: range) { merger.add(minute.sums, minutes: minute.length) }
        return merger.bucket(start: Double(range.lowerBound) * 60)
    }

    /// What a person's devices counted in the minutes of a range, in order. Where one of them has only hours, all are
    /// put together by hours: else an hour of one would stand beside the minutes of another.
    func minutes(
        of sources: [PersonSource], in range: Range<Int64>
    ) async throws -> [(minute: Int64, length: Int64, sums: [(source: Int, sum: CountSum)])] {
        let compacted = sources.map(\.compactedMinute).max() ?? 0
        var minutes: [Int64: [Int: CountSum]] = [:]
        for (index, source) in sources.enumerated() {
            for part in source.minutes.ranges.map({ $0.clamped(to: range) }) where !part.isEmpty {
                for row in try await store.minutes(of: source.device, in: part, limit: part.count) {
                    let key = row.minute < compacted ? row.minute - row.minute % 60 : row.minute
                    minutes[key, default: [:]][index, default: CountSum()] += row.sum
                }
            }
        }
        return minutes.sorted { $0.key < $1.key }.map { minute, sums in
            (
                minute, minute < compacted ? 60 : 1,
                sums.sorted { $0.key < $1.key }.map { (source: $0.key, sum: $0.value) }
            )
        }
    }
}

extension HistoryAnswers {
    /// `people/checkin`: a device is a person's from `from`, or now, up to `to`, or for good. It ends what was so.
    func checkIn(_ request: HistoryRequest, nowMinute: Int64) async throws -> AssignmentData {
        let (record, calendar) = try await subject(of: request)
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        // A minute is one person's: where a check-in cuts one, it begins with the next.
        let asked = try RequestedRange(request, in: calendar, default: nowMinute..<Assignment.forGood).minutes
        let start = request.from.map { RequestedRange.minute($0, in: calendar, .up) } ?? asked.lowerBound
        let range = start..<max(start, asked.upperBound)
        guard !range.isEmpty else {
            throw ReplyError(code: .badRequest, message: "'from' and 'to' are in the same minute")
        }
        let assignment = Assignment(
            person: person, device: record.device, minutes: range, priority: request.priority)
        let refusal = try await store.assign(assignment) { existing, isMembers in
            self.refusal(ofCheckIn: assignment, among: existing, isSomebodys: isMembers, nowMinute: nowMinute)
        }
        if let refusal { throw refusal }
        return AssignmentData(assignment)
    }

    /// `people/configure`: the name by which others see a person, and whether the wall shows the person at all. What the
    /// request does not say stays as it is; an empty alias takes it away.
    func configurePerson(_ request: HistoryRequest) async throws -> ShownPersonData {
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        var shown = try await store.shownPeople([person])[person] ?? ShownPerson(person: person)
        if let alias = request.alias { shown.alias = alias.isEmpty || alias == person ? nil : alias }
        if let isOnTheWall = request.isOnTheWall { shown.isOnTheWall = isOnTheWall }
        guard try await store.keep(shown) else {
            throw ReplyError(code: .badRequest, message: "'alias' is the name of somebody else; choose another one")
        }
        return ShownPersonData {
            ($0.person, $0.alias, $0.isOnTheWall) = (person, shown.alias, shown.isOnTheWall)
        }
    }

    /// `people/forget`: what a person's devices counted while they were the person's is erased, and that they were.
    func erasePerson(
        _ request: HistoryRequest, nowMinute: Int64
    ) async throws -> (devices: [DeviceID], data: ForgetData) {
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        let devices = Set(try await store.assignments(of: person).map(\.device)).sorted()
        var erasures: [Erasure] = []
        for device in devices {
            let owned = DeviceOwnership.minutes(of: person, in: try await store.assignments(of: device))
            // The next person with the device begins after what there is of it.
            let last = max(try await store.device(device)?.lastMinute ?? 0, nowMinute)
            for range in owned.ranges.map({ $0.clamped(to: 0..<last + 1) }) where !range.isEmpty {
                erasures.append(Erasure(device: device, minutes: range, isWhole: false))
            }
        }
        let minutes = try await carryOut(erasures, person: person)
        return (devices, ForgetData { ($0.devices, $0.minutes) = (UInt64(devices.count), minutes) })
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
