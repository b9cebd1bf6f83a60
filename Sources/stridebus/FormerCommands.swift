import ArgumentParser
import Lab
import StrideClient
import Wire

/// What commands were called up to 0.1. They work for one release more, say what they are called now, and are not listed.
enum FormerCommands {
    static let all: [any ParsableCommand.Type] = [
        Former<CheckInCommand>.self, Former<CheckOutCommand>.self, Former<SetPerson>.self, Former<ExportCommand>.self,
        ForgetCommand.self,
    ]

    /// The former name at the top level, and the present one.
    fileprivate static func names<Command: ParsableCommand>(of command: Command.Type) -> (former: String, now: String) {
        switch command {
        case is SetPerson.Type: ("person", "people set")
        case is ExportCommand.Type: ("export", "query export")
        default:
            (Command.configuration.commandName ?? "", "people \(Command.configuration.commandName ?? "")")
        }
    }

    fileprivate static func say(_ former: String, now: String) {
        Output.errorLine("'stridebus \(former)' is called 'stridebus \(now)' now, and goes with the next release")
    }
}

/// A command at the place where it was.
private struct Former<Command: AsyncParsableCommand & Sendable>: AsyncParsableCommand, Sendable {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: FormerCommands.names(of: Command.self).former, abstract: Command.configuration.abstract,
            shouldDisplay: false)
    }

    @OptionGroup var command: Command

    mutating func run() async throws {
        let names = FormerCommands.names(of: Command.self)
        FormerCommands.say(names.former, now: names.now)
        try await command.run()
    }
}

/// `forget --device` and `forget --person`, which are two commands now.
private struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete what was counted of a device, or of a person, for good.",
        shouldDisplay: false)

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person.")
    var person: String?

    @OptionGroup var deleting: DeletingOptions
    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard (device == nil) != (person == nil) else { throw ValidationError("give either --device or --person") }
    }

    func run() async throws {
        FormerCommands.say("forget", now: device == nil ? "people forget" : "device forget --keep-config")
        let forgotten = try await asking.withBus { bus in
            if let device { return try await bus.forget(device: device) }
            return try await bus.forget(person: person ?? "")
        }
        Output.line("deleted: \(forgotten.minutes) min, devices: \(forgotten.devices)")
    }
}
