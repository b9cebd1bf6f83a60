import ArgumentParser
import CBuild
import Foundation
import History
import Lab
import Logging
import ServiceKit

@main
struct StridebusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stridebus",
        abstract: "Motion sensors in; cadence, steps and history out, over MQTT.",
        discussion: """
            Run it, with a private broker:       stridebus up
            The same on a gym's network:         stridebus up --network
            Let a simulated gym train:           stridebus simulate --bikes 2 --wearables 2
            Watch what is counted:               stridebus watch
            Ask for today's minutes of a bike:   stridebus query series --device bike-1
            Count a recorded file without a bus: stridebus count ride.csv --kind bike

            Every option of the services can also be given as STRIDEBUS_OPTION in the environment or in a JSON file \
            (--config FILE).
            """,
        version: ProgramVersion.text,
        // Not listed: what a package's scripts ask.
        subcommands: [FormatsCommand.self, ZonesCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "SERVICES",
                subcommands: [
                    UpCommand.self, UsersCommand.self, IngestCommand.self, CounterCommand.self, HistoryCommand.self,
                    BackupCommand.self, RestoreCommand.self,
                ]),
            CommandGroup(
                name: "LOOKING AND ASKING",
                subcommands: [
                    WatchCommand.self, QueryCommand.self, ExportCommand.self, ImportCommand.self, DeviceCommand.self,
                    PeopleCommand.self,
                    WorkoutsCommand.self, DoctorCommand.self,
                ]),
            CommandGroup(
                name: "TRYING OUT",
                subcommands: [
                    SimulateCommand.self, ReplayCommand.self, CountCommand.self,
                ]),
        ])

    static func main() async {
        guard !CommandLine.arguments.isEmpty else {
            Output.errorLine("Error: the arguments cannot be read, because /proc is not mounted: mount it")
            Foundation.exit(EX_OSFILE)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try Output.check()
        } catch is NobodyReads {
            Foundation.exit(EXIT_SUCCESS)
        } catch {
            // A line of its own in the journal, which tells errors apart by their level.
            if LineLogHandler.isInJournal, exitCode(for: error) != .success {
                Output.error(LineLogHandler.prefix(of: .error))
            }
            let code = exitCode(for: error)
            guard code != .success else { exit(withError: error) }
            // The words may be those of a reply.
            let message = fullMessage(for: error)
            if !message.isEmpty { Output.errorLines(message) }
            Foundation.exit(code.rawValue)
        }
    }
}

/// Why a command does nothing, in a line that says what to do.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// For the package, whose older version must not be put upon stores that it cannot read.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats", abstract: "Print the layouts of the counter's store, history's and the log's.",
        shouldDisplay: false)

    func run() {
        let versions = DataFiles.versions
        Output.line("\(versions.counter) \(versions.history) \(versions.log)")
    }
}

/// For the package, whose program has a tenth of ICU's data: it must say of every zone what the program with all of it says.
struct ZonesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "Print every time zone, each change of its offset up to 2100, and the local time then.",
        shouldDisplay: false)

    func run() throws {
        for name in TimeZoneName.known {
            let clock = LocalClock(zone: name)
            for change in try DayCalendar(zone: name).changes(untilSeconds: 4_102_444_800) {
                let local = clock.text(Double(change.seconds))
                Output.line("\(name) \(change.seconds) \(change.offsetSeconds) \(local)")
            }
        }
    }
}

/// The version of the program, as `--version` says it and a backup notes it.
enum ProgramVersion {
    static let number = STRIDEBUS_VERSION

    /// The number, the commit and its date: `0.1.0 (1a2b3c4, 2026-11-26)`.
    static var text: String {
        let commit = String(cString: stridebus_build_commit())
        let date = String(cString: stridebus_build_date())
        return commit.isEmpty ? "\(number) (commit not noted by this build)" : "\(number) (\(commit), \(date))"
    }
}
