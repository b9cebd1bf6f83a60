import Foundation

/// The broker's configuration, log and database on disk.
struct BrokerFiles: Sendable {
    let directory: String
    let configurationFile: String
    let logFile: String
    let databaseFile: String?

    init(configuration: EmbeddedBrokerConfiguration) throws(EmbeddedBrokerError) {
        directory =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("stridebus-broker-\(UUID().uuidString)").path
        configurationFile = directory + "/mosquitto.conf"
        logFile = configuration.logFile ?? directory + "/mosquitto.log"
        databaseFile = configuration.persistenceDirectory.map { $0 + "/mosquitto.db" }
        try Self.makeDirectory(directory)
        if let persistence = configuration.persistenceDirectory { try Self.makeDirectory(persistence) }
    }

    func write(_ text: String) throws(EmbeddedBrokerError) {
        do {
            try text.write(toFile: configurationFile, atomically: true, encoding: .utf8)
        } catch {
            throw .fileUnwritable(path: configurationFile, reason: error.localizedDescription)
        }
    }

    var log: String {
        guard let bytes = FileManager.default.contents(atPath: logFile) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Moves the database out of the broker's way. Returns where to, or `nil` when there was none.
    func moveDatabaseAside() throws(EmbeddedBrokerError) -> String? {
        guard let databaseFile, FileManager.default.fileExists(atPath: databaseFile) else { return nil }
        let aside = databaseFile + ".damaged-" + UUID().uuidString.prefix(8)
        do {
            try FileManager.default.moveItem(atPath: databaseFile, toPath: aside)
        } catch {
            throw .fileUnwritable(path: aside, reason: error.localizedDescription)
        }
        return aside
    }

    /// Removes what belongs to this run alone; the database stays. What cannot be removed is left to /tmp's cleaner.
    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func makeDirectory(_ path: String) throws(EmbeddedBrokerError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileUnwritable(path: path, reason: error.localizedDescription)
        }
    }
}
