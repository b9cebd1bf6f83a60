import Lab
import MQTT
public import ArgumentParser
public import StrideClient

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
