import Foundation
import GRDB
import MQTT
import ServiceKit
import Wire

/// Another division of the partitions among counters, all of which are stopped: this one's store takes over what another
/// store has of its partitions.
package struct CounterAdoption {
    /// The longest wait for a message that the broker kept, in seconds.
    private static let patienceSeconds = 2.0

    private let configuration: CounterConfiguration
    /// The data folder of the other counter.
    private let source: String

    package init(_ configuration: CounterConfiguration, from source: String) {
        (self.configuration, self.source) = (configuration, source)
    }

    /// Takes them over, unless messages for either counter wait with the broker: their sessions end with it.
    ///
    /// - Returns: The number of devices that came.
    /// - Throws: ``CounterError``, `SettingError` or `MQTTError`; nothing is lost then.
    package func run() async throws -> Int {
        let theirs = try Self.open(source)
        let ours = try CounterStore(directory: configuration.directory)
        let former = [try theirs.formerPartitions(), try ours.formerPartitions()].compactMap(\.self)
        for partitions in Set(former) where try await isAwaited(partitions) {
            throw SettingError(
                key: "adopt",
                problem:
                    "comes too early: motion waits for the counter of \(partitions). Stop ingest, start that counter until"
                    + " it has read what waits, and stop it")
        }
        let count = try ours.adopt(configuration.partitions, from: theirs)
        for partitions in Set(former) where partitions != configuration.partitions {
            await ServiceConnection.forgetSession(of: .counter, share: partitions.share, on: configuration.bus)
        }
        try theirs.close()
        try ours.close()
        return count
    }

    /// The store of a counter that was stopped in order, which empties its log.
    private static func open(_ directory: String) throws -> CounterStore {
        _ = try CounterCopy(reading: directory)
        guard try CounterCopy.logNames(in: directory).isEmpty else {
            throw SettingError(
                key: "adopt",
                problem: "is \(directory), whose log has not been counted: start its counter, and stop it in order")
        }
        return try CounterStore(directory: directory)
    }

    /// Whether the broker keeps motion for a counter.
    private func isAwaited(_ partitions: PartitionRange) async throws -> Bool {
        let bus = configuration.bus
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: bus.clientID(of: "counter", share: partitions.share) + "-in",
                version: bus.version, sessionExpirySeconds: ServiceConnection.sessionExpirySeconds),
            subscriptions: [])
        defer { consumer.stop() }
        let isAwaited = try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                // Nothing is acknowledged: whatever comes stays with the broker.
                for try await batch in consumer.batches {
                    for message in batch {
                        switch try? bus.topics.parse(message.topic) {
                        case .motion, .forget: return true
                        default: break
                        }
                    }
                    batch.acknowledge()
                }
                return false
            }
            group.addTask {
                try await Task.sleep(for: .seconds(Self.patienceSeconds))
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
        consumer.stop()
        await consumer.waitUntilStopped()
        return isAwaited
    }
}

/// The partitions of a store, and how one store takes those of another over while both counters are stopped.
///
/// Every row of a device goes along. Rows of minutes keep their epoch, so that they stay the same rows to history, and get
/// revisions above those of both stores: history gets them once more, and whatever comes later is newer.
extension CounterStore {
    /// Takes the partitions as those of a new store.
    ///
    /// - Throws: `.otherPartitions` where the store is that of others: nobody would count the rest of them, or two would.
    func claim(_ partitions: PartitionRange) throws(CounterError) {
        let path = path
        do {
            try database.connections.write { db in
                switch try Self.partitions(db) {
                case nil: try Self.setPartitions(partitions, db)
                case .some(let own) where own != partitions:
                    throw CounterError.otherPartitions(
                        path: path, own: own?.description, wanted: "\(partitions)")
                default: break
                }
            }
        } catch { throw CounterError(error, path: path) }
    }

    /// The partitions that the store has; the outer `nil` where it is new, the inner where it gave all of them away.
    private static func partitions(_ db: Database) throws -> PartitionRange?? {
        let first = try Int.fetchOne(db, sql: "SELECT value FROM meta WHERE name = 'first_partition'")
        guard let first else { return .none }
        let last = try meta("last_partition", db)
        return first > last ? .some(nil) : .some(try PartitionRange(setting: "\(first)-\(last)"))
    }

    private static func setPartitions(_ range: PartitionRange?, _ db: Database) throws {
        try setMeta("first_partition", Int64(range?.numbers.lowerBound ?? 1), db)
        try setMeta("last_partition", Int64(range?.numbers.upperBound ?? 0), db)
    }

    /// What the store has from before.
    func formerPartitions() throws(CounterError) -> PartitionRange? {
        do { return try database.look(Self.partitions) ?? nil } catch { throw CounterError(error, path: path) }
    }

    /// Makes the store that of `partitions`, with all that another store has of them, which has it no more then. Where it
    /// fails nothing is lost, and it is done again.
    ///
    /// - Returns: The number of devices that came.
    func adopt(_ partitions: PartitionRange, from source: CounterStore) throws -> Int {
        let path = path
        guard let theirs = try source.formerPartitions() else { return 0 }
        if let own = try formerPartitions(), try own.without(partitions) != nil {
            throw CounterError.otherPartitions(path: path, own: "\(own)", wanted: "\(partitions)")
        }
        let rest = try theirs.without(partitions)
        let count = try database.look { db in
            Self.functions.forEach(db.add)
            try db.execute(sql: "ATTACH DATABASE ? AS source", arguments: [source.path])
            defer { try? db.execute(sql: "DETACH DATABASE source") }
            var count = 0
            try db.inTransaction {
                count = try Self.copy(partitions, path: path, db)
                try Self.setPartitions(partitions, db)
                return .commit
            }
            return count
        }
        try source.database.look { db in
            Self.functions.forEach(db.add)
            try db.inTransaction {
                for (table, device) in try Self.deviceTables(db) {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE partition_of(\(device)) BETWEEN ? AND ?",
                        arguments: [partitions.numbers.lowerBound, partitions.numbers.upperBound])
                }
                try Self.setPartitions(rest, db)
                return .commit
            }
        }
        return count
    }

    /// The tables with rows of devices, each with the column of the device's id.
    private static func deviceTables(_ db: Database) throws -> [(table: String, device: String)] {
        try String.fetchAll(db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name")
            .compactMap { table in
                let names = try db.columns(in: table).map(\.name)
                return ["device", "id"].first(where: names.contains).map { (table, $0) }
            }
    }

    /// Copies the rows of the devices of some partitions from the store that is attached as `source`.
    private static func copy(
        _ partitions: PartitionRange, path: String, _ db: Database
    ) throws -> Int {
        let range: StatementArguments = [partitions.numbers.lowerBound, partitions.numbers.upperBound]
        let isNewer = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM source.devices AS theirs JOIN main.devices AS ours USING (id)
                WHERE ours.updated > theirs.updated AND partition_of(id) BETWEEN ? AND ?)
                """, arguments: range)
        guard isNewer != true else {
            throw StoreError.damaged(
                path: path, problem: "it has counted devices that are to come from another store")
        }
        var revision = max(
            try meta("revision", db),
            try Int64.fetchOne(db, sql: "SELECT value FROM source.meta WHERE name = 'revision'") ?? 0)
        for (table, device) in try deviceTables(db) {
            let names = try db.columns(in: table).map(\.name)
            let values = names.map { name in
                switch name {
                case "revision": "\(revision) + row_number() OVER (ORDER BY revision)"
                // It is that of another log, and this one has nothing of the device.
                case "position": "0"
                default: name
                }
            }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO main.\(table) (\(names.joined(separator: ", ")))
                    SELECT \(values.joined(separator: ", ")) FROM source.\(table)
                    WHERE partition_of(\(device)) BETWEEN ? AND ?
                    """, arguments: range)
            if names.contains("revision") { revision += Int64(db.changesCount) }
        }
        try setMeta("revision", revision, db)
        return try Int.fetchOne(
            db, sql: "SELECT count(*) FROM source.devices WHERE partition_of(id) BETWEEN ? AND ?", arguments: range)
            ?? 0
    }

    private static let functions = [
        DatabaseFunction("partition_of", argumentCount: 1, pure: true) { values in
            String.fromDatabaseValue(values[0]).flatMap { try? DeviceID($0) }.map { Partition(of: $0).number }
        }
    ]
}
