import Foundation
import GRDB
package import Wire

/// The operator's words about a device, as they came; empty bytes where they were taken back.
package struct StoredConfig: Sendable, Equatable {
    /// Whose.
    package var device: DeviceID
    /// The payload of the retained message.
    package var json: [UInt8]

    /// A configuration from its parts.
    package init(device: DeviceID, json: [UInt8]) {
        self.device = device
        self.json = json
    }
}

extension CounterStore {
    /// Makes states, increments and configurations durable in one transaction.
    ///
    /// - Parameters:
    ///   - commit: what the pipeline gave.
    ///   - configs: configurations that came.
    ///   - nowMicroseconds: the time, noted with the states.
    ///   - position: the last record of the log that the commit holds; `nil` where there is no log.
    /// - Throws: ``CounterError``; nothing is stored then, and the same commit can be tried again.
    package func commit(
        _ commit: CounterCommit, configs: [StoredConfig] = [], nowMicroseconds: Int64, through position: UInt64? = nil
    ) async throws(CounterError) {
        let epoch = epoch
        try await write { db in
            try Self.store(commit.states, nowMicroseconds: nowMicroseconds, db)
            try Self.add(commit.increments, epoch: epoch, db)
            for config in configs { try Self.store(config, db) }
            if let position { try Self.setMeta("log_position", Int64(bitPattern: position), db) }
        }
    }

    private static func store(_ states: [CounterCommit.State], nowMicroseconds: Int64, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO devices (id, updated, state) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET updated = excluded.updated, state = excluded.state
                """)
        for state in states {
            try statement.execute(arguments: [state.device.description, nowMicroseconds, Data(state.bytes)])
        }
    }

    private static func add(_ increments: [MinuteIncrement], epoch: UInt64, _ db: Database) throws {
        guard !increments.isEmpty else { return }
        var revision = try meta("revision", db)
        let prunedBefore = try meta("pruned_before", db)
        let increments = try remaining(increments, db)
        let statement = try db.cachedStatement(sql: CounterSchema.addIncrement)
        for increment in increments {
            revision += 1
            let isTold = increment.origin == .device
            if isTold { try addTold(increment, db) }
            // What a device told changes its minute's row too: it is due to history once more.
            let own = isTold ? MinuteIncrement(device: increment.device, minute: increment.minute) : increment
            // A minute that was pruned is with history already: a row of another epoch adds to it there.
            let rowEpoch = increment.minute >= prunedBefore ? epoch : UInt64.random(in: 1 ... .max)
            let head: [any DatabaseValueConvertible] = [
                increment.device.description, increment.minute, Partition(of: increment.device).number,
                Int64(bitPattern: rowEpoch), revision,
            ]
            try statement.execute(arguments: StatementArguments(head + own.sums + own.range))
        }
        try setMeta("revision", revision, db)
    }

    /// Without those of minutes that were forgotten.
    private static func remaining(_ increments: [MinuteIncrement], _ db: Database) throws -> [MinuteIncrement] {
        guard try hasForgotten(db) else { return increments }
        var ranges: [DeviceID: [Range<Int64>]] = [:]
        return try increments.filter { increment in
            let known = try ranges[increment.device] ?? forgotten(increment.device, db)
            ranges[increment.device] = known
            return !known.contains { $0.contains(increment.minute) }
        }
    }

    private static func addTold(_ increment: MinuteIncrement, _ db: Database) throws {
        let head: [any DatabaseValueConvertible] = [increment.device.description, increment.minute]
        try db.cachedStatement(sql: CounterSchema.addTold)
            .execute(arguments: StatementArguments(head + increment.sums + increment.range))
    }

    private static func store(_ config: StoredConfig, _ db: Database) throws {
        let id = config.device.description
        guard !config.json.isEmpty else {
            return try db.execute(sql: "DELETE FROM configs WHERE id = ?", arguments: [id])
        }
        try db.execute(
            sql: "INSERT INTO configs VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json",
            arguments: [id, Data(config.json)])
    }
}
