package import Counter
import Seeded
import ServiceKit

/// The files of a log on a disk that keeps what was synced, and of the rest what it likes.
struct SimulatedDisk: LogFiles {
    private struct File {
        var bytes: [UInt8] = []
        var syncedCount = 0
    }

    private var files: [String: File] = [:]
    /// How many bytes the next append writes before it fails.
    var failsAfter: Int?
    /// How many changes it makes until its process has ended; a last append is half done.
    var callsLeft = Int.max
    /// Whether the next sync fails.
    var failsSync = false

    private static let full = CounterError.store(.diskFull(path: "the simulated disk"))

    func names() -> [String] { Array(files.keys) }
    func read(_ name: String) -> [UInt8] { files[name]?.bytes ?? [] }

    private mutating func call() throws(CounterError) {
        guard callsLeft > 0 else { throw .foreign(path: "a process that has ended") }
        callsLeft -= 1
    }

    mutating func create(_ name: String) throws(CounterError) {
        try call()
        files[name] = File()
    }

    mutating func append(_ bytes: [UInt8], to name: String) throws(CounterError) {
        if callsLeft == 0 { failsAfter = bytes.count / 2 }
        let count = min(failsAfter ?? bytes.count, bytes.count)
        files[name]?.bytes += bytes.prefix(count)
        guard failsAfter == nil else {
            failsAfter = nil
            throw Self.full
        }
        try call()
    }

    mutating func sync(_ name: String) throws(CounterError) {
        try call()
        guard !failsSync else {
            failsSync = false
            throw Self.full
        }
        if let count = files[name]?.bytes.count { files[name]?.syncedCount = count }
    }

    mutating func cut(_ name: String, to byteCount: Int) throws(CounterError) {
        try call()
        guard let file = files[name] else { return }
        files[name]?.bytes = Array(file.bytes.prefix(byteCount))
        files[name]?.syncedCount = min(file.syncedCount, byteCount)
    }

    mutating func remove(_ name: String) throws(CounterError) {
        try call()
        files[name] = nil
    }

    mutating func setAside(_ name: String) throws(CounterError) { try remove(name) }

    /// The power fails: of what was not synced a part is there, and some of it is not what was written.
    mutating func losePower(_ random: inout SeededGenerator) {
        for name in files.keys.sorted() {
            guard var file = files[name], file.bytes.count > file.syncedCount else { continue }
            file.bytes.removeLast(random.below(file.bytes.count - file.syncedCount + 1))
            if file.bytes.count > file.syncedCount, random.chance(0.5) {
                let index = file.syncedCount + random.below(file.bytes.count - file.syncedCount)
                file.bytes[index] ^= UInt8(1 + random.below(255))
            }
            file.syncedCount = file.bytes.count
            files[name] = file
        }
    }
}

extension CounterLog {
    /// Reads all files, oldest first.
    package mutating func readAll() throws(CounterError) -> (
        records: [(record: LogRecord, position: UInt64)], notes: [String]
    ) {
        var all: (records: [(record: LogRecord, position: UInt64)], notes: [String]) = ([], [])
        while let part = try readNext() {
            all.records += part.records
            all.notes += part.notes
        }
        return all
    }
}
