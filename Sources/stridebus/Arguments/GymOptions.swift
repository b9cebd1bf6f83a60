public import ArgumentParser
import Playback
import Simulator
public import StrideClient

extension MotionPublisher.Form: ExpressibleByArgument {
    /// Reads the form's name.
    public init?(argument: String) {
        switch argument {
        case "json": self = .json
        case "compact": self = .compactJSON
        case "protobuf": self = .protobuf
        default: return nil
        }
    }

    /// The form's name.
    public var defaultValueDescription: String {
        switch self {
        case .json: "json"
        case .compactJSON: "compact"
        case .protobuf: "protobuf"
        }
    }

    /// The names there are.
    public static var allValueStrings: [String] { ["json", "compact", "protobuf"] }
}

/// A simulated gym.
struct GymOptions: ParsableArguments {
    @Option(help: "Simulated bikes.")
    var bikes = 4

    @Option(help: "Simulated walkers.")
    var wearables = 4

    @Option(help: "Everything random is drawn from it.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Samples a second.", valueName: "hz"))
    var rate = 50.0

    @Option(help: "The form of the frames: json, compact or protobuf.")
    var form: MotionPublisher.Form = .json

    func validate() throws {
        guard bikes >= 0, wearables >= 0, bikes + wearables > 0, bikes + wearables <= SimulatedGym.maximumDevices else {
            throw ValidationError("--bikes and --wearables must be 1 to \(SimulatedGym.maximumDevices) together")
        }
        guard rate >= 10, rate <= 400 else { throw ValidationError("--rate is \(rate): give 10 to 400 Hz") }
    }

    /// The gym as a source of frames; a character that plays for ever where none is given.
    func source(
        startMicroseconds: Int64, character: GymCharacter?, faults: FaultPlan = FaultPlan()
    ) -> GymSource {
        GymSource(
            gym: SimulatedGym(
                bikes: bikes, wearables: wearables, seed: seed, character: character ?? .gentle,
                sampling: SimulatedSampling(rateHz: rate), startMicroseconds: startMicroseconds),
            faults: faults)
    }
}
