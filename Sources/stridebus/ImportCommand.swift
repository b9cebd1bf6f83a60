import ArgumentParser
import FIT
import Foundation
import Lab
import MQTT
import ServiceKit
import Wire

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take rides, walks and runs of other devices, from their FIT files.",
        discussion: """
            Each file becomes a device of its own serial number, such as fit-3945849289. What is taken a second time \
            changes nothing. Check the device in to a person, for that time, and the rides are that person's.
            """)

    @Argument(help: "FIT files.", completion: .file(extensions: ["fit"]))
    var files: [String]

    @Option(help: "The device that they are of (default: by their serial number).", transform: { try DeviceID($0) })
    var device: DeviceID?

    @OptionGroup var client: ClientOptions

    /// The largest file; a day of a watch with every sensor has a tenth of it.
    private static let maximumFileBytes = 32 << 20
    /// The longest time that the broker may take for a file, in seconds.
    private static let patienceSeconds = 30.0

    func run() async throws {
        let recordings = try files.map { file in (file, try read(file)) }
        let settings = try client.settings()
        let probe = BrokerProbe(
            bus: settings, name: "stride-import-\(UInt64.random(in: 0 ... .max))", patienceSeconds: Self.patienceSeconds
        )
        for (file, recording) in recordings {
            let device = try self.device ?? name(of: recording, in: file)
            let topic = settings.topics.bytes(.device(device, .seconds))
            try await probe.publish(
                recording.parts.map { MQTTPublication(topic: topic, payload: $0.encodedJSON()) })
            let seconds = recording.parts.reduce(0) { $0 + $1.knownCount }
            Output.line("\(file): \(seconds) s of \(device)")
        }
    }

    private func read(_ file: String) throws -> FITRecording {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe) else {
            throw Unusable(file, "cannot be read; check the path and its permissions")
        }
        guard data.count <= Self.maximumFileBytes else { throw Unusable(file, "is larger than 32 MB") }
        let recording: FITRecording
        do { recording = try FITRecording(Array(data)) } catch { throw Unusable(file, "\(error)") }
        guard recording.parts.allSatisfy({ $0.hasPassed(nowSeconds: Date().timeIntervalSince1970) }) else {
            throw Unusable(file, "has times before 2001 or to come: the clock of its device was not set")
        }
        return recording
    }

    /// A file of which nothing is sent.
    private struct Unusable: Error, CustomStringConvertible {
        let description: String

        init(_ file: String, _ problem: String) { description = "\(file): \(problem)" }
    }

    private func name(of recording: FITRecording, in file: String) throws -> DeviceID {
        guard let serial = recording.serial else {
            throw ValidationError("\(file) does not tell the serial number of its device: give --device")
        }
        return try DeviceID("fit-\(serial)")
    }
}
