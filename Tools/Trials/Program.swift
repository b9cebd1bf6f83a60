import Bodies
import ArgumentParser
import Foundation
import Lab

/// What developers of the estimator need and users do not: trials of simulated people and bikes, features for the fit
/// (`Tools/fit`), and counts with the tables that it makes.
@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trials", abstract: "Count simulated rides and walks, and what the fit of the model needs.",
        subcommands: [
            RidesCommand.self, WalksCommand.self, EvaluateCommand.self, FeaturesCommand.self, TablesCommand.self,
        ])
}

struct RidesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rides",
        abstract: "Count simulated rides, and say how well.",
        discussion: """
            On the frame, rides differ in how much more it shakes at twice the crank's rate than at the crank's own, and in \
            how loud everything else is; worn, in the cadence. Seconds within four of a stop or a start are not compared, \
            revolutions are. A ride is wrong by an octave if a tenth of its seconds is.
            """)

    @Option(help: "How many rides under each of the conditions.")
    var rides = 8

    @Option(help: "How long a ride is, in seconds.")
    var seconds = 300

    @Option(
        help: "Where the sensor is: frame, wrist, pocket, thigh or ankle.",
        transform: { try SimulatedPlacement.parse($0, oneOf: TrialConditions.ridePlacements) })
    var placement = SimulatedPlacement.frame

    @Flag(help: "Bikes are drawn from wide ranges; the sensor is on the frame.")
    var varied = false

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard !varied || placement == .frame else {
            throw ValidationError("--varied is of bikes: leave out --placement")
        }
        guard (120...36_000).contains(seconds) else { throw ValidationError("--seconds must be 120 to 36000") }
    }

    func run() throws {
        let conditions = varied ? TrialConditions.varied : TrialConditions.rides(on: placement)
        let rides = try simulation.trials(of: conditions, on: placement, seconds: seconds, count: rides)
        let table = TrialTable(rides: rides, on: placement, isVaried: varied)
        simulation.show(table, and: table.confidence.lines)
    }
}

struct WalksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walks", abstract: "Count simulated walks, runs, stairs, limps and drives, and say how well.")

    @Option(help: "How many walks under each of the conditions.")
    var walks = 8

    @Option(help: "How long a walk is, in seconds.")
    var seconds = 120

    @Option(
        help: "Where the sensor is: wrist, hand, hip, bag, pocket, thigh or ankle.",
        transform: { try SimulatedPlacement.parse($0, oneOf: TrialConditions.walkPlacements) })
    var placement = SimulatedPlacement.wrist

    @OptionGroup var simulation: SimulationOptions

    func validate() throws {
        guard (60...36_000).contains(seconds) else { throw ValidationError("--seconds must be 60 to 36000") }
    }

    func run() throws {
        let walks = try simulation.trials(
            of: TrialConditions.walks(on: placement), on: placement, seconds: seconds, count: walks)
        simulation.show(TrialTable(walks: walks))
    }
}

/// The simulated device, the seed and what is printed.
struct SimulationOptions: ParsableArguments {
    @Option(help: "The seed of the first one under each of the conditions.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Samples a second.", valueName: "hz"))
    var rate = 50.0

    @Flag(inversion: .prefixedNo, help: "The device has a gyroscope beside its accelerometer.")
    var gyroscope = true

    @Flag(inversion: .prefixedNo, help: "The counter is told what the device is and where it sits.")
    var config = true

    @Flag(help: "Print the tables as one JSON object.")
    var json = false

    func validate() throws {
        guard (10...400).contains(rate) else { throw ValidationError("--rate is \(rate): give 10 to 400 Hz") }
    }

    /// Trials of each of the conditions with a sensor at a placement, with `count` seeds each.
    func trials(
        of all: [TrialConditions], on placement: SimulatedPlacement, seconds: Int, count: Int
    ) throws -> [SimulatedTrial] {
        guard (1...10_000).contains(count) else { throw ValidationError("give 1 to 10000 under each condition") }
        guard seed <= UInt64.max - UInt64(count) else { throw ValidationError("--seed is too large") }
        let device = EvaluatedDevice(rateHz: rate, hasGyroscope: gyroscope, isConfigured: config)
        return try all.flatMap { conditions in
            try (seed..<seed + UInt64(count)).map { seed in
                try SimulatedTrial(conditions, placement, seconds: seconds, device: device, seed: seed)
            }
        }
    }

    func show(_ table: TrialTable, and more: [String] = []) {
        guard !json else { return Output.line(String(decoding: table.encodedJSON(), as: UTF8.self)) }
        (table.table.lines + (more.isEmpty ? [] : [""] + more)).forEach(Output.line)
    }
}

extension SimulatedPlacement {
    /// Reads a placement that is one of some.
    static func parse(_ argument: String, oneOf placements: [SimulatedPlacement]) throws -> SimulatedPlacement {
        guard let placement = placements.first(where: { $0.rawValue == argument }) else {
            throw ValidationError("give one of \(placements.map(\.rawValue).joined(separator: ", "))")
        }
        return placement
    }
}

struct FeaturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "features", abstract: "Write the features of a folder of recordings and of simulated subjects.")

    @Argument(help: "The folder of recordings.", completion: .directory)
    var folder: String

    @Argument(help: "The folder to write to.", completion: .directory)
    var output: String

    @Option(help: "Copies of each recording, each with a sensor drawn at random.")
    var copies = 2

    @Option(help: "Of copies and simulations one moment in so many is written.")
    var every = 4

    @Option(help: "The number of seeds of simulated subjects.")
    var seeds: UInt64 = 5

    @Option(help: "The first seed.")
    var firstSeed: UInt64 = 0

    func run() throws {
        var export = try FeatureExport(
            recordings: URL(fileURLWithPath: folder, isDirectory: true),
            output: URL(fileURLWithPath: output, isDirectory: true))
        try export.writeRecordings(copies: copies, copyStep: every)
        try export.writeSimulated(seeds: firstSeed..<firstSeed + seeds, step: every)
        try export.close()
    }
}

struct TablesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables", abstract: "Count recordings and simulated subjects with fitted tables.")

    @Argument(help: "The folder of recordings.", completion: .directory)
    var folder: String

    @Argument(help: "The tables.", completion: .file())
    var tables: String

    @Argument(help: "The list of files, tables and what is told.", completion: .file())
    var list: String

    func run() throws {
        let count = try TableCount(
            recordings: URL(fileURLWithPath: folder, isDirectory: true), tables: URL(fileURLWithPath: tables))
        let text = try String(contentsOf: URL(fileURLWithPath: list), encoding: .utf8)
        try count.count(text.split(separator: "\n")) { Output.line($0) }
    }
}
