import Wire

/// A word in the store.
struct StoredWord: Equatable {
    var word: StepWord
    /// The life of the counter's store that it came from, and its number there.
    var epoch: Int64
    var revision: Int64

    init(_ row: WordRow) {
        word = row.word
        (epoch, revision) = (Int64(bitPattern: row.epoch), Int64(clamping: row.revision))
    }

    /// Whether it replaces another about the same stretch. A counter whose store is another one says what holds now.
    func replaces(_ other: StoredWord) -> Bool { epoch == other.epoch ? revision > other.revision : true }

    /// The same about a part of the stretch.
    func part(from start: Int64, to end: Int64, microSteps: Double) -> StoredWord? {
        let part = StepWord(
            start: start, end: end, microSteps: Int64(rounding: microSteps),
            micrometresPerStep: word.micrometresPerStep)
        guard let part else { return nil }
        var copy = self
        copy.word = part
        return copy
    }

    /// What is left outside of erased minutes, with its shares of the steps.
    func parts(outside erased: RangeSet<Int64>) -> [StoredWord] {
        let minutes = RangeSet(word.minutes).subtracting(erased)
        guard minutes != RangeSet(word.minutes) else { return [self] }
        return minutes.ranges.compactMap { range in
            let start = max(word.start, range.lowerBound * StepWord.minute)
            let end = min(word.end, range.upperBound * StepWord.minute)
            let share = Double(end - start) / Double(word.microseconds)
            return part(from: start, to: end, microSteps: Double(word.microSteps) * share)
        }
    }
}

extension StoredWord {
    static let table = SQLTable(
        name: "words", key: ["device", "is_long", "start_us", "end_us"],
        columns: ["micro_steps", "um_per_step", "epoch", "revision"])
    private static let columns = (["start_us", "end_us"] + table.columns).joined(separator: ", ")

    /// Words of up to an hour, in microseconds, and longer ones stand apart: of the many short ones only few need be looked
    /// at for those that share time with a minute.
    static let hour: Int64 = 3_600_000_000

    /// Its key.
    func key(device: Int64) -> [Int64] {
        [device, word.microseconds > Self.hour ? 1 : 0, word.start, word.end]
    }

    func values(device: Int64) -> [SQLValue] {
        key(device: device).map { .int($0) }
            + [.int(word.microSteps), .int(word.micrometresPerStep), .int(epoch), .int(revision)]
    }

    /// Reads `columns`; `nil` of what is no word.
    init?(_ row: inout SQLRow) throws(SQLColumnError) {
        let (start, end) = (try row.int(), try row.int())
        let (microSteps, perStep) = (try row.int(), try row.int())
        (epoch, revision) = (try row.int(), try row.int())
        guard let word = StepWord(start: start, end: end, microSteps: microSteps, micrometresPerStep: perStep)
        else { return nil }
        self.word = word
    }

    /// The words of a device with given keys.
    static func find(_ keys: [[Int64]], _ session: any SQLSession) throws -> [StoredWord?] {
        try session.find(columns, in: table, keys).map { row in
            guard var row else { return nil }
            return try StoredWord(&row)
        }
    }

    /// The words of a device that share time with a range, in microseconds.
    static func all(of device: Int64, around range: Range<Int64>, _ session: any SQLSession) throws -> [StoredWord] {
        try session.execute(overlapping(columns, device, range)).flatMap { try $0.rows.read { try StoredWord(&$0) } }
    }

    /// All that decides about a range: the words that share time with it, and those that share time with them.
    static func deciding(
        _ range: Range<Int64>, of device: Int64, _ session: any SQLSession
    ) throws -> [StepWord] {
        let inside = try all(of: device, around: range, session).map(\.word)
        let reach = inside.reduce(range) { min($0.lowerBound, $1.start)..<max($0.upperBound, $1.end) }
        return reach == range ? inside : try all(of: device, around: reach, session).map(\.word)
    }

    /// From the first to the last instant of the words that share time with each of some ranges, and of the range itself.
    static func reaches(
        of device: Int64, around ranges: [Range<Int64>], _ session: any SQLSession
    ) throws -> [Range<Int64>] {
        let found = try session.execute(ranges.flatMap { overlapping("min(start_us), max(end_us)", device, $0) })
        return try ranges.enumerated().map { index, range in
            try found[2 * index..<2 * index + 2].reduce(range) { reach, result in
                guard var row = result.rows.first, let start = try row.optionalInt(), let end = try row.optionalInt()
                else { return reach }
                return min(reach.lowerBound, start)..<max(reach.upperBound, end)
            }
        }
    }

    private static func overlapping(_ columns: String, _ device: Int64, _ range: Range<Int64>) -> [SQLStatement] {
        [(0, hour), (1, CountLimits.maximumIntervalMicroseconds)].map { isLong, longest in
            SQLStatement(
                """
                SELECT \(columns) FROM words
                WHERE device = $1 AND is_long = $2 AND start_us >= $3 AND start_us < $4 AND end_us > $5
                """,
                [
                    .int(device), .int(isLong), .int(range.lowerBound - longest), .int(range.upperBound),
                    .int(range.lowerBound),
                ])
        }
    }
}

/// Words whose time is over, or erased.
extension HistoryStore {
    /// Lets go of what was told of erased minutes, with the words that tell of nothing else. One that reaches out of them
    /// tells from now on of what is outside, and of the steps that stand there.
    static func eraseWords(of device: Int64, in minutes: Range<Int64>, _ session: any SQLSession) throws {
        let start = microseconds(minutes.lowerBound)
        let erased = start..<max(start, microseconds(minutes.upperBound))
        let across = try [erased.lowerBound, erased.upperBound].flatMap { border in
            try StoredWord.all(of: device, around: border..<border + 1, session).filter { $0.word.start < border }
        }
        var parts: [[Int64]: StoredWord] = [:]
        if let first = across.map(\.word.start).min(), let last = across.map(\.word.end).max() {
            let sweep = WordSweep(try StoredWord.deciding(first..<last, of: device, session))
            for word in across {
                for (start, end) in [(word.word.start, erased.lowerBound), (erased.upperBound, word.word.end)]
                where start < end {
                    let steps = sweep.amount(from: start, to: end).microSteps
                    guard let part = word.part(from: start, to: end, microSteps: steps) else { continue }
                    parts[part.key(device: device)] = part
                }
            }
        }
        _ = try session.execute(
            [(0, StoredWord.hour), (1, CountLimits.maximumIntervalMicroseconds)].map { isLong, longest in
                SQLStatement(
                    """
                    DELETE FROM words
                    WHERE device = $1 AND is_long = $2 AND start_us >= $3 AND start_us < $4 AND end_us > $5
                    """,
                    [
                        .int(device), .int(isLong), .int(erased.lowerBound - longest), .int(erased.upperBound),
                        .int(erased.lowerBound),
                    ])
            })
        let keys = Array(parts.keys)
        let known = try StoredWord.find(keys, session)
        let new = zip(keys, known).filter { $1 == nil }.compactMap { parts[$0.0]?.values(device: device) }
        try session.upsert(new, into: StoredWord.table)
    }

    /// Lets go of words that no kept minute depends on: they are about time before those that share time with it.
    static func compactWords(of device: Int64, keptFrom minute: Int64, _ session: any SQLSession) throws {
        let horizon = microseconds(minute) - 2 * CountLimits.maximumIntervalMicroseconds
        try session.change(
            "DELETE FROM words WHERE device = $1 AND is_long IN (0, 1) AND start_us < $2",
            [.int(device), .int(horizon)])
    }

    private static func microseconds(_ minute: Int64) -> Int64 {
        min(max(0, minute), DayCalendar.minutes.upperBound) * StepWord.minute
    }
}
