import Foundation
import Logging
import ServiceKit
import TestBroker
import Testing

@Suite("The guard of a service's input")
struct InputGuardTests {
    private final class Folder {
        private let files = TemporaryFolder()
        var path: String { files.path + "/guard" }

        func open(_ name: String = "counter") -> InputGuard {
            InputGuard(directory: path, name: name, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        var kept: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path + "/set-aside")) ?? [] }
    }

    private let folder = Folder()
    private let key = InputKey(Array("a message".utf8))

    /// What a process leaves that dies while it works on some input.
    private func die(at key: InputKey, slot: Int = 0) { folder.open().begin(key, slot: slot, "") }

    @Test("Input of which two processes died is fatal, whatever was worked on in peace between")
    func twice() {
        die(at: key)
        #expect(folder.open().deaths(of: key) == 1)
        let other = InputKey(Array("another".utf8))
        let second = folder.open()
        second.begin(other, "")
        second.end(other)
        #expect(!second.isFatal(key) && !second.hasFatal)
        die(at: key)
        let third = folder.open()
        #expect(third.isFatal(key) && third.hasFatal && !third.isFatal(other))
        // Also in the processes after it.
        #expect(folder.open().isFatal(key) && !folder.open("ingest").hasDeaths)
    }

    @Test("Input that was worked on in peace after a death has none, and an end in order is no death")
    func peace() async throws {
        die(at: key)
        let second = folder.open()
        second.begin(key, "")
        second.end(key)
        #expect(second.deaths(of: key) == 0)
        die(at: key)
        #expect(!folder.open().isFatal(key))

        struct Failure: Error {}
        let third = folder.open()
        await #expect(throws: Failure.self) { try await third.work(on: key, "") { throw Failure() } }
        #expect(folder.open().deaths(of: key) == 0)
    }

    @Test("Work beside the loop is noted in slots of its own")
    func beside() async throws {
        let inputGuard = folder.open()
        let keys = (1...3).map { InputKey([$0]) }
        inputGuard.begin(keys[0], "")
        await inputGuard.work(on: keys[1], "") {
            await inputGuard.work(on: keys[2], "") {
                // The process dies here, as far as the next one can see.
                let next = folder.open()
                #expect(keys.allSatisfy { next.deaths(of: $0) == 1 })
            }
        }
    }

    @Test("The deaths of as many inputs as are remembered")
    func many() {
        for number in 0..<130 { die(at: InputKey([UInt8(number)])) }
        let inputGuard = folder.open()
        #expect(inputGuard.deaths(of: InputKey([129])) == 1)
        #expect(inputGuard.deaths(of: InputKey([0])) == 0)
    }

    @Test(
        "What is set aside is a readable line and the bytes as they came, once, and is counted until it is taken away")
    func kept() throws {
        let inputGuard = folder.open()
        for _ in 0..<2 {
            Array("raw\u{0}bytes".utf8).withUnsafeBytes {
                inputGuard.setAside(key, kind: "motion", subject: "bike-07\nx", $0)
            }
        }
        #expect(folder.kept.count == 1 && inputGuard.setAsideCount == 1)
        #expect(folder.kept[0].wholeMatch(of: /counter-motion-[0-9a-f]+-9/) != nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/set-aside/" + folder.kept[0]))
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 2 && lines[1] == Data("raw\u{0}bytes".utf8))
        let head = String(decoding: lines[0], as: UTF8.self)
        #expect(head.contains("of=bike-07?x") && head.contains(" of 9 bytes "))
        #expect(folder.open().setAsideCount == 1 && folder.open("history").setAsideCount == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/set-aside")
        #expect(folder.open().setAsideCount == 0)
    }

    @Test("A folder that cannot be written, or a file of something else, leaves a service without a guard and well")
    func unwritable() throws {
        let inputGuard = InputGuard(
            directory: "/proc/none", name: "counter", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        inputGuard.begin(key, "")
        inputGuard.end(key)
        #expect(!inputGuard.hasDeaths)

        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        for bytes in [0, 3, 9_000] {
            try Data(repeating: 0xA5, count: bytes).write(to: URL(fileURLWithPath: folder.path + "/counter.at"))
            #expect(!folder.open().hasDeaths)
            die(at: key)
            #expect(folder.open().deaths(of: key) == 1)
        }
    }

    @Test("Input of the same bytes has the same name, and other bytes or another topic have another")
    func keys() {
        let one = InputKey(Array("a frame".utf8), behind: "stride/a/imu")
        #expect(one == InputKey(Array("a frame".utf8), behind: "stride/a/imu"))
        #expect(one != InputKey(Array("a frame".utf8), behind: "stride/b/imu"))
        #expect(one != InputKey(Array("a fram2".utf8), behind: "stride/a/imu"))
        var seen: Set<InputKey> = []
        for length in 0..<40 {
            for place in 0..<max(1, length) {
                var bytes = [UInt8](repeating: 0, count: length)
                if length > 0 { bytes[place] = 1 }
                #expect(seen.insert(InputKey(bytes)).inserted)
            }
        }
    }
}
