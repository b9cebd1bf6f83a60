import ArgumentParser
import Wire

extension TimePoint {
    /// A date, an instant, or seconds since 1970.
    init(argument: String) throws {
        let seconds = Double(argument)
        if let seconds, PayloadLimits.timeSeconds.contains(seconds) {
            self = .instant(seconds: seconds)
        } else if seconds == nil, let time = try? TimePoint(parsing: argument) {
            self = time
        } else {
            throw ValidationError("give 2026-11-20, 2026-11-20T17:00:00+01:00, or seconds since 1970")
        }
    }
}

/// A stretch of time, by a calendar.
struct TimeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The first instant or date.", valueName: "time"), transform: TimePoint.init(argument:))
    var from: TimePoint?

    @Option(help: ArgumentHelp("The end, not included.", valueName: "time"), transform: TimePoint.init(argument:))
    var to: TimePoint?

    @Option(
        help: ArgumentHelp(
            "The zone of dates and days, such as Europe/Berlin (default: the device's).", valueName: "zone"))
    var zone: String?

    var isEmpty: Bool { from == nil && to == nil && zone == nil }

    /// A question about it.
    func request(_ verb: RequestVerb, of device: DeviceID? = nil) -> HistoryRequest {
        HistoryRequest(verb: verb, device: device, from: from, to: to, zone: zone)
    }
}

/// A device, or a person with all devices.
struct SubjectOptions: ParsableArguments {
    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person, with all devices: each minute from one of them.")
    var person: String?

    func requireOne() throws {
        guard (device == nil) != (person == nil) else {
            throw ValidationError("say whose: give --device or --person")
        }
    }
}
