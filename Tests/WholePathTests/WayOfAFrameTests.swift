import Foundation
import Testing

@Suite("docs/the-way-of-a-frame.md")
struct WayOfAFrameTests {
    private static let docs = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs")

    /// The numbered lines of the page: each is a hop.
    private static func hops() throws -> [String] {
        try String(contentsOf: docs.appendingPathComponent("the-way-of-a-frame.md"), encoding: .utf8)
            .components(separatedBy: "\n").filter { $0.firstMatch(of: #/^\d+\. /#) != nil }
    }

    @Test("It has at most 30 hops, numbered from 1")
    func count() throws {
        let numbers = try Self.hops().compactMap { Int($0.prefix { $0 != "." }) }
        #expect(numbers == Array(1...max(numbers.count, 1)))
        #expect(numbers.count <= 30)
    }

    @Test("Each hop links to a file that declares what it names")
    func links() throws {
        for hop in try Self.hops() {
            let links = hop.matches(of: #/\[`([^`]+)`\]\(([^)]+)\)/#)
            #expect(!links.isEmpty, "no link: \(hop)")
            for link in links {
                let (symbol, path) = (String(link.output.1), String(link.output.2))
                let file = Self.docs.appendingPathComponent(path).standardizedFileURL
                let text = try String(contentsOf: file, encoding: .utf8)
                let name = symbol.split(separator: ".").last.map { $0.prefix { $0 != "(" } } ?? ""
                let declarations = ["func", "struct", "class", "enum", "actor", "case", "init", "var", "let"]
                let isDeclared = declarations.contains { word in
                    word == "init" ? name == "init" && text.contains("init(") : text.contains("\(word) \(name)")
                }
                #expect(isDeclared, "\(path) does not declare \(symbol)")
            }
        }
    }
}
