import ArgumentParser

@main
struct StridebusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stridebus",
        abstract: "Motion sensors in, cadence, steps and history out, over MQTT.")
}
