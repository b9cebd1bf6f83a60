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
        let recordings = try files.map { file -> (file: String, recording: FITRecording) in
            do { return (file, try read(file)) } catch let error as FITError {
                throw ValidationError("\(file): \(error)")
            }
        }
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
        let data = try Data(contentsOf: URL(fileURLWithPath: file), options: .mappedIfSafe)
        guard data.count <= Self.maximumFileBytes else { throw ValidationError("\(file) is larger than 32 MB") }
        return try FITRecording(Array(data))
    }

    private func name(of recording: FITRecording, in file: String) throws -> DeviceID {
        guard let serial = recording.serial else {
            throw ValidationError("\(file) does not tell the serial number of its device: give --device")
        }
        return try DeviceID("fit-\(serial)")
    }
}
