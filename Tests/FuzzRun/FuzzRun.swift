import Foundation
import Fuzzing

/// Which decoder is fuzzed: the environment says so, because the fuzzer's own arguments are taken.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["STRIDEBUS_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        print("set STRIDEBUS_FUZZ_TARGET to one of: \(names)")
        exit(2)
    }
    return target
}()

#if FUZZING
    /// What libFuzzer calls with each input (https://llvm.org/docs/LibFuzzer.html).
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        target.run(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
#else
    /// Without the fuzzer: `fuzz FILE…` gives files to the decoder, to see a finding again; `fuzz --seeds FOLDER` writes
    /// valid inputs to begin with.
    @main
    struct FuzzRun {
        static func main() throws {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.count == 2, arguments[0] == "--seeds" { return try writeSeeds(to: arguments[1]) }
            for path in arguments {
                print("\(target.rawValue): \(path)")
                fflush(nil)
                try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { target.run($0) }
            }
        }

        private static func writeSeeds(to folder: String) throws {
            for (index, seed) in target.seeds.enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(index)"))
            }
        }
    }
#endif
