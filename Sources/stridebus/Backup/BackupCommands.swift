import ArgumentParser
import Configuration
import Foundation
import History
import Lab
import ServiceKit
import Wire

/// Where the services of this machine keep their files.
struct PlaceOptions: ParsableArguments {
    @Option(help: .key(.data), completion: .directory) var data: String?
    @Option(help: .key(.historyStore)) var historyStore: String?
    @OptionGroup var source: SourceOptions

    func reader() throws -> ConfigReader {
        let flags = [ConfigurationKey.data: data, .historyStore: historyStore].compactMapValues(\.self)
        return try ConfigurationSources(flags: flags, file: source.config).reader()
    }

    func files(_ configuration: HistoryConfiguration, _ reader: ConfigReader) -> DataFiles {
        DataFiles(
            data: URL(filePath: reader.string(forKey: "data", default: DataDirectory.usualPath)).standardizedFileURL
                .path,
            history: configuration.server == nil
                ? URL(filePath: configuration.dataDirectory).standardizedFileURL.path : nil)
    }
}

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the stores of the services while they run, checked, into a folder of their own below DIR.",
        discussion: """
            The copy is that of one instant for each store, in an order in which they fit together: the private broker, \
            history, the counter's log, the counter. It is read through before it counts as done. A history on \
            PostgreSQL is not in it: back up its database before this command runs.
            """)

    @Argument(help: "The folder of the backups.", completion: .directory)
    var folder: String

    @Option(help: ArgumentHelp("How many backups to keep; older ones are removed.", valueName: "count"))
    var keep: Int = 7

    @OptionGroup var place: PlaceOptions

    func validate() throws {
        guard !folder.isEmpty else { throw ValidationError("name the folder of the backups") }
        guard (1...10_000).contains(keep) else { throw ValidationError("--keep is \(keep): give 1 to 10000") }
    }

    func run() async throws {
        umask(0o077)
        let reader = try place.reader()
        let files = place.files(try HistoryConfiguration(config: reader), reader)
        let backup = DataBackup(
            files: files, folder: URL(filePath: folder).standardizedFileURL.path, keptCount: keep)
        let made = try await backup.take(nowSeconds: Int(Date().timeIntervalSince1970))
        let manifest = try BackupManifest(of: made)
        Output.line("\(made): \((manifest.bytes + 999_999) / 1_000_000) MB, checked")
        if manifest.history == .postgresql {
            Output.errorLine("history is on PostgreSQL and not in it: pg_dump --schema stridebus, before this command")
        }
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put a backup where the services are to start from it; they must not run.",
        discussion: """
            Counting goes on where the copying was: devices that send again what came later are counted to the step, and \
            where they do not, totals are those of the copy. A history on PostgreSQL that is newer than the counter in \
            the backup is refused: restore its database too.
            """)

    @Argument(help: "A backup, or a folder of backups, of which the newest is taken.", completion: .directory)
    var backup: String

    @Flag(help: "Move stores that are there aside, into replaced-… beside them.")
    var replace = false

    @OptionGroup var place: PlaceOptions

    func run() async throws {
        umask(0o077)
        let reader = try place.reader()
        let configuration = try HistoryConfiguration(config: reader)
        let server: HistoryStore? =
            if let address = configuration.server { try await .postgres(address) } else { nil }
        let path = try Restoration.newest(in: URL(filePath: backup).standardizedFileURL.path)
        let restoration = Restoration(backup: path, files: place.files(configuration, reader), replaces: replace)
        let manifest = try await restoration.run(
            nowSeconds: Int(Date().timeIntervalSince1970), historyOnServer: server)
        await server?.close()
        let time = Date(timeIntervalSince1970: Double(manifest.takenSeconds)).formatted(.iso8601)
        Output.line("\(restoration.files.data) is as of \(time); start the services")
    }
}
