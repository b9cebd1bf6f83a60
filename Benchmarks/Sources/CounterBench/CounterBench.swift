import ArgumentParser

/// Counts frames with the counter's pipeline alone: no bus, no log, no store.
@main
struct CounterBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterbench",
        abstract: "Measure what a frame costs the counter, and tell whether a change of the code changes a count.",
        subcommands: [CostCommand.self, DigestCommand.self])
}
