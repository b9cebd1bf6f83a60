import ArgumentParser
import Lab
import StrideClient
import Wire

struct WorkoutsCommand: AsyncParsableCommand {
    enum Edge: String, ExpressibleByArgument, CaseIterable {
        case start, stop
    }

    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "Say where a workout begins and ends.",
        discussion: """
            Without it history finds workouts by their movement: 'stridebus query workouts' lists them with their ids, and \
            the page names, joins and cuts them.
            """)

    @Argument(help: "start or stop.")
    var edge: Edge

    @OptionGroup var subject: SubjectOptions

    @Option(help: ArgumentHelp("When (default: now).", valueName: "seconds since 1970"))
    var at: Double?

    @OptionGroup var asking: AskingOptions

    func validate() throws { try subject.requireOne() }

    func run() async throws {
        let verb: RequestVerb = edge == .start ? .workoutsStart : .workoutsStop
        let request = HistoryRequest(verb: verb, device: subject.device, person: subject.person)
        let marked = try await asking.withBus { try await $0.mark(request, at: at) }
        let time = TimePoint.instant(seconds: marked.t ?? 0).text
        Output.line("a workout \(edge == .start ? "begins" : "ends") at \(time)")
        if let workout = marked.workout { Output.line("it is \(workout.id)") }
    }
}
