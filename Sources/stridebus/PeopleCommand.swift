import ArgumentParser
import Lab
import StrideClient
import Wire

struct PeopleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people",
        abstract: "Say who has which device, how people are shown, and forget one.",
        discussion:
            "'stridebus query people' lists who has which devices, 'stridebus query days --person' what they counted together.",
        subcommands: [CheckInCommand.self, CheckOutCommand.self, SetPerson.self, ForgetPerson.self])
}

struct CheckInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkin",
        abstract: "Say whose a device is: what it counts from now on, or in a stretch of time, is that person's.")

    @Argument(help: "The person.")
    var person: String

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Option(
        help: ArgumentHelp("Since when (default: now).", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(
        help: ArgumentHelp("Until when (default: until 'checkout').", valueName: "time"),
        transform: TimePoint.init(argument:))
    var to: TimePoint?

    @Option(help: "The team that the person rides for in a class.")
    var team: String?

    @OptionGroup var asking: AskingOptions

    func run() async throws {
        let assignment = try await asking.withBus {
            try await $0.checkIn(person, on: device, from: from, to: to, team: team)
        }
        Output.line(assignment.sentence)
    }
}

struct CheckOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkout", abstract: "End the check-in on a device.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Option(
        help: ArgumentHelp("Since when (default: now).", valueName: "time"), transform: TimePoint.init(argument:))
    var at: TimePoint?

    @OptionGroup var asking: AskingOptions

    func run() async throws {
        let assignment = try await asking.withBus { try await $0.checkOut(of: device, at: at) }
        Output.line(assignment.sentence)
    }
}

struct SetPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract:
            "Say under which name the wall shows a person, where who has none is not on it, and what the person wants to reach."
    )

    @Argument(help: "The person.")
    var person: String

    @Option(help: "The name on the wall; an empty one takes the person off it.")
    var alias: String?

    @Option(help: "Steps to make each day; 0 takes the goal away.")
    var stepsPerDay: Int?

    @Option(help: "Minutes to be active each week; 0 takes the goal away.")
    var activeMinPerWeek: Int?

    @Option(help: "Rides to make each week; 0 takes the goal away.")
    var ridesPerWeek: Int?

    @Option(
        help: "The day with which weeks begin: monday, sunday or saturday (default: as in the country of the zone).")
    var weekStarts: WeekStart?

    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard alias != nil || goals != Goals() else { throw ValidationError("say what to set: --alias, or a goal") }
    }

    private var goals: Goals {
        Goals(
            stepsPerDay: stepsPerDay, activeMinutesPerWeek: activeMinPerWeek, ridesPerWeek: ridesPerWeek,
            weekStarts: weekStarts)
    }

    func run() async throws {
        let shown = try await asking.withBus { try await $0.configure(person: person, alias: alias, goals: goals) }
        let wishes = [
            shown.goals.stepsPerDay.map { "\($0) steps a day" },
            shown.goals.activeMinutesPerWeek.map { "\($0) active minutes a week" },
            shown.goals.ridesPerWeek.map { "\($0) rides a week" },
        ].compactMap(\.self)
        let wall = shown.alias.map { " is on the wall as \($0)" } ?? " is not on the wall"
        Output.line(shown.person + wall + (wishes.isEmpty ? "" : "; goals: " + wishes.joined(separator: ", ")))
    }
}

struct ForgetPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete what was counted of a person, for good.",
        discussion: """
            That is what devices counted while they were the person's, and all of the device of a member's own name: ask \
            before the user is revoked, or add 'stridebus device forget'. Other people's days stay as they are. A device whose config \
            names the person is nobody's until the config names another, or somebody is checked in.
            """)

    @Argument(help: "The person.")
    var person: String

    @OptionGroup var deleting: DeletingOptions
    @OptionGroup var asking: AskingOptions

    func run() async throws {
        let forgotten = try await asking.withBus { try await $0.forget(person: person) }
        Output.line(
            forgotten.devices > 0 || forgotten.minutes > 0
                ? "deleted: \(forgotten.minutes) min, devices: \(forgotten.devices)"
                : "nothing was kept of '\(person)'; 'stridebus query people' and 'stridebus users list' show the names")
    }
}

/// The confirmation of what nothing brings back.
struct DeletingOptions: ParsableArguments {
    @Flag(help: "Yes, delete it.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("nothing brings it back: add --yes to delete it") }
    }
}

extension AssignmentData {
    fileprivate var sentence: String {
        let times = [("from", from), ("to", to)].compactMap { word, time in
            time.map { "\(word) \(TimePoint.instant(seconds: $0).text)" }
        }
        return (["\(person) has \(device)"] + times).joined(separator: " ")
    }
}
