import Foundation
import ServiceKit
import Synchronization

/// The layout of one file of the log, little-endian.
///
/// A file begins with `SBLG`, the version of the layout, three zeros, the epoch of the store that it belongs to, the
/// position of its first record, and a checksum of these, in every version. Each record is
///
///     length of the payload   4 bytes
///     checksum                4 bytes, CRC-32C of all that follows
///     position                8 bytes, one more than that of the record before
///     synced through          8 bytes, the last position that was on the disk when this record was written
///     kind                    1 byte, of ``LogRecord``
///     payload
enum LogSegment {
    static let magic: [UInt8] = [0x53, 0x42, 0x4C, 0x47]
    static let version: UInt8 = 3
    static let headerBytes = 28
    static let recordHeadBytes = 25
    /// The largest payload of a record, in bytes; no message of the bus is as large.
    static let maximumPayloadBytes = 1 << 28

    /// The first bytes of a file, read.
    enum Header: Equatable {
        case valid(epoch: UInt64, firstPosition: UInt64)
        /// Of a program that this one does not know.
        case otherVersion
        case damaged
    }

    /// A record that is whole.
    struct Record: Equatable {
        var position: UInt64
        var syncedThrough: UInt64
        var kind: UInt8
        /// The place of the payload in the file.
        var payload: Range<Int>
    }

    static func header(epoch: UInt64, firstPosition: UInt64) -> [UInt8] {
        var bytes = magic + [version, 0, 0, 0]
        append(epoch, to: &bytes)
        append(firstPosition, to: &bytes)
        append(bytes.withUnsafeBytes { Checksum.of($0) }, to: &bytes)
        return bytes
    }

    static func header(of bytes: [UInt8]) -> Header {
        guard bytes.count >= headerBytes, Array(bytes[..<4]) == magic else { return .damaged }
        return bytes.withUnsafeBytes { buffer in
            let sum = Checksum.of(UnsafeRawBufferPointer(rebasing: buffer[..<(headerBytes - 4)]))
            guard number(buffer, at: headerBytes - 4, as: UInt32.self) == sum else { return .damaged }
            guard bytes[4] == version else { return .otherVersion }
            return .valid(
                epoch: number(buffer, at: 8, as: UInt64.self), firstPosition: number(buffer, at: 16, as: UInt64.self))
        }
    }

    static func append(
        _ kind: UInt8, _ payload: [UInt8], position: UInt64, syncedThrough: UInt64, to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        append(UInt32(payload.count), to: &bytes)
        append(UInt32(0), to: &bytes)
        append(position, to: &bytes)
        append(syncedThrough, to: &bytes)
        bytes.append(kind)
        bytes.append(contentsOf: payload)
        let sum = bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[(start + 8)...])) }
        for index in 0..<4 { bytes[start + 4 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    }

    /// The record at an offset; `nil` where there is none that is whole.
    static func record(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Record? {
        guard bytes.count - offset >= recordHeadBytes else { return nil }
        let length = Int(number(bytes, at: offset, as: UInt32.self))
        let payload = offset + recordHeadBytes
        guard length <= maximumPayloadBytes, length <= bytes.count - payload else { return nil }
        let covered = UnsafeRawBufferPointer(rebasing: bytes[(offset + 8)..<(payload + length)])
        guard number(bytes, at: offset + 4, as: UInt32.self) == Checksum.of(covered) else { return nil }
        return Record(
            position: number(bytes, at: offset + 8, as: UInt64.self),
            syncedThrough: number(bytes, at: offset + 16, as: UInt64.self), kind: bytes[offset + 24],
            payload: payload..<(payload + length))
    }

    /// The offset of the first whole record after damage; `nil` where the damaged records were never synced.
    ///
    /// A later record knows whether it was. Records of one group do not know that of each other, because a group is synced
    /// together.
    ///
    /// - Parameters:
    ///   - offset: Where the damage begins.
    ///   - position: That of the record that should stand there.
    ///   - nextFirst: The position that the next file was begun for: everything before it was synced.
    static func offsetAfterDamage(
        in bytes: UnsafeRawBufferPointer, at offset: Int, of position: UInt64, nextFirst: UInt64
    ) -> Int? {
        var offset = offset + 1
        var first: Int?
        while bytes.count - offset >= recordHeadBytes {
            // Most bytes begin no record: the position is checked before a checksum is made.
            let candidate = number(bytes, at: offset + 8, as: UInt64.self)
            guard candidate >= position, candidate - position < UInt64(bytes.count),
                let record = record(in: bytes, at: offset)
            else {
                offset += 1
                continue
            }
            first = first ?? offset
            if record.position < nextFirst || record.syncedThrough >= position { return first }
            offset = record.payload.upperBound
        }
        return nil
    }

    static func append<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, as type: Number.Type
    ) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }
}

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4), eight bytes at a time.
package struct Checksum: Sendable {
    /// Eight tables of 256: of a byte, and of a byte that 1 to 7 others follow.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
            tables[byte] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { table in
            var sum = ~UInt32(0)
            var position = 0
            while position + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let low = UInt32(truncatingIfNeeded: word) ^ sum
                let high = UInt32(truncatingIfNeeded: word >> 32)
                sum =
                    table[7 * 256 + Int(low & 0xFF)] ^ table[6 * 256 + Int(low >> 8 & 0xFF)]
                    ^ table[5 * 256 + Int(low >> 16 & 0xFF)] ^ table[4 * 256 + Int(low >> 24)]
                sum ^=
                    table[3 * 256 + Int(high & 0xFF)] ^ table[2 * 256 + Int(high >> 8 & 0xFF)]
                    ^ table[256 + Int(high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
                position += 8
            }
            while position < bytes.count {
                sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[position])]
                position += 1
            }
            return ~sum
        }
    }
}

/// The log's files in the data directory.
final class LogDirectory: LogFiles, Sendable {
    private let directory: String
    /// The file that is appended to, and where.
    private let open = Mutex<(name: String, descriptor: Int32, end: Int)?>(nil)

    init(_ directory: String) { self.directory = directory }

    deinit { closeOpen() }

    func names() throws(CounterError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasPrefix("counter-") && $0.hasSuffix(".log") }
        } catch {
            throw .store(.unwritable(path: directory, problem: "the directory cannot be read"))
        }
    }

    func read(_ name: String) throws(CounterError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path(name)) else { throw failure(name) }
        return Array(data)
    }

    func create(_ name: String) throws(CounterError) {
        closeOpen()
        let descriptor = Foundation.open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(name) }
        open.withLock { $0 = (name, descriptor, 0) }
        try syncDirectory()
    }

    func append(_ bytes: [UInt8], to name: String) throws(CounterError) {
        let descriptor = try descriptor(of: name)
        let end = open.withLock { $0?.end ?? 0 }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                let rest = UnsafeRawBufferPointer(rebasing: $0[written...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(end + written))
            }
            if count > 0 { written += count } else if errno != EINTR { throw failure(name) }
        }
        open.withLock { $0?.end = end + written }
    }

    func sync(_ name: String) throws(CounterError) {
        guard fdatasync(try descriptor(of: name)) == 0 else { throw failure(name) }
    }

    func cut(_ name: String, to byteCount: Int) throws(CounterError) {
        close(name)
        guard truncate(path(name), off_t(byteCount)) == 0 else { throw failure(name) }
    }

    func remove(_ name: String) throws(CounterError) {
        close(name)
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw failure(name) }
    }

    func setAside(_ name: String) throws(CounterError) {
        close(name)
        guard rename(path(name), path(name) + ".damaged") == 0 else { throw failure(name) }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func descriptor(of name: String) throws(CounterError) -> Int32 {
        if let known = open.withLock({ $0?.name == name ? $0?.descriptor : nil }) { return known }
        closeOpen()
        let descriptor = Foundation.open(path(name), O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name) }
        let end = lseek(descriptor, 0, SEEK_END)
        open.withLock { $0 = (name, descriptor, Int(end)) }
        return descriptor
    }

    private func close(_ name: String) {
        if open.withLock({ $0?.name == name }) { closeOpen() }
    }

    private func closeOpen() {
        open.withLock {
            if let descriptor = $0?.descriptor { Foundation.close(descriptor) }
            $0 = nil
        }
    }

    private func syncDirectory() throws(CounterError) {
        let descriptor = Foundation.open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("") }
        defer { Foundation.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("") }
    }

    private func failure(_ name: String) -> CounterError { CounterError(code: errno, path: path(name)) }
}
