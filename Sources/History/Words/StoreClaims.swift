package import Wire

/// The claims of words on minutes.
///
/// A commit keeps words and makes the claims of the days of UTC anew that may be others now, from the words and from what
/// samples cover: the claims of a few days in the same transaction, those of many days a day a transaction, so that no commit
/// waits for many words. The steps that words claim of a minute stand in a row of its own beside the counters' rows.
extension StoreCommit {
    /// The epoch of the rows of claims: no counter's store has it.
    static let claimsEpoch: Int64 = 0
    /// The most words of a device that begin in one day of UTC: two a minute, and some.
    static let maximumWordsADay: Int64 = 3_000
    /// The days of devices whose claims are made anew in the commit that changes them.
    private static let maximumSettledDays = 4
    /// The minutes of a day of UTC. Fractions of steps add up within one.
    static let dayMinutes: Int64 = 1_440

    // MARK: - Words

    mutating func keep(_ rows: [WordRow]) throws {
        guard !rows.isEmpty else { return }
        var wanted: [(index: Int, word: StoredWord)] = []
        for row in rows {
            watch?.begin(row)
            guard let index = indices[.device(row.device)] else {
                outcome.refusedRows += 1
                continue
            }
            guard row.word.minutes.upperBound > entries[index].record.compactedMinute else {
                outcome.late[row.device, default: 0] += 1
                continue
            }
            let parts = StoredWord(row).parts(outside: entries[index].erased)
            if parts.isEmpty { outcome.erasedRows += 1 }
            wanted += parts.map { (index, $0) }
        }
        watch?.begin()
        var keys: [[Int64]] = []
        var seen: Set<[Int64]> = []
        for (index, word) in wanted {
            let key = word.key(device: entries[index].id)
            if seen.insert(key).inserted { keys.append(key) }
        }
        var known: [[Int64]: StoredWord] = [:]
        for (key, word) in zip(keys, try StoredWord.find(keys, session)) { known[key] = word }
        var changed: [Int: RangeSet<Int64>] = [:]
        var written: Set<[Int64]> = []
        for (index, word) in wanted {
            let key = word.key(device: entries[index].id)
            let old = known[key]
            guard old.map({ word.replaces($0) }) ?? true else {
                outcome.repeatedRows += 1
                continue
            }
            guard try old != nil || hasRoom(for: word.word, of: index) else {
                outcome.refusedRows += 1
                continue
            }
            known[key] = word
            written.insert(key)
            guard old?.word != word.word else {
                outcome.repeatedRows += 1
                continue
            }
            outcome.appliedRows += 1
            changed[index, default: RangeSet()].insert(contentsOf: word.word.start..<word.word.end)
        }
        try session.upsert(
            keys.filter { written.contains($0) }.compactMap { known[$0]?.values(device: $0[0]) }, into: StoredWord.table
        )
        for (index, ranges) in changed.sorted(by: { $0.key < $1.key }) { try noteChange(of: ranges, index) }
    }

    private mutating func hasRoom(for word: StepWord, of index: Int) throws -> Bool {
        let day = word.start / StepWord.minute / Self.dayMinutes
        let start = day * Self.dayMinutes * StepWord.minute
        let place = WordsDay(device: index, day: day)
        let count =
            try wordCounts[place] ?? session.number(
                "SELECT count(*) FROM words WHERE device = $1 AND is_long IN (0, 1) AND start_us >= $2 AND start_us < $3",
                [.int(entries[index].id), .int(start), .int(start + Self.dayMinutes * StepWord.minute)]) ?? 0
        guard count < Self.maximumWordsADay else { return false }
        wordCounts[place] = count + 1
        return true
    }

    /// Words of a device about some time are others: so are the claims of all minutes of which words that share time with
    /// it tell.
    private mutating func noteChange(of ranges: RangeSet<Int64>, _ index: Int) throws {
        let reaches = try StoredWord.reaches(of: entries[index].id, around: Array(ranges.ranges), session)
        for reach in reaches {
            let minutes = reach.lowerBound / StepWord.minute..<(reach.upperBound - 1) / StepWord.minute + 1
            noteDue(minutes, index)
        }
        let end = ranges.ranges.last.map { ($0.upperBound - 1) / StepWord.minute + 1 } ?? 0
        guard end > entries[index].record.wordsEndMinute else { return }
        entries[index].record.wordsEndMinute = end
        try session.change(
            "UPDATE subjects SET words_end_minute = $2 WHERE id = $1", [.int(entries[index].id), .int(end)])
    }

    mutating func noteDue(_ minutes: Range<Int64>, _ index: Int) {
        let minutes = minutes.clamped(to: entries[index].record.compactedMinute..<Int64.max)
        guard !minutes.isEmpty else { return }
        dueDays[index, default: RangeSet()].insert(
            contentsOf: minutes.lowerBound / Self.dayMinutes..<(minutes.upperBound - 1) / Self.dayMinutes + 1)
    }

    /// Makes the claims of due days anew where they are few: what samples cover and what words claimed of it before would be
    /// published together, as a total that never falls.
    mutating func settleDueDays() throws {
        let due = dueDays.flatMap { index, days in days.ranges.joined().map { (index, $0) } }.sorted { $0 < $1 }
        guard due.count > Self.maximumSettledDays else {
            for (index, day) in due { try settleWatched(day, index) }
            watch?.begin()
            return
        }
        _ = try session.execute(
            due.map { index, day in
                Self.due(day * Self.dayMinutes..<(day + 1) * Self.dayMinutes, of: entries[index].record.subject)
            })
    }

    // MARK: - Claims

    mutating func settleWatched(_ day: Int64, _ index: Int) throws {
        guard let device = entries[index].record.device, watch?.beginClaims(of: device, day) ?? true else { return }
        try settle(day, index)
        watch?.endClaims(of: device, day)
    }

    private mutating func settle(_ day: Int64, _ index: Int) throws {
        let (id, record) = (entries[index].id, entries[index].record)
        let minutes = (day * Self.dayMinutes..<(day + 1) * Self.dayMinutes)
            .clamped(to: record.compactedMinute..<Int64.max)
        guard !minutes.isEmpty else { return }
        let words = try StoredWord.deciding(
            minutes.lowerBound * StepWord.minute..<minutes.upperBound * StepWord.minute, of: id, session)
        let stored = try StoredMinutes(of: id, in: minutes, session)
        let erased = entries[index].erased
        let claims = ClaimedMinutes(WordSweep(words), in: minutes) { minute in
            erased.contains(minute) ? 0 : stored.openShare(of: minute)
        }
        let changes = stored.changes(to: claims)
        try loadDays(changes.map { (record.subject, $0.minute) })
        for change in changes { add(change.new - change.old, toMinute: change.minute, revision: 0, of: index) }
        try stored.write(changes, of: id, session)
        if let device = record.device { touched[device, default: []].formUnion(changes.map(\.minute)) }
    }
}

/// A device of a commit and a day of UTC.
struct WordsDay: Hashable {
    var device: Int
    var day: Int64
}

/// The steps that words claim of minutes: whole ones, which add up over each day of UTC, and over the days of a word that
/// spans several, to the steps that the words tell.
package struct ClaimedMinutes: Sendable {
    package private(set) var counts: [Int64: Counts] = [:]

    /// - Parameter openShare: The part of a minute that no samples cover, from 0 to 1.
    package init(_ sweep: WordSweep, in minutes: Range<Int64>, openShare: (Int64) -> Double) {
        var (microSteps, given, day) = (0.0, Int64(0), Int64.min)
        var place = sweep.place(of: minutes.lowerBound * StepWord.minute)
        for minute in minutes {
            if minute / StoreCommit.dayMinutes != day {
                day = minute / StoreCommit.dayMinutes
                // The steps before midnight of words that go on across it, so that the days of a word add up to its steps.
                let midnight = day * StoreCommit.dayMinutes * StepWord.minute
                microSteps = sweep.amount(from: sweep.start(across: midnight), to: midnight).microSteps
                given = Self.whole(microSteps)
            }
            let start = minute * StepWord.minute
            let amount = sweep.amount(from: start, to: start + StepWord.minute, &place)
            guard amount.microSteps > 0 else { continue }
            microSteps += amount.microSteps * openShare(minute)
            let due = Self.whole(microSteps)
            guard due > given else { continue }
            var counts = Counts()
            counts.steps = due - given
            counts.distanceMillimetres = Int64(
                rounding: Double(counts.steps) * amount.distance / amount.microSteps / 1_000)
            self.counts[minute] = counts
            given = due
        }
    }

    /// The nearest number of whole steps. In whole millionths first: what lies between two steps then does so by what was
    /// told, not by rounding.
    private static func whole(_ microSteps: Double) -> Int64 {
        (min(Int64(rounding: microSteps), .max - StepWord.micro) + StepWord.micro / 2) / StepWord.micro
    }
}

extension Int64 {
    /// The nearest whole number; the least or greatest of those beyond.
    init(rounding number: Double) {
        self = Int64(exactly: number.rounded()) ?? (number > 0 ? .max : number < 0 ? .min : 0)
    }
}

/// What the store has of the minutes of a device: the time that samples cover, and the claims.
private struct StoredMinutes {
    struct Change {
        var minute: Int64
        var old: Counts
        var new: Counts
        var revision: Int64
    }

    private var coveredMilliseconds: [Int64: Int64] = [:]
    private var claims: [Int64: (revision: Int64, counts: Counts)] = [:]

    init(of device: Int64, in minutes: Range<Int64>, _ session: any SQLSession) throws {
        let rows = try session.query(
            """
            SELECT minute, epoch, revision, \(Counts.columns.joined(separator: ", ")) FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3
            """, [.int(device), .int(minutes.lowerBound), .int(minutes.upperBound)])
        for var row in rows {
            let (minute, epoch, revision) = (try row.int(), try row.int(), try row.int())
            let counts = try Counts(&row)
            if epoch == StoreCommit.claimsEpoch {
                claims[minute] = (revision, counts)
            } else {
                coveredMilliseconds[minute, default: 0] += counts.coveredMilliseconds
            }
        }
    }

    /// The part of a minute that no samples cover.
    func openShare(of minute: Int64) -> Double {
        Double(max(0, 60_000 - (coveredMilliseconds[minute] ?? 0))) / 60_000
    }

    func changes(to claimed: ClaimedMinutes) -> [Change] {
        Set(claims.keys).union(claimed.counts.keys).sorted().compactMap { minute in
            let (old, new) = (claims[minute]?.counts ?? Counts(), claimed.counts[minute] ?? Counts())
            guard old != new else { return nil }
            return Change(minute: minute, old: old, new: new, revision: (claims[minute]?.revision ?? 0) + 1)
        }
    }

    func write(_ changes: [Change], of device: Int64, _ session: any SQLSession) throws {
        let (kept, gone) = (changes.filter { $0.new != Counts() }, changes.filter { $0.new == Counts() })
        try session.upsert(
            kept.map { change in
                var sum = CountSum()
                sum.counts = change.new
                return [
                    .int(device), .int(change.minute), .int(StoreCommit.claimsEpoch), .int(change.revision),
                ] + sum.values + [.bytes(nil)]
            }, into: StoreCommit.minutes)
        _ = try session.execute(
            gone.map {
                SQLStatement(
                    "DELETE FROM minutes WHERE subject = $1 AND minute = $2 AND epoch = $3",
                    [.int(device), .int($0.minute), .int(StoreCommit.claimsEpoch)])
            })
    }
}
