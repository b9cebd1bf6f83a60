import Foundation
import Testing

@Suite("What an app gets with StrideClient")
struct DependencyTests {
    /// The modules of the library, the C libraries beneath them, a container of swift-collections, and what comes with
    /// Swift and the system. Foundation is not among them.
    private static let allowed: Set<String> = [
        "MQTT", "Wire", "CMosquitto", "CSocketBuffer", "CSimdJSON", "Synchronization", "Glibc", "DequeModule",
    ]

    @Test(
        "It needs a container of swift-collections, no service and no Foundation",
        arguments: ["StrideClient", "MQTT", "Wire"])
    func imports(of target: String) throws {
        let files = try Self.swiftFiles(of: target)
        #expect(!files.isEmpty)
        for file in files {
            for module in try Self.imports(of: file) where !Self.allowed.contains(module) {
                Issue.record("\(file.lastPathComponent) imports \(module)")
            }
        }
    }

    @Test("FIT files are written and read with Swift and the bus's own payloads alone")
    func importsOfFIT() throws {
        let files = try Self.swiftFiles(of: "FIT")
        #expect(!files.isEmpty)
        #expect(Set(try files.flatMap { try Self.imports(of: $0) }) == ["Wire"])
    }

    private static func swiftFiles(of target: String) throws -> [URL] {
        try DocumentationTests.swiftFiles(in: DocumentationTests.sources(target))
    }

    private static func imports(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place <= 1, place + 1 < words.count else { return nil }
            guard place == 0 || ["public", "internal", "package"].contains(words[0]) else { return nil }
            return String(words[place + 1])
        }
    }
}
