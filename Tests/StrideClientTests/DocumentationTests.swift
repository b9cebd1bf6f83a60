import Foundation
import Testing

@Suite("The code in what is written about StrideClient")
struct DocumentationTests {
    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let examples = package.appendingPathComponent("Tests/StrideClientExamples")
    static func sources(_ module: String) -> URL { package.appendingPathComponent("Sources/\(module)") }

    @Test("The examples of the pages are exactly those that are compiled, all of them, each but for its imports")
    func page() throws {
        let page = try blocks(
            of: Self.sources("StrideClient").appendingPathComponent("Documentation.docc/StrideClient.md"))
        let other = try blocks(of: Self.sources("MQTT").appendingPathComponent("Documentation.docc/MQTT.md"))
        let compiled = try Self.compiled()
        #expect(!compiled.isEmpty)
        for block in page + other { #expect(compiled.values.contains(block), "not compiled: \(block)") }
        for (name, text) in compiled { #expect((page + other).contains(text), "\(name) is on no page") }
    }

    @Test("Every public member and case is used by an example", arguments: ["StrideClient", "MQTT"])
    func publicNames(module: String) throws {
        // What the language calls by itself.
        let silent = ["startIndex", "endIndex", "next", "makeAsyncIterator"]
        let used = Set(
            try Self.compiled().values.flatMap { text in
                text.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
            })
        for file in try Self.swiftFiles(in: Self.sources(module)) {
            for name in Self.publicNames(in: try String(contentsOf: file, encoding: .utf8)) {
                #expect(used.contains(name) || silent.contains(name), "\(name) of \(file.lastPathComponent)")
            }
        }
    }

    /// The names of public members, and of the cases of public enumerations.
    private static func publicNames(in text: String) -> [String] {
        var names: [String] = []
        var indent: Int?
        for line in text.components(separatedBy: "\n") {
            let depth = line.prefix { $0 == " " }.count
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("public enum ") { indent = depth }
            if let outer = indent, depth == outer, line.hasSuffix("}") { indent = nil }
            if let member = line.firstMatch(of: /^ *public .*?\b(?:let|var|func) (\w+)/) { names.append("\(member.1)") }
            if depth == indent.map({ $0 + 4 }), let one = line.firstMatch(of: /^ *case (\w+)/) {
                names.append("\(one.1)")
            }
        }
        return names
    }

    @Test("What the README shows of it in Swift is compiled as well")
    func readme() throws {
        let compiled = try Self.compiled()
        for block in try blocks(of: Self.package.appendingPathComponent("README.md")) {
            #expect(compiled.values.contains(block), "not compiled: \(block)")
        }
    }

    @Test("Nowhere else is code that nobody compiles")
    func comments() throws {
        for file in try Self.swiftFiles(in: Self.sources("StrideClient")) {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("```swift"), "\(file.lastPathComponent)")
        }
    }

    /// The text of each block between "```swift" and "```".
    private func blocks(of file: URL) throws -> [String] {
        var blocks: [String] = []
        var block: [String]?
        for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
            if line == "```swift" {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// The text of each example, without its imports.
    private static func compiled() throws -> [String: String] {
        try swiftFiles(in: examples).reduce(into: [:]) { texts, file in
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
            let code = lines.drop { $0.hasPrefix("import ") || $0.isEmpty }
            texts[file.lastPathComponent] = code.joined(separator: "\n").trimmingCharacters(in: .newlines)
        }
    }

    static func swiftFiles(in folder: URL) throws -> [URL] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".swift") }.map { folder.appendingPathComponent($0) }
    }
}
