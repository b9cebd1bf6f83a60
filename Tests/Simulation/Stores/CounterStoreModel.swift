import Counter
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
    private(set) var published: UInt64 = 0
    var progress = LogProgress()

    /// Makes a commit durable.
    mutating func commit(_ commit: CounterCommit) {
        progress = commit.progress ?? progress
        keep(states: commit.states)
        for increment in commit.increments { add(increment) }
    }

    /// What is stored of devices.
    func load(_ devices: [DeviceID]) -> [StoredDevice] {
        devices.map { StoredDevice(device: $0, state: states[$0], config: nil) }
    }

    /// What is stored of every device.
    var all: [StoredDevice] { load(states.keys.sorted()) }

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
        let due = rows.filter { $0.value.revision > revision }
            .sorted { $0.value.revision < $1.value.revision }.prefix(Self.maximumRows)
        guard let last = due.last?.value.revision else { return nil }
        return CountsBatch(
            epoch: epoch, previousRevision: revision, lastRevision: last,
            rows: due.map { totals($0.value, asDifferences: asDifferences) })
    }

    /// Forgets the differences that were sent.
    mutating func noteSent(through revision: UInt64) {
        for (key, row) in rows where row.revision <= revision {
            rows[key]?.unsent = MinuteIncrement(device: key.device, minute: key.minute)
        }
    }

    /// Every row in the units of the bus.
    var totals: [MinuteKey: MinuteNumbers] {
        rows.mapValues { row in
            var numbers = MinuteNumbers()
            numbers.add(totals(row, asDifferences: false))
            return numbers
        }
    }

    private func totals(_ row: Row, asDifferences: Bool) -> MinuteTotals {
        let sum = asDifferences ? row.unsent : row.sum.filled(with: row.told)
        return MinuteTotals(sum, epoch: epoch, revision: row.revision)
    }
}
