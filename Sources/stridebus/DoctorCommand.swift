import ArgumentParser
import Foundation
import Lab
import ServiceKit
import Wire

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Try a bus from end to end: broker, limits, permissions, services, clocks and who sends.",
        discussion: """
            Everything is tried with real messages, because neither a granted subscription nor an acknowledged message \
            proves a permission. It publishes below {root}/reply/ alone; with --device also an empty message on each \
            topic of that device, which ingest refuses. The exit code is 0 unless something FAILs.
            """)

    @OptionGroup var client: ClientOptions

    @Option(
        help: "Also try what this device must be allowed, as the user in --broker.", transform: { try DeviceID($0) })
    var device: DeviceID?

    @Flag(help: "Only ask the broker and the services, as a monitor does.")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "Also look at the backups in this folder, of which there is one a day.", valueName: "directory"),
        completion: .directory)
    var backups: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("How long to listen to the bus.", valueName: "time"))
    var duration = DurationSeconds(seconds: 10)

    func run() async throws {
        var doctor = BusDoctor(bus: try client.settings())
        doctor.device = device
        doctor.listenSeconds = duration.seconds
        doctor.isQuick = quick
        var isWell = await doctor.run { $0.lines.forEach(Output.line) }
        if let backups {
            let finding = DataBackup.finding(in: backups, nowSeconds: Int(Date().timeIntervalSince1970))
            finding.lines.forEach(Output.line)
            isWell = isWell && finding.grade != .bad
        }
        if !isWell { throw ExitCode.failure }
    }
}
