import ArgumentParser

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
