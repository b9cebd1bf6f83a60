import ArgumentParser
import Lab

/// What evaluations in simulation have: the device, and how much of what is drawn from which seed.
struct SimulationOptions: ParsableArguments {
    @Option(help: "The seed of the first one under each of the conditions.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Samples a second.", valueName: "hz"))
    var rate = 50.0

    @Flag(inversion: .prefixedNo, help: "The device has a gyroscope beside its accelerometer.")
    var gyroscope = true

    @Flag(inversion: .prefixedNo, help: "The counter is told what the device is and where it sits.")
    var config = true

    func validate() throws {
        guard (10...400).contains(rate) else { throw ValidationError("--rate is \(rate): give 10 to 400 Hz") }
    }

    /// The device.
    var device: EvaluatedDevice {
        EvaluatedDevice(rateHz: rate, hasGyroscope: gyroscope, isConfigured: config)
    }

    /// What comes of each of the conditions with so many seeds.
    func results<Conditions, Result>(
        of all: [Conditions], count: Int, _ result: (Conditions, UInt64) throws -> Result
    ) throws -> [Result] {
        guard (1...10_000).contains(count) else { throw ValidationError("give 1 to 10000 under each condition") }
        guard seed <= UInt64.max - UInt64(count) else { throw ValidationError("--seed is too large") }
        var progress = ProgressLine(total: all.count * count)
        defer { progress.clear() }
        return try all.flatMap { conditions in
            try (seed..<seed + UInt64(count)).map { seed in
                progress.show("seed \(seed)")
                return try result(conditions, seed)
            }
        }
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
