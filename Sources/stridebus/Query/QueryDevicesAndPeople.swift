import ArgumentParser
import Lab
import Wire

struct QueryDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices that history knows, with times by their own clocks.")

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .devices), as: DevicesData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: DevicesData) -> TextTable {
        var table = TextTable(columns: [
            .words("device"), .words("kind"), .words("placement"), .numbers("steps"), .numbers("revolutions"),
            .words("first"), .words("last"), .words("zone"), .words("name"),
        ])
        for device in data.devices {
            let clock = LocalClock(zone: device.zone)
            table.append([
                device.device.description, device.kind.rawValue, device.placement ?? "",
                device.kind == .bike ? "" : "\(device.steps)",
                device.revolutions == 0 && device.kind == .wearable ? "" : "\(device.revolutions)",
                clock.text(device.firstT), clock.text(device.lastT), clock.zone,
                device.name ?? "",
            ])
        }
        return table
    }
}

struct QueryCapabilities: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capabilities", abstract: "What is available on a device, and if not why.")

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var options: QueryOptions

    func run() async throws {
        let request = HistoryRequest(verb: .capabilities, device: device)
        try await options.ask(request, as: CapabilitiesData.self) { data, _ in Self.table(data) }
    }

    private static func table(_ data: CapabilitiesData) -> TextTable {
        var table = TextTable(columns: [.words("\(data.device)"), .words("available"), .words("why not")])
        for capability in Capability.allCases {
            switch data.availabilities[capability] {
            case .available: table.append([capability.rawValue, "yes"])
            case .unavailable(let why): table.append([capability.rawValue, "no", why])
            case nil: table.append([capability.rawValue, "no"])
            }
        }
        if let note = data.note { table.append(["note", "", note]) }
        let missing = data.unauthorisedVerbs.map(\.rawValue).joined(separator: ", ")
        table.append([
            "every request", data.isAuthorised ? "yes" : "no", missing.isEmpty ? "" : "not by this user: \(missing)",
        ])
        return table
    }
}

struct QueryPeople: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "people", abstract: "Who has which devices, and since when.")

    @Option(help: ArgumentHelp("The zone of the times that are shown (default: UTC).", valueName: "zone"))
    var zone: String?

    @OptionGroup var options: QueryOptions

    func run() async throws {
        try await options.askAll(HistoryRequest(verb: .people), as: PeopleData.self) { data, _ in
            Self.table(data, LocalClock(zone: zone))
        }
    }

    private static func table(_ data: PeopleData, _ clock: LocalClock) -> TextTable {
        var table = TextTable(columns: [
            .words("person"), .words("device"), .words("from (\(clock.zone))"), .words("to"), .words("shown"),
        ])
        for person in data.people {
            let shown = person.isOnTheWall ? person.alias.map { "as \($0)" } ?? "" : "off the wall"
            for assignment in person.devices {
                table.append([
                    assignment.person, assignment.device.description, assignment.from.map(clock.text) ?? "always",
                    assignment.to.map(clock.text) ?? "", shown,
                ])
            }
        }
        return table
    }
}

struct QueryPerson: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person",
        abstract: "What all devices of a person together say, each minute from one of them (default: the last 7 days).")

    @Argument(help: "The person.")
    var person: String

    @OptionGroup var times: TimeOptions

    @Option(help: "minute, hour, day, week or month.")
    var bucket: Bucket = .day

    @OptionGroup var options: QueryOptions

    func run() async throws {
        var request = times.request(.people)
        (request.bucket, request.person) = (bucket, person)
        try await options.askAll(request, as: PersonData.self) { data, _ in
            table(data)
        } note: { data in
            // Nothing is known of a person who does not exist. That is no error, but a mistyped name should be noticed.
            data.buckets.allSatisfy { $0.totals == Totals() }
                ? "nothing was counted of '\(data.person)' then; 'stridebus query people' lists who has which" : nil
        }
    }

    private func table(_ data: PersonData) -> TextTable {
        let clock = LocalClock(zone: data.zone)
        let rows = data.buckets.map { CountColumns.Row(totals: $0.totals, rpm: $0.rpm?.average, spm: $0.spm?.average) }
        return CountColumns.table(
            rows, under: [.words("start (\(clock.zone))")],
            data.buckets.map { [clock.text($0.start, of: data.bucket)] })
    }
}
