public import ArgumentParser
import Foundation
import Lab
import MQTT
public import StrideClient
import UnixSignals
import Wire

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Publish a simulated gym of bikes and walkers to a broker.",
        discussion: "At the end it prints what truly happened as one JSON object, or writes it to --truth FILE.")

    @OptionGroup var client: ClientOptions
    @OptionGroup var gym: GymOptions

    @Option(name: .customLong("for"), help: ArgumentHelp("Stop after this time on the wall.", valueName: "time"))
    var duration = DurationSeconds(seconds: 60)

    @Option(
        help: ArgumentHelp("Seconds of frames in a second on the wall.", valueName: "0.01…10000"),
        transform: Pace.speed(argument:))
    var speed = 1.0

    @Option(help: ArgumentHelp("Write the truth to this file.", valueName: "file"))
    var truth: String?

    @Option(
        help: ArgumentHelp(
            "Write each true step and revolution to this file once its frame is sent, as CSV: t_s, device, event.",
            valueName: "file"))
    var events: String?

    func run() async throws {
        let seconds = duration.seconds * speed
        let pace = Pace(speed: speed, seconds: seconds)
        let log = try events.map(EventLog.init)
        // Before anything is sent: a truth that cannot be written at the end is of no use.
        let truthFile = try truth.map { path in
            try Data().write(to: URL(fileURLWithPath: path))
            return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        }
        let publisher = try client.publisher()
        let player = FramePlayer(
            source: gym.source(startMicroseconds: pace.startMicroseconds, seconds: seconds), pace: pace,
            publisher: publisher,
            form: gym.form)
        let end = pace.startMicroseconds + Int64((seconds * 1e6).rounded())
        // Whoever stops it wants to know what has happened until then.
        let json = try await untilInterrupted { [player] in
            var player = player
            do {
                try await player.offerConfigurations()
                try await player.play(untilDevice: end) { try log?.append($0) }
            } catch  where Task.isCancelled {}
            return player.source.gym.encodedTruth()
        }
        await publisher.close()
        guard let truthFile else { return Output.json(json) }
        try truthFile.write(contentsOf: Data(json))
        try truthFile.close()
    }

    /// Does something, which is cancelled at the first Ctrl-C or SIGTERM; the second one ends the program.
    private func untilInterrupted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let working = Task { try await work() }
        let listening = Task {
            for await _ in signals {
                guard !working.isCancelled else { Foundation.exit(130) }
                working.cancel()
            }
        }
        defer { listening.cancel() }
        return try await working.value
    }
}

/// The true steps and revolutions of a gym, a line each.
private struct EventLog: Sendable {
    private let file: FileHandle

    init(path: String) throws {
        try Data("t_s,device,event\n".utf8).write(to: URL(fileURLWithPath: path))
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
    }

    func append(_ devices: [PlayedDevice]) throws {
        let lines = devices.flatMap { device in
            device.lastEvents.map { event in
                "\(DecimalText.fixed(Double(event.microseconds) / 1e6, decimals: 4)),\(device.id),\(event.kind)\n"
            }
        }
        try file.write(contentsOf: Data(lines.joined().utf8))
    }
}

extension MotionPublisher.Form: ExpressibleByArgument {}

struct GymOptions: ParsableArguments {
    @Option(help: "Simulated bikes.")
    var bikes = 4

    @Option(help: "Simulated walkers.")
    var wearables = 4

    @Flag(help: "Everybody wears a strap that tells the heart rate.")
    var heart = false

    @Flag(help: "Bikes have a power meter.")
    var power = false

    @Flag(help: "Everybody has stopped before the end, so that all of it can be compared.")
    var stop = false

    @Option(help: "Everything random is drawn from it.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Samples a second.", valueName: "hz"))
    var rate = 50.0

    @Option(help: "The form of the frames: json, compact or protobuf.")
    var form: MotionPublisher.Form = .json

    func validate() throws {
        let counts = 0...SimulatedGym.maximumDevices
        guard counts.contains(bikes), counts.contains(wearables), counts.dropFirst().contains(bikes + wearables) else {
            throw ValidationError("--bikes and --wearables must be 1 to \(SimulatedGym.maximumDevices) together")
        }
        guard rate >= 10, rate <= 400 else { throw ValidationError("--rate is \(rate): give 10 to 400 Hz") }
    }

    /// The gym as a source of so many seconds of frames.
    func source(startMicroseconds: Int64, seconds: Double) -> GymSource {
        var sensors: GymDevice.RiderSensors = []
        if heart { sensors.insert(.strap) }
        if power { sensors.insert(.powerMeter) }
        return GymSource(
            gym: SimulatedGym(
                bikes: bikes, wearables: wearables, seed: seed, stopSeconds: stop ? seconds : nil,
                sensors: sensors, rateHz: rate,
                startMicroseconds: startMicroseconds))
    }
}

extension FramePlayer {
    /// Publishes what each device is. Where the bus refuses that to this user, it is said and the frames are played all the
    /// same.
    func offerConfigurations() async throws {
        do { try await publishConfigurations() } catch let error as MQTTError
            where [.notAuthorized, .refused].contains(error.code)
        {
            Output.errorLine(
                "devices stay what the bus takes them for, because their config is refused: \(error.message)")
        }
    }
}

extension Pace {
    /// How fast frames are played.
    static func speed(argument: String) throws -> Double {
        guard let speed = Double(argument), speeds.contains(speed) else {
            throw ValidationError(
                "give \(speeds.lowerBound) to \(Int(speeds.upperBound)) times as fast as they were made")
        }
        return speed
    }
}

/// A length of time on the command line: `20s`, `500ms`, `2m`, `1h`, or plain seconds.
struct DurationSeconds: ExpressibleByArgument {
    let seconds: Double

    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
    ]

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(argument: String) {
        for unit in Self.units where argument.hasSuffix(unit.suffix) {
            guard let number = Double(argument.dropLast(unit.suffix.count)) else { continue }
            guard number.isFinite, number > 0, number * unit.seconds <= 31_622_400 else { return nil }
            seconds = number * unit.seconds
            return
        }
        return nil
    }

    var defaultValueDescription: String { "\(seconds)s" }
}
