import Motion

/// What counting costs: nanoseconds of one core a sample and how often memory is asked for, for a few kinds of signal
/// at a few rates, of six axes and with a magnetic field of nine, and the bytes of state.
///
/// `motionbench NAME RATE AXES` measures only what has that word in its name, that rate and that number of axes.
@main
struct MotionBench {
    private static let shapes = [(50, false), (50, true), (100, false), (400, false)]

    static func main() {
        print(
            "signal                   Hz   axes   ns a sample: least, median   allocations a million   state bytes"
        )
        let wanted = Array(CommandLine.arguments.dropFirst())
        let name = wanted.first ?? ""
        for signal in BenchSignal.all where name.isEmpty || signal.name.contains(name) {
            for (rateHz, hasField) in shapes where wanted.count < 2 || wanted[1] == "\(rateHz)" {
                guard wanted.count < 3 || wanted[2] == (hasField ? "9" : "6") else { continue }
                tell(signal, rateHz: rateHz, hasField: hasField)
            }
        }
    }

    private static func tell(_ signal: BenchSignal, rateHz: Int, hasField: Bool) {
        let run = BenchRun(signal, rateHz: rateHz, hasField: hasField)
        let allocations = run.allocations.map { tenths(Double($0) * 1e6 / Double(run.sampleCount)) } ?? "not known"
        print(
            padded(signal.name, 24), padded("\(rateHz)", 4), padded(hasField ? "9" : "6", 6),
            padded(tenths(run.leastNanoseconds), 8), padded(tenths(run.medianNanoseconds), 20),
            padded(allocations, 23), run.stateBytes)
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}
