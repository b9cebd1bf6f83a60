import ArgumentParser
import Foundation
import Lab
import StrideClient
import Wire

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish recorded CSV files to a broker, each as a device.",
        discussion: """
            The files are those of 'stridebus count', and the totals are its totals, to the step. All devices start at \
            once and end with their files.
            """)

    @Argument(help: "CSV files.", completion: .file(extensions: ["csv"]))
    var files: [String]

    @OptionGroup var client: ClientOptions
    @OptionGroup var device: DeviceOptions

    @Option(help: ArgumentHelp("Seconds of frames in a second on the wall.", valueName: "0.01…10000"))
    var speed = PlayingSpeed(factor: 1)

    @Option(help: "The form of the frames: json, compact or protobuf.")
    var form: MotionPublisher.Form = .json

    func run() async throws {
        let items = try files.map { file in
            RecordingSource.Item(
                name: file, recording: try RecordingFile(contentsOf: URL(fileURLWithPath: file)),
                configuration: try device.configuration(), trueSteps: nil)
        }
        let pace = Pace(speed: speed.factor, seconds: items.map(\.recording.durationSeconds).max() ?? 0)
        let publisher = try client.publisher()
        var player = FramePlayer(
            source: RecordingSource(items: items, startMicroseconds: pace.startMicroseconds), pace: pace,
            publisher: publisher, form: form)
        try await player.offerConfigurations()
        try await player.play()
        await publisher.close()
    }
}
