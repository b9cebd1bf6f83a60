import Contract
import Foundation
import Testing
import Wire

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
        "The tables of topics and of roles are made from it", arguments: ["topics.py", "roles.py"])
    func current(script: String) throws {
        #expect(try AsyncAPI.run(script, "--check") == "")
    }

    @Test("The data of a reply is that of its verb")
    func replies() throws {
        let lines = try AsyncAPI.run("replies.py").split(separator: "\n").map(String.init)
        let known = RequestVerb.allCases.map { verb in
            ([verb.rawValue] + Contract.replyData(of: verb).map { "\($0).schema.json" }).joined(separator: " ")
        }
        #expect(lines.sorted() == known.sorted())
    }

    @Test("The tests' own reader of schemas finds fault with the same documents as Python's jsonschema")
    func agreement() throws {
        var lines: [[Any]] = []
        for file in try SchemaTests.examples.get() {
            let document = try JSONSerialization.jsonObject(with: Data(Contract.bytes("examples/\(file)")))
            for changed in Self.changes(of: document) { lines.append([String(file.prefix { $0 != "." }), changed]) }
        }
        let texts = try lines.map { line in
            String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        try texts.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let answers = try AsyncAPI.run("agree.py", file.path).split(separator: "\n")
        try #require(answers.count == lines.count && lines.count > 1000)
        #expect(answers.count { $0 == "false" } > 500)
        for (index, line) in lines.enumerated() {
            let bytes = Array(try JSONSerialization.data(withJSONObject: line[1]))
            let problems = try JSONSchema(name: line[0] as? String ?? "").problems(bytes)
            #expect(problems.isEmpty == (answers[index] == "true"), "\(texts[index].prefix(200)): \(problems)")
        }
    }

    /// A document and others, in each of which one value, at any depth, is missing or another one.
    private static func changes(of json: Any) -> [Any] {
        let others: [Any] = ["x", "", -1, 1e18, 0.5, true, NSNull(), [Any](), [String: Any]()]
        var documents: [Any] = [json]
        if let object = json as? [String: Any] {
            for (key, value) in object.sorted(by: { $0.key < $1.key }) {
                var changed = object
                changed[key] = nil
                documents.append(changed)
                for other in changes(of: value).dropFirst() + others {
                    changed[key] = other
                    documents.append(changed)
                }
            }
        } else if let array = json as? [Any], let first = array.first {
            documents += changes(of: first).dropFirst().map { [$0] + array.dropFirst() }
        }
        return documents
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
