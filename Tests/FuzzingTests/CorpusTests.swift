import Foundation
import Fuzzing
import Testing

/// The inputs that a fuzzer found to matter, those that once broke something among them.
@Suite("Known inputs of every decoder", .timeLimit(.minutes(5)))
struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "FuzzCorpus")

    @Test("No known input breaks a promise", arguments: FuzzTarget.allCases)
    func known(target: FuzzTarget) throws {
        let folder = Self.corpus.appending(path: target.rawValue)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        let files = names.sorted().map { folder.appending(path: $0) }
        #expect(!files.isEmpty || !target.seeds.isEmpty)
        for seed in target.seeds { seed.withUnsafeBytes { target.run($0) } }
        for file in files {
            try Data(contentsOf: file).withUnsafeBytes { target.run($0) }
        }
    }

    @Test("Nothing and noise break no promise", arguments: FuzzTarget.allCases)
    func noise(target: FuzzTarget) {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for length in 0..<200 {
            let bytes = (0..<length).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            bytes.withUnsafeBytes { target.run($0) }
        }
    }
}
