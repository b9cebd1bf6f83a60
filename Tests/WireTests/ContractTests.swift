import Contract
import Foundation
import Testing

@Suite("The contract as a document", .enabled(if: AsyncAPI.isPresent, "python3 with jsonschema and yaml is not here"))
struct ContractTests {
    @Test("It is AsyncAPI 3, and every reference in it leads somewhere")
    func valid() throws {
        #expect(try AsyncAPI.run("validate.py") == "")
    }

    @Test("What is no AsyncAPI is told, and so is a reference that leads nowhere")
    func invalid() throws {
        let document = String(decoding: try Contract.bytes("asyncapi.yaml"), as: UTF8.self)
        for (word, other) in [("action: receive", "action: fly"), ("./day.schema.json", "./night.schema.json")] {
            #expect(document.contains(word))
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml")
            try document.replacingOccurrences(of: word, with: other).write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try AsyncAPI.run("validate.py", file.path) != "")
        }
    }

    @Test(
        "The table of topics and what stridebus schema prints are made from it", arguments: ["topics.py", "embed.py"])
    func current(script: String) throws {
        #expect(try AsyncAPI.run(script, "--check") == "")
    }
}

/// The programs beside the published schema of AsyncAPI documents.
enum AsyncAPI {
    private static let folder = Contract.folder.deletingLastPathComponent().appendingPathComponent("Tests/AsyncAPI")

    static let isPresent = (try? output(["-c", "import jsonschema, yaml"])) == ""

    /// What a program says.
    static func run(_ script: String, _ arguments: String...) throws -> String {
        try output([folder.appendingPathComponent(script).path] + arguments)
    }

    private static func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let said = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }
}
