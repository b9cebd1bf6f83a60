import ArgumentParser
import Lab
import MQTT
import ServiceKit
import StrideClient
import Wire

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List devices, and say what they are: their config, which the broker keeps.",
        discussion: """
            A device needs no config: without one it works with the defaults and is listed as new. A config takes \
            effect at once, in every service. What is wrong with one is said, and it is not kept.
            """,
        subcommands: [ListDevices.self, ShowDevice.self, SetDevice.self, ForgetDevice.self],
        defaultSubcommand: ListDevices.self)
}

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
        let probe = try asking.client.probe()
        var entries = try await probe.retained()
        let missing = known.filter { entries[$0]?.config == nil }
        if !missing.isEmpty { entries.merge(try await probe.retained(of: missing)) { $1 } }
        for device in known where entries[device] == nil { entries[device] = RetainedDevice() }
        var table = TextTable(columns: [
            .words("device"), .words("config"), .words("kind"), .words("placement"), .words("person"),
            .words("status"), .words("problem"), .words("name"),
        ])
        for (device, entry) in entries.sorted(by: { $0.key.description < $1.key.description }) {
            table.append([
                device.description,
                entry.configError.map { "refused: \($0.reason)" } ?? (entry.config == nil ? "new" : "set"),
                entry.config?.kind.rawValue ?? "", entry.config?.placement.rawValue ?? "", entry.config?.person ?? "",
                entry.isOnline.map { $0 ? "online" : "offline" } ?? "", entry.health?.problem ?? "",
                entry.health?.name ?? "",
            ])
        }
        guard !table.isEmpty else { return Output.errorLine("there is no device yet") }
        table.lines.forEach(Output.line)
    }
}

struct ShowDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "What the bus keeps of one device: config, status, problem, today's totals.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var client: ClientOptions

    func run() async throws {
        guard let entry = try await client.probe().retained(of: [device])[device], entry != RetainedDevice() else {
            Output.errorLine("the bus keeps nothing of '\(device)'; 'stridebus device list' shows those that there are")
            throw ExitCode.failure
        }
        if let error = entry.configError {
            Output.line("config   refused: \(error.reason); 'stridebus device set \(device) --reset' replaces it")
        } else {
            let text = entry.configFields.map { String(decoding: $0.encodedJSON(), as: UTF8.self) }
            Output.line("config   \(text ?? "none: it works with the defaults")")
        }
        if let isOnline = entry.isOnline { Output.line("status   \(isOnline ? "online" : "offline")") }
        if let name = entry.health?.name { Output.line("name     \(name)") }
        if let health = entry.health { Output.line("health   \(health.problem ?? "ok")") }
        if let day = entry.day { Output.line("today    \(String(decoding: day.encodedJSON(), as: UTF8.self))") }
    }
}

struct SetDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say what a device is; what is not given stays as it was.",
        discussion: "History checks the config and has the broker keep it, so it must be running.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @OptionGroup var settings: DeviceOptions
    @Option(help: ArgumentHelp("Its time zone, an IANA name.", valueName: "zone")) var zone: String?
    @Option(help: ArgumentHelp("When its day starts.", valueName: "hh:mm")) var dayStart: String?
    @Option(help: ArgumentHelp("Metres of a stride, which is two steps.", valueName: "0.1…5"))
    var metresPerStride: Double?
    @Option(help: ArgumentHelp("The height of its wearer, in metres.", valueName: "0.5…2.5")) var height: Double?
    @Option(help: ArgumentHelp("Metres of a crank revolution.", valueName: "0.1…50"))
    var metresPerRevolution: Double?
    @Option(help: "Whose it is.") var person: String?
    @Flag(help: "Begin with the defaults in place of the present config.") var reset = false
    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard [metresPerStride, height, metresPerRevolution].allSatisfy({ $0?.isFinite ?? true }) else {
            throw ValidationError("a length is a number of metres, such as 1.4")
        }
    }

    func run() async throws {
        let probe = try asking.client.probe()
        var fields = JSONObject()
        if !reset { fields = try await probe.retained(of: [device])[device]?.configFields ?? fields }
        for case (let name, let value?) in given { try fields.set(name, to: value) }
        let config = try await asking.withBus { bus in
            try await bus.configure(device, fields: fields, keepsUnknownFields: true)
        }
        // Over MQTT 3.1.1 a broker acknowledges also what its access list forbids.
        let topic = probe.bus.topics.text(.device(device, .config))
        guard await probe.retained(topic, where: { (try? DeviceConfig(json: $0)) == config }) != nil else {
            throw CommandError(
                "the broker did not keep the config: allow history's user to write {device}/config and this one to read "
                    + "it; 'stridebus doctor' tries it")
        }
        Output.line("\(device): \(String(decoding: fields.encodedJSON(), as: UTF8.self))")
    }

    /// The fields that the options give, by their names in a config.
    private var given: [(name: String, value: JSONValue?)] {
        settings.fields + [
            ("zone", zone.map { .string($0) }), ("day_start", dayStart.map { .string($0) }),
            ("metres_per_stride", metresPerStride.map { .number($0) }), ("height_m", height.map { .number($0) }),
            ("metres_per_revolution", metresPerRevolution.map { .number($0) }), ("person", person.map { .string($0) }),
        ]
    }
}

struct ForgetDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete a device's config and everything that was counted of it, for good.")

    @Argument(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Flag(help: "Delete what was counted, and not its config.")
    var keepConfig = false

    @OptionGroup var deleting: DeletingOptions
    @OptionGroup var asking: AskingOptions

    func run() async throws {
        let forgotten = try await asking.withBus { try await $0.forget(device: device) }
        if !keepConfig { try await asking.client.probe().clear(device) }
        Output.line(
            forgotten.devices > 0
                ? "deleted: \(device), \(forgotten.minutes) min"
                : "history knows no '\(device)'; 'stridebus device list' shows the devices")
    }
}

extension ClientOptions {
    fileprivate func probe() throws -> BrokerProbe {
        let name = "stridebus-device-" + String(UInt64.random(in: .min ... .max), radix: 36)
        return BrokerProbe(bus: try settings(), name: name, patienceSeconds: 5)
    }
}

/// A device as an operator sees it: its retained `config`, and its other retained messages.
struct RetainedDevice: Sendable, Equatable {
    /// The operator's config; `nil` for a device that works with the defaults.
    var config: DeviceConfig?
    /// All fields of the retained config, unknown ones included; `nil` if it is not a JSON object.
    var configFields: JSONObject?
    /// Why the retained config is not used: it is malformed or a value is out of range.
    var configError: WireError?
    /// True if its last status is `online`, false for any other, such as its will; `nil` without a status.
    var isOnline: Bool?
    var health: DeviceHealth?
    var day: DayTotals?

    fileprivate mutating func take(_ payload: UnsafeRawBufferPointer, of channel: DeviceChannel) {
        switch channel {
        case .config:
            (config, configError) = (nil, nil)
            configFields = (try? JSONValue(parsing: payload))?.object
            guard !payload.isEmpty else { return }
            do throws(WireError) { config = try DeviceConfig(json: payload) } catch { configError = error }
        case .status: isOnline = payload.isEmpty ? nil : payload.elementsEqual("online".utf8)
        case .health: health = try? DeviceHealth(json: payload)
        case .day: day = try? DayTotals(json: payload)
        default: break
        }
    }
}

extension BrokerProbe {
    /// How long retained messages may take after the subscription, in seconds.
    private static let devicesSeconds = 1.0

    /// Collects the retained messages of devices.
    ///
    /// A broker has no list of devices. Those with retained messages are found by these, others by a request to history.
    /// - Parameter devices: The devices to look for, by their exact topics: some brokers send no retained messages for
    ///   wildcards. If it is empty, all devices are looked for.
    /// - Throws: `MQTTError` where the broker does not let this user read, or there is none.
    func retained(of devices: [DeviceID] = []) async throws -> [DeviceID: RetainedDevice] {
        let channels: [DeviceChannel] = [.config, .status, .health, .day]
        let filters =
            devices.isEmpty
            ? channels.map { bus.topics.filter(every: $0) }
            : devices.flatMap { device in channels.map { bus.topics.text(.device(device, $0)) } }
        var found: [DeviceID: RetainedDevice] = [:]
        var isReading = false
        try await listen(to: filters, as: connection("in"), seconds: Self.devicesSeconds) {
            isReading = true
        } take: { batch in
            for message in batch {
                guard case .device(let device, let channel) = try? bus.topics.parse(message.topic) else { continue }
                found[device, default: RetainedDevice()].take(message.payload, of: channel)
            }
            return false
        }
        guard isReading else {
            throw MQTTError(
                .connectTimeout, "no broker answers at \(bus.endpoint): is it running, and is the address right?")
        }
        return found
    }

    /// Clears the retained config and the retained status of a device.
    func clear(_ device: DeviceID) async throws {
        try await publish(
            [DeviceChannel.config, .status].map { channel in
                MQTTPublication(topic: bus.topics.bytes(.device(device, channel)), payload: [], retain: true)
            })
    }
}
