import ArgumentParser
import Configuration
import Foundation
import Lab
import MQTT
import PrivateBroker
import ServiceKit
import Wire

struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "The users of a bus on the network: who may log in, and as what.",
        discussion: """
            A user is a device (a bike, a watch), a member, a viewer (a screen on the wall) or an operator; docs/roles.md \
            says what each may do. What is changed takes force at once where 'stridebus up --network' runs with the same \
            --data. With --broker the files are for a broker of your own, in --files.
            """,
        subcommands: [AddUser.self, RotateUser.self, RevokeUser.self, ListUsers.self])
}

struct UserFolderOptions: ParsableArguments {
    @OptionGroup var source: SourceOptions
    @Option(help: .key(.data), completion: .directory) var data: String?
    @Option(help: .key(.root)) var root: String?
    @Option(
        help: "A broker of your own, such as mqtts://bus.gym.example: its files are written, and what to do is said.")
    var broker: String?
    @Option(help: "The folder for the files of that broker (stridebus-users).", completion: .directory)
    var files: String?

    /// The users and the place of the bus.
    func open() throws -> (users: BusUsers, folder: String, place: NetworkPlace?) {
        let flags: [ConfigurationKey: String] = [.data: data, .root: root].compactMapValues(\.self)
        let reader = try ConfigurationSources(flags: flags, file: source.config).reader()
        // No more of the bus's settings: its login is nothing to who is added.
        let configured = try BusSettings.topics(reader)
        if let broker {
            let folder = files ?? "stridebus-users"
            let endpoint = try MQTTEndpoint(broker)
            let place = NetworkPlace(
                host: endpoint.host, name: endpoint.host, tlsPort: endpoint.port,
                plainPort: endpoint.tls == nil ? endpoint.port : nil,
                root: configured.root)
            let users = BusUsers(folder: folder, topics: configured, foreignFilters: try BusRun.foreignFilters(reader))
            return (users, folder, place)
        }
        guard files == nil else { throw ValidationError("--files is for a broker of your own: name it with --broker") }
        let folder = NetworkFolder.path(data: reader.string(forKey: "data", default: DataDirectory.usualPath))
        let place = try NetworkPlace.read(folder: folder)
        // The access list is written anew with what the running bus was started with.
        let topics = try place.map { try TopicTree(root: $0.root) } ?? configured
        return (
            BusUsers(folder: folder, topics: topics, foreignFilters: place?.foreignFilters ?? []), folder, place
        )
    }

    /// Who runs the command, for the record.
    var by: String {
        let environment = ProcessInfo.processInfo.environment
        let name = environment["SUDO_USER"] ?? environment["USER"] ?? ""
        return name.isEmpty ? "uid \(getuid())" : String(name.prefix(32))
    }

    /// Says whether the change is in force.
    func report(_ users: BusUsers, folder: String, place: NetworkPlace?, revoked: String? = nil) async throws {
        guard broker == nil else {
            let own = OwnBroker(users: users, folder: folder, place: place, revoked: revoked)
            return Output.write(try own.text())
        }
        let isApplied = await NetworkKeeper.isApplied(users, folder: folder)
        Output.line(
            isApplied
                ? "In force on the running bus."
                : "In force with the next start of 'stridebus up --network' with this --data.")
    }
}

/// A user who gets a password, and where it comes from; one is made where none is given.
struct LoginOptions: ParsableArguments {
    @OptionGroup var folder: UserFolderOptions
    @Argument(help: "The name to log in with: a-z, 0-9 and -; a device's is its id.") var name: String
    @Option(help: "What a device's lines are for: arduino, micropython or esphome.") var board: LoginText.Board =
        .arduino
    @Option(help: "A file with the password, in place of one that is made.", completion: .file())
    var passwordFile: String?

    @Flag(help: "Ask for the password.") var ask = false

    /// Changes the users, shows the user's password, and says whether it is in force.
    func issue(_ change: (BusUsers, _ password: String?) throws -> (password: String, role: Role)) async throws {
        let (users, path, place) = try folder.open()
        let made = try change(users, password())
        Output.write(LoginText(user: name, role: made.role, password: made.password, place: place, board: board).text)
        try await folder.report(users, folder: path, place: place)
    }

    /// The password that is given; nil where one is to be made.
    private func password() throws -> String? {
        if let passwordFile {
            guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
                throw ValidationError("--password-file: '\(passwordFile)' cannot be read")
            }
            return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        }
        return ask ? try PasswordPrompt.read("Password: ") : nil
    }
}

struct AddUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user: a device unless another role is given. Its password is shown once.")

    enum Kind: String, EnumerableFlag {
        case device, member, viewer, `operator`

        static func help(for value: Kind) -> ArgumentHelp? {
            switch value {
            case .device: "A bike, a watch or a phone."
            case .member: "A person, with a phone of the same name."
            case .viewer: "A screen on the wall."
            case .operator: "Somebody who runs the gym."
            }
        }
    }

    @OptionGroup var login: LoginOptions
    @Flag var kind: Kind = .device
    @Option(help: "The name of a member's check-ins so far, where it is another one, such as Anna.") var person: String?

    func validate() throws {
        guard person == nil || kind == .member else { throw ValidationError("--person is for a --member") }
    }

    func run() async throws {
        guard let role = Role(rawValue: kind.rawValue) else { throw ValidationError("'\(kind.rawValue)' is no role") }
        try await login.issue { users, password in
            (try users.add(login.name, role: role, person: person, by: login.folder.by, password: password), role)
        }
    }
}

struct RotateUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a user another password, shown once; sessions with the old one end.")

    @OptionGroup var login: LoginOptions

    func run() async throws {
        try await login.issue { users, password in
            let made = try users.rotate(login.name, by: login.folder.by, password: password)
            return (made, try users.all().first { "\($0.name)" == login.name }?.role ?? .device)
        }
    }
}

struct RevokeUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a user away; its sessions end. What was counted stays: 'stridebus people forget'.")

    @OptionGroup var options: UserFolderOptions
    @Argument var name: String

    func run() async throws {
        let (users, folder, place) = try options.open()
        try users.revoke(name, by: options.by)
        Output.line("'\(name)' is no user any more.")
        try await options.report(users, folder: folder, place: place, revoked: name)
    }
}

struct ListUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the users and their roles.")

    @OptionGroup var options: UserFolderOptions

    func run() async throws {
        for user in try options.open().users.all() {
            let role = user.role.rawValue
            let space = String(repeating: " ", count: max(0, 10 - role.count))
            Output.line("\(role)\(space)\(user.name)" + (user.person.map { " (\($0))" } ?? ""))
        }
    }
}
