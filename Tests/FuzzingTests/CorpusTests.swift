import Foundation
import Fuzzing
import Seeded
import Testing

/// The inputs that a fuzzer found to matter, those that once broke something among them.
@Suite("Known inputs of every decoder, and others near them", .timeLimit(.minutes(5)))
struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "FuzzCorpus")

    private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        let folder = corpus.appending(path: target.rawValue)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return try target.seeds + names.sorted().map { Array(try Data(contentsOf: folder.appending(path: $0))) }
    }

    @Test("No known input breaks a promise", arguments: FuzzTarget.allCases)
    func known(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        for input in inputs { input.withUnsafeBytes { target.run($0) } }
    }

    @Test("Nor does one with bytes that are changed, put in, doubled or cut off", arguments: FuzzTarget.allCases)
    func changed(target: FuzzTarget) throws {
        let inputs = try Self.inputs(of: target).filter { !$0.isEmpty && $0.count < 10_000 }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var bytes = inputs.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = .random(in: .min ... .max, using: &random)
                case 1: bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
                case 2: bytes.insert(.random(in: .min ... .max, using: &random), at: place)
                case 3: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            bytes.withUnsafeBytes { target.run($0) }
        }
    }

    @Test("Nothing and noise break none", arguments: FuzzTarget.allCases)
    func noise(target: FuzzTarget) {
        var random = SeededGenerator(seed: 1)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            bytes.withUnsafeBytes { target.run($0) }
        }
    }
}
