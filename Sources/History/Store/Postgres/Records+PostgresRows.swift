import Wire

extension Counts {
    /// Reads `Counts.columns`, the first of which stands at an index.
    init(_ row: PostgresRow, from index: Int) throws {
        self.init()
        steps = try row.int(index)
        revolutions = try row.int(index + 1)
        distanceMillimetres = try row.int(index + 2)
        activeMilliseconds = try row.int(index + 3)
        coveredMilliseconds = try row.int(index + 4)
        floors = Floors(ascended: try row.optionalInt(index + 5), descended: try row.optionalInt(index + 6))
    }
}

extension DeviceRecord {
    /// Reads `DeviceRecord.columns`: a device and its number in the store; nil if the name in the table is none.
    static func read(_ row: PostgresRow) throws -> (id: Int64, record: DeviceRecord)? {
        let next = Counts.columnCount
        guard let device = try? DeviceID(row.text(next + 1)) else { return nil }
        var record = DeviceRecord(device: device)
        record.counts = try Counts(row, from: 0)
        record.settings = DeviceSettings(
            kind: try row.text(next + 2), placement: try row.optionalText(next + 3),
            zone: try row.optionalText(next + 4), dayStartMinutes: Int(clamping: try row.int(next + 5)))
        record.settings.knowsStepLength = try row.bool(next + 9)
        record.settings.knowsRevolutionLength = try row.bool(next + 10)
        record.settings.person = try row.optionalText(next + 11)
        record.compactedMinute = try row.int(next + 12)
        record.firstMinute = try row.optionalInt(next + 6)
        record.lastMinute = try row.optionalInt(next + 7)
        record.revision = try row.int(next + 8)
        return (try row.int(next), record)
    }
}

extension DayRecord {
    /// Reads `DayRecord.columns`.
    init(_ row: PostgresRow) throws {
        let next = Counts.columnCount
        let (start, end) = (try row.int(next + 2), try row.int(next + 3))
        self.init(
            date: LocalDate(dayNumber: Int(clamping: try row.int(next))), zone: try row.text(next + 1),
            minutes: start..<max(start, end), counts: try Counts(row, from: 0), revision: try row.int(next + 4))
    }
}

extension DayPeak {
    /// Reads `Counts.columns` and the date after them.
    init(_ row: PostgresRow) throws {
        let number = try row.int(Counts.columnCount)
        self.init(date: LocalDate(dayNumber: Int(clamping: number)), counts: try Counts(row, from: 0))
    }
}

extension CountSum {
    /// Reads `CountSum.columns`.
    init(_ row: PostgresRow) throws {
        self.init()
        counts = try Counts(row, from: 0)
        let next = Counts.columnCount
        cadenceIntegral = try row.double(next)
        cadenceSeconds = try row.int(next + 1)
        cadenceMinimum = try row.double(next + 2)
        cadenceMaximum = try row.double(next + 3)
        for index in activityMilliseconds.indices { activityMilliseconds[index] = try row.int(next + 4 + index) }
    }
}

extension LiveLease {
    /// Reads `LiveLease.columns`; nil if the table has words that are none of ours.
    init?(_ row: PostgresRow) throws {
        guard let device = try? DeviceID(row.text(0)), let counts = CountedKind(rawValue: try row.text(5)) else {
            return nil
        }
        let (text, number) = (try row.optionalText(3), try row.optionalInt(4))
        let offer = LeaseOffer(
            device: device, topic: Array(try row.text(1).utf8), correlationData: try row.optionalBytes(2),
            transaction: text.map { .text($0) } ?? number.map { .number($0) }, counts: counts, every: try row.int(6),
            startMinute: try row.int(7), leaseSeconds: try row.int(11))
        self.init(offer, counted: try row.int(8), nowSeconds: 0)
        reached = try row.int(9)
        sent = try row.int(10)
        expiresSeconds = try row.int(12)
        id = try row.int(13)
    }
}

extension Assignment {
    /// Reads `Assignment.columns`; nil if the table has words that are none of ours.
    init?(_ row: PostgresRow) throws {
        let (start, end) = (try row.int(2), try row.int(3))
        guard let device = try? DeviceID(row.text(1)),
            let origin = Origin(rawValue: Int(clamping: try row.int(4))), start <= end
        else { return nil }
        self.init(
            person: try row.text(0), device: device, minutes: start..<end, origin: origin,
            priority: try row.optionalInt(5).map { Int(clamping: $0) })
    }
}
