public import ArgumentParser
import Lab
import StrideClient
public import Wire

extension Bucket: ExpressibleByArgument {}

struct QueryToday: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "today", abstract: "Totals since the day began by the device's own calendar.")

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .historyInterval, device: subject.device, person: subject.person)
        try await options.ask(request, .interval)
    }
}

struct QueryDays: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "days", abstract: "Totals of each calendar day in the device's zone (default: the last 7 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyDays), .days) }
}

struct QueryInterval: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interval", abstract: "One record for an interval (default: since the day began).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyInterval), .interval) }
}

struct QuerySeries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "series", abstract: "An interval in buckets of minutes, hours, days, weeks or months.")

    @OptionGroup var stretch: StretchOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .minute

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = stretch.request(.historySeries)
        request.bucket = bucket
        try await options.ask(request, .buckets)
    }
}

struct QueryActivity: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract:
            "What the wearer of a device, or a person with all devices, did, stretch after stretch (default: today).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyActivity), .segments) }
}

struct QueryWorkouts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts", abstract: "Rides, walks and runs of a device or a person (default: the last 30 days).")

    @OptionGroup var stretch: StretchOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(stretch.request(.historyWorkouts), .workouts) }
}

struct QueryClasses: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "classes",
        abstract: "Classes with their riders, a row a rider: with --from, --to and --csv those of a month for a table.")

    @OptionGroup var times: TimeOptions
    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(times.request(.historyClasses), .classes) }
}

struct QueryDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that history knows, with times by their own clocks.")

    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(HistoryRequest(verb: .devices), .devices) }
}

struct QueryCapabilities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities", abstract: "What is available on a device, and if not why.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.ask(HistoryRequest(verb: .capabilities, device: device), .capabilities)
    }
}

struct QueryPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Who has which devices, and since when; times are UTC.")

    @OptionGroup var options: QueryOptions

    func run() async throws { try await options.ask(HistoryRequest(verb: .people), .people) }
}
