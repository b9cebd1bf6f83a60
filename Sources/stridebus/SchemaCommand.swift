import ArgumentParser
import Lab
import ServiceKit

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the topics of the bus and the schemas of their payloads.",
        discussion: """
            Without a topic, lists all of them. With one, such as cadence, stride/bike-07/cadence, request/history/days \
            or a file's name such as asyncapi.yaml, prints its schemas: JSON Schema draft-07, one after another.
            """)

    @Argument(help: "A topic, the end of one, or a file's name.")
    var topic: String?

    func run() throws {
        guard let topic else {
            for entry in EmbeddedSchemas.topics {
                Output.line("\(entry.address)  \(entry.files.joined(separator: ", "))")
            }
            return Output.line(
                "asyncapi.yaml, roles.json, stridebus.proto  the whole contract, who may do what, and the frame in protobuf"
            )
        }
        for file in try Self.files(of: topic) { Output.write(EmbeddedSchemas.text(of: file) ?? "") }
    }

    /// The files of a topic, whose last levels are compared; a parameter such as `{device}` is any level.
    static func files(of topic: String) throws -> [String] {
        if EmbeddedSchemas.text(of: topic) != nil { return [topic] }
        let levels = topic.split(separator: "/")
        let best = EmbeddedSchemas.topics.max { score($0.address, levels) < score($1.address, levels) }
        guard let best, score(best.address, levels) > 0, !best.files.isEmpty else {
            throw ValidationError("no topic ends with '\(topic)', or it has plain text: stridebus schema lists them")
        }
        return best.files
    }

    /// The similarity of a topic's end to an address: the words that are alike, without those that only the address
    /// has; a parameter of the address is like anything. 0 where they differ.
    private static func score(_ address: String, _ topic: [Substring]) -> Int {
        let levels = address.split(separator: "/")
        let common = min(levels.count, topic.count)
        let isAlike = zip(levels.suffix(common), topic.suffix(common)).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        guard isAlike else { return 0 }
        func words(_ levels: ArraySlice<Substring>) -> Int { levels.count { !$0.hasPrefix("{") } }
        return max(0, 4 * words(levels.suffix(common)) - words(levels.dropLast(common)))
    }
}
