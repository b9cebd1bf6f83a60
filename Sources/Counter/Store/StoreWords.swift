import GRDB
package import Wire

/// What of a commit changed nothing, of one device.
package struct StoringOutcome: Sendable, Equatable {
    package var device: DeviceID
    package var repeated: UInt64 = 0
    package var overlapped: UInt64 = 0
    /// Words that were not kept: with those around them they say more than anybody makes.
    package var implausible: UInt64 = 0
    /// Words, and counts of minutes, of a time that was forgotten.
    package var forgotten: UInt64 = 0
}

extension DeviceCounter {
    /// Takes back what was said before the store had looked at it.
    mutating func note(_ outcome: StoringOutcome) {
        selfCounting.uncounted[Int(Uncounted.repeated.rawValue)] &+= outcome.repeated
        selfCounting.uncounted[Int(Uncounted.overlapped.rawValue)] &+= outcome.overlapped
        selfCounting.uncounted[Int(Uncounted.forgotten.rawValue)] &+= outcome.forgotten
        let repeated = min(sequence.counts.accepted, outcome.repeated)
        sequence.counts.accepted -= repeated
        sequence.counts.duplicate &+= repeated
        guard outcome.implausible > 0 else { return }
        health.refuseImplausible(
            "intervals within one second said more steps than anybody makes: what is beyond adds nothing")
    }
}

/// What devices said of stretches of time, for history: the counter passes it on as it came.
extension CounterStore {
    /// Keeps words in their order: a later one about the same stretch replaces the earlier one, and the same once more
    /// changes nothing.
    static func keep(
        _ words: [WordRow], _ outcomes: inout [DeviceID: StoringOutcome], _ db: Database
    ) throws {
        guard !words.isEmpty else { return }
        var revision = try meta("revision", db)
        let upsert = try db.cachedStatement(
            sql: """
                INSERT INTO words VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (device, start, end) DO UPDATE
                SET micro_steps = excluded.micro_steps, um_per_step = excluded.um_per_step, revision = excluded.revision
                WHERE micro_steps <> excluded.micro_steps OR um_per_step <> excluded.um_per_step
                """)
        for row in try remembered(words, &outcomes, db, { ($0.device, $0.word.minutes) }) {
            let (device, word, id) = (row.device, row.word, row.device.description)
            guard try !isBeyondPace(word, of: id, db) else {
                outcomes[device, default: StoringOutcome(device: device)].implausible += 1
                continue
            }
            try upsert.execute(
                arguments: [id, word.start, word.end, word.microSteps, word.micrometresPerStep, revision + 1])
            guard db.changesCount > 0 else {
                outcomes[device, default: StoringOutcome(device: device)].repeated += 1
                continue
            }
            revision += 1
            if try isToldMoreFinely(word, of: id, db) {
                outcomes[device, default: StoringOutcome(device: device)].overlapped += 1
            }
        }
        try setMeta("revision", revision, db)
    }

    /// Whether words of less than a second say more about the time around one than anybody makes, though each may be true.
    private static func isBeyondPace(_ word: StepWord, of id: String, _ db: Database) throws -> Bool {
        let second = Allowance.shortestStretchMicroseconds
        guard word.microseconds < second else { return false }
        let others = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT sum(micro_steps) FROM words WHERE device = ?1 AND start > ?2 AND start < ?3
                        AND end - start < ?4 AND NOT (start = ?5 AND end = ?6)
                    """), arguments: [id, word.start - second, word.start + second, second, word.start, word.end])
        return !Allowance.allowsSteps(micro: (others ?? 0) + word.microSteps, in: 2 * second)
    }

    /// The most words that are looked through for what they say within another.
    private static let maximumInnerWords = 1_500

    private static func isToldMoreFinely(_ word: StepWord, of id: String, _ db: Database) throws -> Bool {
        let inner = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT start, end, micro_steps FROM words WHERE device = ?1 AND start >= ?2 AND start < ?3 AND end <= ?3
                        AND (start > ?2 OR end < ?3) LIMIT ?4
                    """), arguments: [id, word.start, word.end, maximumInnerWords])
        return word.isToldMoreFinely(by: inner.compactMap { StepWord(start: $0[0], end: $0[1], microSteps: $0[2]) })
    }

    /// Lets go of the words that lie in a range of minutes. Of those that reach out of it history takes what is outside.
    static func forgetWords(of id: String, in minutes: Range<Int64>, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM words WHERE device = ? AND start >= ? AND end <= ?",
            arguments: [id, microseconds(ofMinute: minutes.lowerBound), microseconds(ofMinute: minutes.upperBound)])
    }

    static func microseconds(ofMinute minute: Int64) -> Int64 {
        let (product, overflow) = minute.multipliedReportingOverflow(by: MinuteIncrement.minuteMicroseconds)
        return overflow ? minute < 0 ? .min : .max : product
    }
}

extension WordRow {
    /// A row of `CounterSchema.wordsAfter`.
    init?(row: Row, epoch: UInt64) {
        guard let device = try? DeviceID(row[0] as String),
            let word = StepWord(start: row[1], end: row[2], microSteps: row[3], micrometresPerStep: row[4])
        else { return nil }
        self.init(device: device, word: word, epoch: epoch, revision: UInt64(bitPattern: row[5] as Int64))
    }
}

extension StepWord {
    /// True where words within it, of which no two share time, say as many steps or more.
    package func isToldMoreFinely(by inner: [StepWord]) -> Bool {
        guard microSteps > 0 else { return false }
        // The most that words say which end by each of their ends.
        var most: [(end: Int64, microSteps: Int64)] = [(start, 0)]
        for word in inner.sorted(by: { $0.end < $1.end }) {
            let before = most.last { $0.end <= word.start }?.microSteps ?? 0
            most.append((word.end, max(before + word.microSteps, most[most.count - 1].microSteps)))
        }
        return most[most.count - 1].microSteps >= microSteps
    }
}
