import ArgumentParser
import Counter
import Foundation
import Lab
import MQTT
import ServiceKit
import Wire

struct PartitionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partitions",
        abstract: "Which counter owns which partitions of the devices, and move them while everything runs.",
        subcommands: [ListPartitions.self, MovePartitions.self], defaultSubcommand: ListPartitions.self)
}

struct ListPartitions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Ask every counter what it owns (the default).",
        discussion: "The exit code is 1 where a partition has no owner, or two.")
    @OptionGroup var client: ClientOptions

    func run() async throws {
        let counters = try await RollCall.run(.counter, on: try client.settings()) { Ownership($0).problems.isEmpty }
        for counter in counters {
            let leaving = counter.leaving.map { "; hands over \($0)" } ?? ""
            Output.line("\(counter.instance)  \(counter.owns ?? "none")\(leaving)")
        }
        let problems = Ownership(counters).problems
        for problem in problems { Output.line(problem) }
        if !problems.isEmpty { throw ExitCode.failure }
    }
}

struct MovePartitions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Let a counter take partitions over, such as 16-31.",
        discussion: """
            Each partition is read no more by its owner, handed over with all that is known of its devices, and read on by \
            the other counter; what comes meanwhile waits at the broker. Both counters have a --name.
            """)
    @Argument(help: "The partitions, such as 16-31 or 7.") var partitions: String
    @Option(help: ArgumentHelp("The counter that gets them.", valueName: "name")) var to: String
    @Option(help: ArgumentHelp("How long to wait for the end of it.", valueName: "time"))
    var timeout = DurationSeconds(seconds: 300)
    @OptionGroup var client: ClientOptions

    func run() async throws {
        let wanted = try PartitionRange(partitions)
        guard !wanted.isEmpty else { throw ValidationError("name the partitions, such as 16-31") }
        let heir = try DeviceID(to)
        let settings = try client.settings()
        let counters = try await RollCall.run(.counter, on: settings) { counters in
            let owners = Ownership(counters).owners
            return counters.contains { $0.instance == to } && wanted.partitions.allSatisfy { owners[$0] != nil }
        }
        guard counters.contains(where: { $0.instance == to }) else {
            let names = counters.map(\.instance).joined(separator: ", ")
            Output.errorLine("no counter '\(to)' answers; there are: \(names.isEmpty ? "none" : names)")
            throw ExitCode.failure
        }
        let ownership = Ownership(counters)
        let ownerless = wanted.partitions.filter { ownership.owners[$0] == nil }
        guard ownerless.isEmpty else {
            Output.errorLine("no counter that answers owns \(PartitionRange(ownerless)): start the one that does")
            throw ExitCode.failure
        }
        let begun = ContinuousClock.now
        try await order(wanted, of: ownership, to: heir, on: settings)
        let isDone: @Sendable ([InstanceStatus]) -> Bool = { [to] counters in
            let owners = Ownership(counters).owners
            return wanted.partitions.allSatisfy { owners[$0] == [to] }
        }
        while ContinuousClock.now - begun < .seconds(timeout.seconds) {
            if isDone(try await RollCall.run(.counter, on: settings, until: isDone)) {
                let seconds = (ContinuousClock.now - begun) / .seconds(1)
                return Output.line("\(to) owns \(wanted), after \(String(format: "%.1f", seconds)) s")
            }
        }
        Output.errorLine("it is not done after \(Int(timeout.seconds)) s and goes on: see 'stridebus partitions list'")
        throw ExitCode.failure
    }

    /// Tells each owner.
    private func order(
        _ wanted: PartitionRange, of ownership: Ownership, to heir: DeviceID, on settings: BusSettings
    ) async throws {
        let move = String(UInt64.random(in: .min ... .max), radix: 36)
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: settings.endpoint, clientID: "stridebus-move-\(move)", version: settings.version))
        for (owner, partitions) in ownership.owned where owner != to {
            let asked = PartitionRange(wanted.partitions.filter(partitions.contains))
            guard !asked.isEmpty else { continue }
            let message = PartitionMessage(.move, move: move, counter: heir, partitions: asked)
            try await producer.publish(
                MQTTPublication(
                    topic: settings.topics.bytes(.partitions(try DeviceID(owner))), payload: message.encoded()))
        }
        await producer.stop()
    }
}

/// Who owns what, by what counters say.
struct Ownership {
    private(set) var owners: [Partition: [String]] = [:]
    private(set) var owned: [String: PartitionRange] = [:]

    init(_ counters: [InstanceStatus]) {
        for counter in counters {
            guard let range = counter.owns.flatMap({ try? PartitionRange($0) }) else { continue }
            owned[counter.instance] = range
            for partition in range.partitions { owners[partition, default: []].append(counter.instance) }
        }
    }

    /// What is wrong with it, in lines.
    var problems: [String] {
        let nobody = PartitionRange(Partition.all.filter { owners[$0] == nil })
        let lines = nobody.isEmpty ? [] : ["nobody who answers owns \(nobody)"]
        return lines
            + owners.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { partition, names in
                "\(names.joined(separator: " and ")) both own \(partition.number)"
            }
    }
}
