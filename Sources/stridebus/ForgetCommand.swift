import ArgumentParser
import Lab
import StrideClient
import Wire

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete what was counted of a device, or of a person, for good.",
        discussion: """
            A device's config stays: take the person out of the configs first, or the person has the devices again.
            """)

    @Option(help: "The device.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Option(help: "The person.")
    var person: String?

    @Flag(help: "Yes, delete it.")
    var yes = false

    @OptionGroup var asking: AskingOptions

    func validate() throws {
        guard (device == nil) != (person == nil) else { throw ValidationError("give either --device or --person") }
        guard yes else { throw ValidationError("nothing brings it back: add --yes to delete it") }
    }

    func run() async throws {
        let forgotten = try await asking.withBus { bus in
            if let device { return try await bus.forget(device: device) }
            return try await bus.forget(person: person ?? "")
        }
        Output.line("deleted: \(forgotten.minutes) min, devices: \(forgotten.devices)")
    }
}
