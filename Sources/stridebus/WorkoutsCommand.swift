public import ArgumentParser
import Lab
import StrideClient
public import Wire

struct WorkoutsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "Say where a workout begins and ends, and what it is.",
        discussion:
            "Without it history finds workouts by their movement: 'stridebus query workouts' lists them with their ids.",
        subcommands: [StartWorkout.self, StopWorkout.self, EditWorkout.self])
}

struct StartWorkout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "start", abstract: "A workout begins.")

    @OptionGroup var edge: EdgeOptions

    func run() async throws { try await edge.set(.workoutsStart, "begins") }
}

struct StopWorkout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stop", abstract: "A workout ends.")

    @OptionGroup var edge: EdgeOptions

    func run() async throws { try await edge.set(.workoutsStop, "ends") }
}

/// Whose workout it is, and when.
struct EdgeOptions: ParsableArguments {
    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("When (default: now).", valueName: "seconds since 1970"))
    var at: Double?

    @OptionGroup var asking: AskingOptions

    func set(_ verb: RequestVerb, _ word: String) async throws {
        let request = HistoryRequest(verb: verb, device: subject.device, person: subject.person)
        let marked = try await asking.withBus { try await $0.mark(request, at: at) }
        Output.line("a workout \(word) at \(TimePoint.instant(seconds: marked.t ?? 0).text)")
        if let workout = marked.workout { Output.line("it is \(workout.id)") }
    }
}

extension WorkoutKind: ExpressibleByArgument {}

struct EditWorkout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Name a workout, say what it was, join it with the next, cut it, or delete it.")

    @Argument(help: "Its id, as 'stridebus query workouts' shows it.")
    var id: String

    @Option(help: "Its name; an empty one takes the name away.")
    var title: String?

    @Option(help: "What it was: ride, walk or run.")
    var kind: WorkoutKind?

    @Option(help: "Whether it and the next one are one: true or false.")
    var joined: Bool?

    @Option(help: ArgumentHelp("Where it is cut in two.", valueName: "seconds since 1970"))
    var cutAt: Double?

    @Option(help: "Whether it is none: true, or false to bring it back.")
    var deleted: Bool?

    @OptionGroup var asking: AskingOptions

    func run() async throws {
        let workout = try await asking.withBus {
            try await $0.edit(
                workout: id, title: title, kind: kind, joined: joined, cutAt: cutAt, deleted: deleted)
        }
        guard let workout, deleted != true else { return Output.line("\(id) is deleted") }
        let (start, end) = (
            TimePoint.instant(seconds: workout.start).text, TimePoint.instant(seconds: workout.end).text
        )
        Output.line("\(workout.title ?? workout.kind.rawValue) from \(start) to \(end)")
    }
}
