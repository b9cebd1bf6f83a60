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
    /// What devices said of stretches of time, and the rows that follow from it.
    private var claims: [DeviceID: ClaimWindow] = [:]
    private var claimed: [DeviceID: [ClaimWindow.Place: ClaimedRow]] = [:]
    private(set) var published: UInt64 = 0
    private(set) var configs: [DeviceID: [UInt8]] = [:]
    var progress = LogProgress()

    /// Makes a commit durable.
    @discardableResult
    mutating func commit(_ commit: CounterCommit) -> [ClaimOutcome] {
        progress = commit.progress ?? progress
        keep(states: commit.states)
        for increment in commit.increments { add(increment) }
        for config in commit.configs { configs[config.device] = config.json.isEmpty ? nil : config.json }
        return commit.claims.map { take($0) }.filter { !$0.isEmpty }
    }

    /// Samples cover time of which the device has claims.
    private mutating func cover(_ increment: MinuteIncrement) {
        let hour = claimed[increment.device]?.keys.filter {
            $0.isHour && $0.minute <= increment.minute && $0.minute / 60 == increment.minute / 60
        }.map(\.minute).max()
        for place in [(increment.minute, false), (hour ?? -1, true)].map({ ClaimWindow.Place(minute: $0, isHour: $1) })
        {
            guard claimed[increment.device]?[place] != nil else { continue }
            revision += 1
            claimed[increment.device]?[place]?.coveredMicroseconds += increment[.coveredMicroseconds]
            claimed[increment.device]?[place]?.revision = revision
        }
    }

    private mutating func take(_ new: DeviceClaims) -> ClaimOutcome {
        var outcome = ClaimOutcome(device: new.device)
        var window = claims[new.device] ?? ClaimWindow()
        let changes = window.take(new.claims, &outcome)
        claims[new.device] = window
        for (place, change) in changes {
            revision += 1
            var row = claimed[new.device]?[place] ?? emptyRow(of: new.device, at: place)
            row.steps += change
            row.distanceMicrometres += change * new.micrometresPerStep
            row.revision = revision
            claimed[new.device, default: [:]][place] = row
        }
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
        (claims[order.device], claimed[order.device]) = (nil, nil)
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

    private func emptyRow(of device: DeviceID, at place: ClaimWindow.Place) -> ClaimedRow {
        var row = ClaimedRow(device: device, place: place, revision: revision)
        let end = place.minute + ClaimedRow.minutes(from: place.minute, isHour: place.isHour)
        for (key, counted) in rows where key.device == device && (place.minute..<end).contains(key.minute) {
            row.coveredMicroseconds += counted.sum[.coveredMicroseconds]
        }
        return row
    }

    private mutating func add(_ increment: MinuteIncrement) {
        if increment.origin == .samples, increment[.coveredMicroseconds] > 0 { cover(increment) }
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
        let told = claimed.values.flatMap(\.values).filter { $0.revision > revision }.map { $0.totals(epoch: epoch) }
        let due = (counted + told).sorted { $0.revision < $1.revision }.prefix(Self.maximumRows)
        guard let last = due.last?.revision else { return nil }
        return CountsBatch(epoch: epoch, previousRevision: revision, lastRevision: last, rows: Array(due))
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
        for row in claimed.values.flatMap(\.values) {
            let key = MinuteKey(device: row.device, minute: row.place.minute)
            numbers[key, default: MinuteNumbers()].add(row.totals(epoch: epoch))
        }
        return numbers
    }

    private func totals(_ row: Row, asDifferences: Bool) -> MinuteTotals {
        let sum = asDifferences ? row.unsent : row.sum.filled(with: row.told)
        return MinuteTotals(sum, epoch: epoch, revision: row.revision)
    }
}
