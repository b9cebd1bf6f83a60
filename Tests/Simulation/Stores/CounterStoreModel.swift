import Counter
import History
import Wire

/// What `CounterStore` keeps and promises, in memory: states, minute rows and what history has of them, each commit whole or not at all.
struct CounterStoreModel {
    struct Row {
        var sum: MinuteIncrement
        /// What the device said that it had counted itself.
        var told: MinuteIncrement
        var revision: UInt64
        /// What was added since the last batch that history's broker took: what a counter of differences would send.
        var unsent: MinuteIncrement
    }

    let epoch: UInt64 = 0x5eed
    /// Rows of one message, few so that it takes several.
    static let maximumRows = 2

    private(set) var revision: UInt64 = 0
    private(set) var states: [DeviceID: [UInt8]] = [:]
    private(set) var rows: [MinuteKey: Row] = [:]
    /// What devices said of stretches of time.
    private(set) var words: [WordKey: WordRow] = [:]

    struct WordKey: Hashable {
        var device: DeviceID
        var start: Int64
        var end: Int64
    }
    private(set) var published: UInt64 = 0
    private(set) var configs: [DeviceID: [UInt8]] = [:]
    var progress = LogProgress()

    /// Makes a commit durable.
    @discardableResult
    mutating func commit(_ commit: CounterCommit) -> [WordOutcome] {
        progress = commit.progress ?? progress
        keep(states: commit.states)
        for increment in commit.increments { add(increment) }
        for config in commit.configs { configs[config.device] = config.json.isEmpty ? nil : config.json }
        return commit.words.compactMap { take($0) }
    }

    private mutating func take(_ row: WordRow) -> WordOutcome? {
        let key = WordKey(device: row.device, start: row.word.start, end: row.word.end)
        guard words[key]?.word != row.word else {
            var outcome = WordOutcome(device: row.device)
            outcome.repeated = 1
            return outcome
        }
        revision += 1
        words[key] = WordRow(device: row.device, word: row.word, epoch: epoch, revision: revision)
        let inner = words.values.map(\.word).filter {
            $0.start >= row.word.start && $0.end <= row.word.end && $0.microseconds < row.word.microseconds
        }
        guard row.word.isToldMoreFinely(by: inner) else { return nil }
        var outcome = WordOutcome(device: row.device)
        outcome.overlapped = 1
        return outcome
    }

    /// What is stored of devices.
    func load(_ devices: [DeviceID]) -> [StoredDevice] {
        devices.map { StoredDevice(device: $0, state: states[$0], config: configs[$0]) }
    }

    /// What is stored of every device.
    var all: [StoredDevice] { load(states.keys.sorted()) }

    /// Empties the rows of a device, which are due to history once more; answers whether there was a state.
    mutating func forget(_ order: CountsForget, _ progress: LogProgress) -> Bool {
        self.progress = progress
        words = words.filter { $0.key.device != order.device }
        for key in rows.keys.filter({ $0.device == order.device }).sorted(by: { $0.minute < $1.minute }) {
            revision += 1
            let nothing = MinuteIncrement(device: order.device, minute: key.minute)
            rows[key] = Row(sum: nothing, told: nothing, revision: revision, unsent: nothing)
        }
        return states.removeValue(forKey: order.device) != nil
    }

    /// Half of a commit, as a store without transactions would leave it.
    mutating func keep(states: [CounterCommit.State]) {
        for state in states { self.states[state.device] = state.bytes }
    }

    private mutating func add(_ increment: MinuteIncrement) {
        let key = MinuteKey(device: increment.device, minute: increment.minute)
        let nothing = MinuteIncrement(device: increment.device, minute: increment.minute)
        revision += 1
        var row = rows[key] ?? Row(sum: nothing, told: nothing, revision: 0, unsent: nothing)
        if increment.origin == .device { row.told.add(increment) } else { row.sum.add(increment) }
        row.unsent.add(increment)
        row.revision = revision
        rows[key] = row
    }

    /// Notes how far history has the rows.
    mutating func setPublished(_ revision: UInt64) {
        published = revision
    }

    /// The next rows after a revision.
    func counts(after revision: UInt64, asDifferences: Bool) -> CountsBatch? {
        let counted = rows.values.filter { $0.revision > revision }.map { totals($0, asDifferences: asDifferences) }
        let told = words.values.filter { $0.revision > revision }
        let due = (counted.map(\.revision) + told.map(\.revision)).sorted().prefix(Self.maximumRows)
        guard let last = due.last else { return nil }
        return CountsBatch(
            epoch: epoch, previousRevision: revision, lastRevision: last,
            rows: counted.filter { $0.revision <= last }.sorted { $0.revision < $1.revision },
            words: told.filter { $0.revision <= last }.sorted { $0.revision < $1.revision })
    }

    /// Forgets the differences that were sent.
    mutating func noteSent(through revision: UInt64) {
        for (key, row) in rows where row.revision <= revision {
            rows[key]?.unsent = MinuteIncrement(device: key.device, minute: key.minute)
        }
    }

    /// Every row in the units of the bus.
    var totals: [MinuteKey: MinuteNumbers] {
        var numbers = rows.mapValues { row in
            var numbers = MinuteNumbers()
            numbers.add(totals(row, asDifferences: false))
            return numbers
        }
        for (device, rows) in Dictionary(grouping: words.values, by: \.device) {
            let words = rows.map(\.word)
            guard let first = words.map(\.minutes.lowerBound).min(), let end = words.map(\.minutes.upperBound).max()
            else { continue }
            let claimed = ClaimedMinutes(WordSweep(words), in: first..<end) { minute in
                let covered = self.rows[MinuteKey(device: device, minute: minute)]?.sum[.coveredMicroseconds] ?? 0
                return Double(max(0, 60_000_000 - covered)) / 60_000_000
            }
            for (minute, counts) in claimed.counts {
                var row = MinuteTotals(device: device, minute: minute, epoch: epoch, revision: 0)
                row.steps = UInt32(clamping: counts.steps)
                numbers[MinuteKey(device: device, minute: minute), default: MinuteNumbers()].add(row)
            }
        }
        return numbers
    }

    private func totals(_ row: Row, asDifferences: Bool) -> MinuteTotals {
        let sum = asDifferences ? row.unsent : row.sum.filled(with: row.told)
        return MinuteTotals(sum, epoch: epoch, revision: row.revision)
    }
}
