import FIT
import Seeded
import Testing
import Wire

@Suite("FIT files of other devices")
struct FITReadingTests {
    @Test("Big-endian numbers, times in headers and fields of developers are read")
    func otherForms() throws {
        var file = OtherDevice()
        file.record(at: 0, cadence: 80)
        for second in 1...40 { file.timedRecord(at: second, cadence: UInt8(80 + second)) }
        let part = try #require(try FITRecording(file.bytes).parts.first)
        #expect(part.start == 1_631_065_600)
        #expect(part.cadence == (0...40).map { 80 + $0 })
        #expect(!part.isOfSteps)
    }

    @Test("Files one after another are read as one")
    func chained() throws {
        var (first, second) = (OtherDevice(), OtherDevice())
        first.record(at: 0, cadence: 80)
        second.record(at: 1000, cadence: 90)
        let both = first.bytes + second.bytes
        #expect(try FITRecording(both).parts.map(\.start) == [1_631_065_600, 1_631_066_600])
        #expect(throws: FITError.self) { try FITRecording(both + [0]) }
    }

    @Test("A file without its end, or with another byte anywhere, is refused")
    func damaged() throws {
        var file = OtherDevice()
        for second in 0..<20 { file.record(at: second, cadence: 80) }
        let bytes = file.bytes
        for count in 0..<bytes.count {
            #expect(throws: FITError.self) { try FITRecording(Array(bytes.prefix(count))) }
        }
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x10
            // The versions of the protocol and of the profile may be any: the checksum is of them too.
            #expect(throws: FITError.self, "byte \(index)") { try FITRecording(other) }
        }
    }

    @Test("Whatever messages stand in a file whose checksum is right, nothing traps", arguments: 0..<200)
    func hostile(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var content: [UInt8] = []
        for _ in 0..<30 {
            switch UInt8.random(in: 0...3, using: &random) {
            case 0:
                let count = UInt8.random(in: 0...6, using: &random)
                let number: UInt8 = [0, 12, 18, 19, 20, 20, 20, 21].randomElement(using: &random) ?? 20
                content += [0x40 | UInt8.random(in: 0...63, using: &random) & 0x2F, 0, seed % 2 == 0 ? 0 : 1]
                content += seed % 2 == 0 ? [number, 0] : [0, number]
                content.append(count)
                for _ in 0..<count {
                    content.append([253, 0, 1, 2, 3, 4, 5, 7, 52, 53].randomElement(using: &random) ?? 0)
                    content.append(UInt8.random(in: 0...9, using: &random))
                    content.append([0, 1, 2, 0x83, 0x86, 0x8E, 0x8F, 0x90, 7, 0x55].randomElement(using: &random) ?? 0)
                }
            case 1: content.append(UInt8.random(in: 0...15, using: &random))
            case 2: content.append(0x80 | UInt8.random(in: 0...127, using: &random))
            default: for _ in 0..<8 { content.append([0, 0x7F, 0x80, 0xFF, 1].randomElement(using: &random) ?? 0) }
            }
        }
        let count = UInt32(content.count)
        let file =
            [12, 0x10, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(8 * $0)) }
            + Array(".FIT".utf8) + content
        let sum = OtherDevice.checksum(file)
        _ = try? FITRecording(file + [UInt8(truncatingIfNeeded: sum), UInt8(sum >> 8)])
    }
}
