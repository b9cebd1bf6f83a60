import Foundation
import GRDB
import ServiceKit
package import Wire

extension CounterStore {
    /// Makes a commit durable in one transaction.
    ///
    /// - Parameter nowMicroseconds: the time, noted with the states.
    /// - Returns: what of it changed nothing.
    /// - Throws: ``CounterError``; nothing is stored then, and the same commit can be tried again.
    @discardableResult
    package func commit(
        _ commit: CounterCommit, nowMicroseconds: Int64
    ) async throws(CounterError) -> [StoringOutcome] {
        let epoch = epoch
        return try await write { db in
            var outcomes: [DeviceID: StoringOutcome] = [:]
            try Self.store(commit.states, nowMicroseconds: nowMicroseconds, db)
            try Self.add(commit.increments, epoch: epoch, &outcomes, db)
            try Self.keep(commit.words, &outcomes, db)
            for (device, json) in commit.configs { try Self.store(config: json, of: device, db) }
            if let marks = commit.marks { try Self.store(marks, db) }
            return outcomes.values.sorted { $0.device < $1.device }
        }
    }

    static func store(_ marks: LogMarks, _ db: Database) throws {
        try setMeta("states_position", Int64(bitPattern: marks.states), db)
        try setMeta("counted_position", Int64(bitPattern: marks.counted), db)
        try setMeta("rows_position", Int64(bitPattern: marks.rows), db)
    }

    private static func store(_ states: [CounterCommit.State], nowMicroseconds: Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO devices (id, updated, position, state) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
                SET updated = excluded.updated, position = excluded.position, state = excluded.state
                """)
        for state in states {
            try statement.execute(arguments: [
                state.device.description, nowMicroseconds, Int64(bitPattern: state.position), Data(state.bytes),
            ])
        }
    }

    private static func add(
        _ increments: [MinuteIncrement], epoch: UInt64, _ outcomes: inout [DeviceID: StoringOutcome], _ db: Database
    ) throws {
        guard !increments.isEmpty else { return }
        var revision = try meta("revision", db)
        let prunedBefore = try meta("pruned_before", db)
        let increments = try remembered(increments, &outcomes, db) { ($0.device, $0.minute..<$0.minute + 1) }
        let statement = try db.cachedStatement(sql: CounterSchema.addIncrement)
        for increment in increments {
            revision += 1
            let isTold = increment.origin != .samples
            if isTold {
                let head: [(any DatabaseValueConvertible)?] = [increment.device.description, increment.minute]
                let isOwn = increment.origin == .device
                try db.cachedStatement(sql: isOwn ? CounterSchema.addSelfReported : CounterSchema.addRecorded)
                    .execute(arguments: StatementArguments(head + increment.values))
            }
            // The counts of the device itself or of a recording change its minute's row too: it is due to history once more.
            let counted = isTold ? MinuteIncrement(device: increment.device, minute: increment.minute) : increment
            // A minute that was pruned is with history already: a row of another epoch adds to it there.
            let rowEpoch = increment.minute >= prunedBefore ? epoch : UInt64.random(in: 1 ... .max)
            let head: [(any DatabaseValueConvertible)?] = [
                increment.device.description, increment.minute, Partition(of: increment.device).number,
                Int64(bitPattern: rowEpoch), revision,
            ]
            try statement.execute(arguments: StatementArguments(head + counted.values))
        }
        try setMeta("revision", revision, db)
    }

    private static func store(config json: [UInt8], of device: DeviceID, _ db: Database) throws {
        let id = device.description
        guard !json.isEmpty else {
            return try db.execute(sql: "DELETE FROM configs WHERE id = ?", arguments: [id])
        }
        try db.execute(
            sql: "INSERT INTO configs VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
            arguments: [id, Data(json)])
    }
}

/// One transaction: the increments of minutes, the states of devices that changed, and the configurations that came.
package struct CounterCommit: Sendable {
    package struct State: Sendable {
        /// A copy of the device's counter costs the counting thread some references. Its bytes, 6 KB and 40 µs, are
        /// made by the thread that stores them.
        private enum Content: Sendable {
            indirect case counter(DeviceCounter)
            case bytes([UInt8])
        }

        package let device: DeviceID
        /// The last record of the log that it follows from.
        package let position: UInt64
        private var content: Content

        package init(device: DeviceID, bytes: [UInt8], position: UInt64 = 0) {
            (self.device, self.position, content) = (device, position, .bytes(bytes))
        }

        init(_ counter: DeviceCounter) {
            (device, position, content) = (counter.device, counter.storedThrough, .counter(counter))
        }

        /// The state, to be given back to `CounterPipeline.restore` as it is.
        package var bytes: [UInt8] {
            switch content {
            case .counter(let counter): counter.encodedState()
            case .bytes(let bytes): bytes
            }
        }

        fileprivate mutating func encode() { content = .bytes(bytes) }
    }

    /// The states, one a device.
    package var states: [State] = []
    /// The increments, at most three a device and minute.
    package var increments: [MinuteIncrement] = []
    /// Words of intervals, in the order in which they came.
    package var words: [WordRow] = []
    /// The configs as they came; empty bytes where one was taken back.
    package var configs: [DeviceID: [UInt8]] = [:]
    /// The store's positions in the log with it; `nil` where there is no log.
    package var marks: LogMarks?

    package init() {}

    /// Whether there are rows in it that history is to have.
    package var hasRows: Bool { !increments.isEmpty || !words.isEmpty }

    /// Encodes the states, and releases each copy of a device as soon as it is encoded. One at which the counter died
    /// twice stays as it was stored before.
    mutating func encodeStates(_ inputGuard: InputGuard) {
        states.removeAll { state in
            let key = InputKey(Array("encode \(state.device)".utf8))
            guard inputGuard.isFatal(key) else { return false }
            inputGuard.setAside(
                key, kind: "state", subject: "\(state.device)", UnsafeRawBufferPointer(start: nil, count: 0))
            return true
        }
        for index in states.indices {
            let key = InputKey(Array("encode \(states[index].device)".utf8))
            inputGuard.begin(key, slot: InputGuard.secondLoop, "the state to store of \(states[index].device)")
            states[index].encode()
            inputGuard.end(key, slot: InputGuard.secondLoop)
        }
    }
}

extension MinuteIncrement {
    /// The values of `CounterSchema.sums`, `cadence_min`, `cadence_max` and `trace`.
    var values: [(any DatabaseValueConvertible)?] {
        let packed = trace?.packed ?? []
        return sums + [Double(cadenceMinimum), Double(cadenceMaximum), packed.isEmpty ? nil : Data(packed)]
    }

    /// The sums in a row of `CounterSchema.rowsAfter`, read by position, which is faster than by name.
    ///
    /// - Parameter first: where the sums begin: those that were counted, those of the device itself, or those of recordings.
    init(row: Row, device: DeviceID, minute: Int64, origin: Origin, first: Int) {
        self.init(device: device, minute: minute, origin: origin)
        for index in sums.indices { sums[index] = row[first + index] ?? 0 }
        cadenceMinimum = Float(row[first + sums.count] ?? 0.0)
        cadenceMaximum = Float(row[first + sums.count + 1] ?? 0.0)
        trace = (row[first + sums.count + 2] as Data?).flatMap { Trace(packed: Array($0)) }
    }
}

extension MinuteRow {
    /// A row of `CounterSchema.rowsAfter` in the units of the bus.
    init?(row: Row) {
        guard let device = try? DeviceID(row[0] as String) else { return nil }
        let (minute, head, values) = (row[1] as Int64, 4, CounterSchema.sums.count + 3)
        let counted = MinuteIncrement(row: row, device: device, minute: minute, origin: .samples, first: head)
        let own = MinuteIncrement(row: row, device: device, minute: minute, origin: .device, first: head + values)
        let recorded = MinuteIncrement(
            row: row, device: device, minute: minute, origin: .recording, first: head + 2 * values)
        self.init(
            counted.filled(with: own).filled(with: recorded),
            epoch: UInt64(bitPattern: row[2] as Int64), revision: UInt64(bitPattern: row[3] as Int64))
    }

    /// The sums of a minute in the units of the bus; those outside their range are cut to it.
    package init(_ sum: MinuteIncrement, epoch: UInt64, revision: UInt64) {
        self.init(device: sum.device, minute: sum.minute, epoch: epoch, revision: revision)
        counts = sum.counts
        cadence = RateSum(
            integral: Double(Float(Double(sum[.cadenceIntegral]) / 1000)),
            seconds: Int64(UInt32(clamping: (sum[.cadenceTime] + 500) / 1000)),
            minimum: Double(sum.cadenceMinimum), maximum: Double(sum.cadenceMaximum))
        guard let trace = sum.trace else { return }
        (heart, power, self.trace) = (trace.sum(.heart), trace.sum(.power), trace.withoutRest.packed)
    }
}

extension MinuteIncrement {
    /// The sums in the units of the bus.
    package var counts: Counts {
        var counts = Counts()
        for amount in Amount.ofMinutes {
            let (row, sum) = (amount.row, self[amount])
            guard sum > 0 || row.knownBy.map({ self[$0] > 0 }) ?? true else { continue }
            counts[amount] = Int64(UInt32(clamping: sum / row.countersUnits))
        }
        return counts
    }
}
