import Motion

/// What counting costs: nanoseconds of one core a sample and how often memory is asked for, for a few kinds of signal at a few
/// rates, of six axes and with a magnetic field of nine, and the bytes of state. `swift run -c release motionbench`, with a
/// word of the name for some of them alone.
@main
struct MotionBench {
    private static let shapes = [(50, false), (50, true), (100, false), (400, false)]

    static func main() {
        print("signal                   Hz   axes   ns a sample: least, median   allocations a million   state bytes")
        let wanted = CommandLine.arguments.dropFirst().first ?? ""
        for signal in BenchSignal.all where wanted.isEmpty || signal.name.contains(wanted) {
            for (rateHz, hasField) in shapes {
                tell(signal, rateHz: rateHz, hasField: hasField)
            }
        }
    }

    private static func tell(_ signal: BenchSignal, rateHz: Int, hasField: Bool) {
        let run = BenchRun(signal, rateHz: rateHz, hasField: hasField)
        let allocations = run.allocations.map { tenths(Double($0) * 1e6 / Double(run.sampleCount)) } ?? "not known"
        print(
            padded(signal.name, 24), padded("\(rateHz)", 4), padded(hasField ? "9" : "6", 6),
            padded(tenths(run.leastNanoseconds), 20), padded(tenths(run.medianNanoseconds), 7),
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
