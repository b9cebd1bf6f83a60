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
    /// What libFuzzer calls first (https://llvm.org/docs/LibFuzzer.html): valid inputs are written where it looks for
    /// inputs.
    @_cdecl("LLVMFuzzerInitialize")
    public func initialize(_ argumentCount: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
        guard let folder = ProcessInfo.processInfo.environment["STRIDEBUS_FUZZ_SEEDS"] else { return 0 }
        for (index, seed) in target.seeds.enumerated() {
            do { try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(index)")) } catch {
                print("no inputs to begin with can be written to \(folder): \(error)")
                exit(2)
            }
        }
        return 0
    }

    /// What libFuzzer calls with each input.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        target.run(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
#else
    /// Without the fuzzer: gives files to the decoder, to see a finding again.
    @main
    struct FuzzRun {
        static func main() throws {
            for path in CommandLine.arguments.dropFirst() {
                print("\(target.rawValue): \(path)")
                fflush(nil)
                try Data(contentsOf: URL(fileURLWithPath: path)).withUnsafeBytes { target.run($0) }
            }
        }
    }
#endif
