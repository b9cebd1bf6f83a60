import Wire

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
    static func pruneWords(of device: Int64, keptFrom minute: Int64, _ session: any SQLSession) throws {
        let horizon = microseconds(minute) - 2 * CountLimits.maximumIntervalMicroseconds
        try session.change(
            "DELETE FROM words WHERE device = $1 AND is_long IN (0, 1) AND start_us < $2",
            [.int(device), .int(horizon)])
    }

    static func hasDueClaims(_ device: Int64, before minute: Int64, _ session: any SQLSession) throws -> Bool {
        try session.number(
            "SELECT 1 FROM due_claims WHERE device = $1 AND day < $2 LIMIT 1",
            [.int(device), .int((minute + StoreCommit.dayMinutes - 1) / StoreCommit.dayMinutes)]) != nil
    }

    private static func microseconds(_ minute: Int64) -> Int64 {
        min(max(0, minute), DayCalendar.minutes.upperBound) * StepWord.minute
    }
}
