import ArgumentParser
import Foundation
import Lab
import StrideClient
import Wire

struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count steps and revolutions in recorded CSV files, without a bus.",
        discussion: """
            Prints one JSON line a file: {"file","duration_s","steps","revolutions","cadence_avg_rpm","floors_ascended", \
            "floors_descended","activity_s"}; floors where there are pressures. \
            A file has the header t_s,ax,ay,az,gx,gy,gz,mx,my,mz,pressure_hpa: seconds, m/s² with gravity, rad/s, µT, \
            hPa; the columns of missing sensors are empty, that of the pressure on most lines. It is the counter's own pipeline: over the bus the same frames give the \
            same numbers.
            """)

    @Argument(help: "CSV files.", completion: .file(extensions: ["csv"]))
    var files: [String]

    @OptionGroup var device: DeviceOptions

    @Flag(help: #"Also print a line a second: {"t_s","cadence_rpm","cadence_spm","activity","confidence"}."#)
    var series = false

    func run() throws {
        for file in files {
            let recording = try RecordingFile(contentsOf: URL(fileURLWithPath: file))
            var count = OfflineCount(device: try DeviceID("recording"), configuration: try device.configuration())
            count.accept(recording.frames())
            let summary = count.finish()
            if series {
                for second in count.seconds() { Output.json(second.encodedJSON()) }
            }
            Output.json(summary.encodedJSON(file: file))
            try Output.check()
        }
    }
}

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

    @Option(
        help: ArgumentHelp("Seconds of frames in a second on the wall.", valueName: "0.01…10000"),
        transform: Pace.speed(argument:))
    var speed = 1.0

    @Option(help: "The form of the frames: json, compact or protobuf.")
    var form: MotionPublisher.Form = .json

    func run() async throws {
        let items = try files.map { file in
            RecordingSource.Item(
                name: file, recording: try RecordingFile(contentsOf: URL(fileURLWithPath: file)),
                configuration: try device.configuration())
        }
        let pace = Pace(speed: speed, seconds: items.map(\.recording.durationSeconds).max() ?? 0)
        let publisher = try client.publisher()
        var player = FramePlayer(
            source: RecordingSource(items: items, startMicroseconds: pace.startMicroseconds), pace: pace,
            publisher: publisher, form: form)
        try await player.offerConfigurations()
        try await player.play()
        await publisher.close()
    }
}
