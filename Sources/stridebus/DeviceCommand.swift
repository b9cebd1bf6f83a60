import ArgumentParser
import Foundation
import Lab
import ServiceKit
import StrideClient
import Wire

/// The devices of a bus and what an operator says about them.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List devices, and say what they are: their config, which the broker keeps.",
        discussion: """
            A device needs no config: without one it works with the defaults and is listed as new. A config takes \
            effect at once, in every service.
            """,
        subcommands: [ListDevices.self, ShowDevice.self, SetDevice.self, ForgetDevice.self],
        defaultSubcommand: ListDevices.self)
}

/// Every device that history or the broker knows.
struct ListDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The devices, with their config; 'new' where there is none.")

    @OptionGroup var asking: AskingOptions

    func run() async throws {
        var known: [DeviceID] = []
        do {
            known = try await asking.withBus { try await $0.devices() }.map(\.device)
        } catch StrideClientError.noReply {
            Output.errorLine("history does not answer: devices without a config are missing")
        }
        let registry = try asking.client.registry()
        var entries = try await registry.entries()
        let missing = known.filter { entries[$0]?.config == nil }
        if !missing.isEmpty { entries.merge(try await registry.entries(of: missing)) { $1 } }
        for device in known where entries[device] == nil { entries[device] = DeviceRegistry.Entry() }
        var table = TextTable(columns: [
            .words("device"), .words("config"), .words("kind"), .words("placement"), .words("person"),
            .words("status"), .words("problem"),
        ])
        for (device, entry) in entries.sorted(by: { $0.key.description < $1.key.description }) {
            table.append([
                device.description,
                entry.configError.map { "refused: \($0.reason)" } ?? (entry.config == nil ? "new" : "set"),
                entry.config?.kind.rawValue ?? "", entry.config?.placement.rawValue ?? "", entry.config?.person ?? "",
                entry.isOnline.map { $0 ? "online" : "offline" } ?? "", entry.health?.problem ?? "",
            ])
        }
        guard !table.isEmpty else { return Output.errorLine("there is no device yet") }
        for line in table.lines { Output.line(line) }
    }
}

/// One device.
struct ShowDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "What the bus keeps of one device: config, status, problem, today's totals.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let entry = try await client.registry().entries(of: [device])[device] ?? DeviceRegistry.Entry()
        if let error = entry.configError {
            Output.line("config   refused: \(error.reason); 'stridebus device set \(device) --reset' replaces it")
        } else {
            Output.line("config   \(entry.config.map { $0.text } ?? "none: it works with the defaults")")
        }
        if let isOnline = entry.isOnline { Output.line("status   \(isOnline ? "online" : "offline")") }
        if let health = entry.health { Output.line("health   \(health.problem ?? "ok")") }
        if let day = entry.day { Output.line("today    \(String(decoding: day.encodedJSON(), as: UTF8.self))") }
    }
}

/// Sets what is given and leaves the rest.
struct SetDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say what a device is; what is not given stays as it was.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Option(help: "What the sensor is on.") var kind: DeviceKind?
    @Option(help: "Where the sensor is.") var placement: SensorPlacement?
    @Option(help: ArgumentHelp("Its time zone, an IANA name.", valueName: "zone")) var zone: String?
    @Option(help: ArgumentHelp("When its day starts.", valueName: "hh:mm")) var dayStart: String?
    @Option(help: ArgumentHelp("Metres of a stride, which is two steps.", valueName: "0.1…5"))
    var metresPerStride: Double?
    @Option(help: ArgumentHelp("The height of its wearer, in metres.", valueName: "0.5…2.5")) var height: Double?
    @Option(help: ArgumentHelp("Metres of a crank revolution.", valueName: "0.1…50"))
    var metresPerRevolution: Double?
    @Option(help: "Whose it is.") var person: String?
    @Flag(help: "Begin with the defaults in place of the present config.") var reset = false
    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let zone, TimeZone(identifier: zone) == nil {
            throw ValidationError("--zone is '\(zone)': give an IANA name such as Europe/Berlin")
        }
        if let dayStart, DeviceConfig.minutes(ofDayStart: dayStart) == nil {
            throw ValidationError("--day-start is '\(dayStart)': give hh:mm from 00:00 to 23:59")
        }
        let numbers: [(String, Double?, ClosedRange<Double>)] = [
            ("metres-per-stride", metresPerStride, 0.1...5), ("height", height, 0.5...2.5),
            ("metres-per-revolution", metresPerRevolution, 0.1...50),
        ]
        for case (let name, let value?, let range) in numbers where !range.contains(value) {
            throw ValidationError("--\(name) is \(value): give \(range.lowerBound) to \(range.upperBound) metres")
        }
    }

    func run() async throws {
        let registry = try client.registry()
        var config = DeviceConfig()
        if !reset, let entry = try await registry.entries(of: [device])[device] {
            if let error = entry.configError {
                throw ValidationError("the present config is refused (\(error.reason)): add --reset to replace it")
            }
            config = entry.config ?? config
        }
        config.kind = kind ?? config.kind
        config.placement = placement ?? config.placement
        config.zone = zone ?? config.zone
        config.dayStartMinutes = dayStart.flatMap { DeviceConfig.minutes(ofDayStart: $0) } ?? config.dayStartMinutes
        config.metresPerStride = metresPerStride ?? config.metresPerStride
        config.heightMetres = height ?? config.heightMetres
        config.metresPerRevolution = metresPerRevolution ?? config.metresPerRevolution
        config.person = person ?? config.person
        try await registry.set(config, of: device)
        Output.line("\(device): \(config.text)")
    }
}

/// Deletes all there is of a device.
struct ForgetDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete a device's config and everything that was counted of it, for good.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Flag(help: "Yes, delete it.")
    var yes = false

    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard yes else { throw ValidationError("nothing brings it back: add --yes to delete it") }
    }

    func run() async throws {
        let forgotten = try await asking.withBus { try await $0.forget(device: device) }
        try await asking.client.registry().remove(device)
        Output.line("deleted: \(device), \(forgotten.minutes) min")
    }
}

extension ClientOptions {
    /// The registry of the bus.
    fileprivate func registry() throws -> DeviceRegistry {
        let settings = try BusSettings(config: reader())
        return DeviceRegistry(endpoint: settings.endpoint, topics: settings.topics, version: settings.version)
    }
}

extension DeviceConfig {
    fileprivate var text: String { String(decoding: encodedJSON(), as: UTF8.self) }

    /// Minutes after midnight of `hh:mm`, as the config's own field takes it.
    fileprivate static func minutes(ofDayStart text: String) -> Int? {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ":") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return (try? DeviceConfig(json: Array(#"{"day_start":"\#(text)"}"#.utf8)))?.dayStartMinutes
    }
}
