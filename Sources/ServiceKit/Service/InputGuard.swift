import Foundation
package import Logging
import Synchronization

/// Names a piece of input, so that it is known again in the next process.
package struct InputKey: Hashable, Sendable {
    /// The hash of its bytes; never 0: that is no input.
    let hash: UInt64
    let byteCount: UInt64

    /// Input that comes again as the same bytes.
    package init(_ bytes: UnsafeRawBufferPointer, behind topic: UnsafeRawBufferPointer? = nil) {
        hash = Self.hash(bytes, topic.map { Self.hash($0, 0) } ?? 0) | 1
        byteCount = UInt64(bytes.count)
    }

    package init(_ bytes: [UInt8], behind topic: String = "") {
        var topic = topic
        self = topic.withUTF8 { topic in
            bytes.withUnsafeBytes { InputKey($0, behind: UnsafeRawBufferPointer(topic)) }
        }
    }

    /// Each message of a device is hashed: 0.1 µs for the 412 bytes of a frame in a batch, 0.3 for 3.3 KB of JSON. Four
    /// words at a time, because one multiplication waits for the one before.
    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        func word(_ place: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        var lanes = (seed ^ 0xcbf2_9ce4_8422_2325, seed &+ 1, seed &+ 2, seed &+ 3)
        var place = 0
        while place + 32 <= bytes.count {
            lanes = (
                mixed(lanes.0, word(place)), mixed(lanes.1, word(place + 8)), mixed(lanes.2, word(place + 16)),
                mixed(lanes.3, word(place + 24))
            )
            place += 32
        }
        var hash = mixed(mixed(mixed(lanes.0, lanes.1), lanes.2), lanes.3)
        while place + 8 <= bytes.count {
            hash = mixed(hash, word(place))
            place += 8
        }
        while place < bytes.count {
            hash = mixed(hash, UInt64(bytes[place]))
            place += 1
        }
        return hash
    }

    private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* 0xff51_afd7_ed55_8ccd
        return product ^ product >> 32
    }
}

/// Sees to it that no input ends a service twice and then again.
///
/// The key of what is worked on stands in a page of a file that is mapped into memory, and goes when the work is done: the
/// system keeps the page when the process dies, at whichever instruction. A start that finds a key there counts a death of
/// that input. Input that was worked on in peace has none. What the service died of twice is kept aside, as a file in the
/// folder `set-aside`, and the service goes on with the next.
///
/// A loss of power may lose a death: then it takes one more.
package final class InputGuard: Sendable {
    /// The deaths after which input is set aside.
    package static let fatalDeaths: UInt64 = 2
    /// The slot of a second loop, beside that of the service's main loop, which is 0.
    package static let secondLoop = 1
    /// The slot of whose state the main loop changes, beside the input from which that follows.
    package static let state = 2
    /// The inputs that are worked on beside each other, at most; what is beyond is not noted.
    package static let slotCount = 65
    /// The inputs whose deaths are remembered; the oldest goes.
    private static let maximumDeaths = 100
    /// The files that are kept aside for one service; what is beyond is named in the log alone.
    package static let maximumKept = 1_000

    private static let pageBytes = 4_096
    private static let magic: UInt64 = 0x3154_4153_4255_5353
    private static let firstDeath = 1 + 2 * slotCount

    private struct Death {
        var key: InputKey
        var count: UInt64
    }

    /// One process's folder and names.
    private let folder: String
    private let name: String
    private let logger: Logger?
    /// Called with what is worked on: a test ends the process there.
    private let onWork: (@Sendable (String) -> Void)?

    // `unsafe` because pointers are not Sendable: the words are atomic, and the page is mapped until the guard is gone.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>
    nonisolated(unsafe) private let page: UnsafeMutableRawPointer
    private let deaths = Mutex<[Death]>([])
    private let isAnyKnown = Atomic(false)
    /// Slots that are free for work beside the loops.
    private let freeSlots = Mutex(Array(3..<slotCount))
    /// The names of the files that are kept aside.
    private let kept: Mutex<Set<String>>

    /// A guard that remembers nothing beyond the process, for models of it.
    package convenience init() { self.init(descriptor: -1, folder: "", name: "", logger: nil, onWork: nil) }

    /// The guard of a service.
    ///
    /// - Parameters:
    ///   - directory: Where its file and the folder of what is set aside are; made where it is missing. Where it cannot be
    ///     written, the service runs without a guard, and the log says so.
    ///   - name: Of the service and instance; names the file.
    package convenience init(
        directory: String, name: String, logger: Logger, onWork: (@Sendable (String) -> Void)? = nil
    ) {
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = "\(directory)/\(name).at"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor < 0 || !Self.hasPage(descriptor) {
            let problem = String(cString: strerror(errno))
            logger.warning(
                "input that ends the service is not noted", metadata: ["file": "\(path)", "reason": "\(problem)"])
        }
        try? FileOwner.give(path)
        self.init(
            descriptor: descriptor, folder: "\(directory)/set-aside", name: name, logger: logger, onWork: onWork)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether the page is there, with room on the disk: a store to a page without any would end the process.
    private static func hasPage(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        if status.st_size >= pageBytes { return true }
        return [UInt8](repeating: 0, count: pageBytes).withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress, $0.count, 0)
        }
            == pageBytes
    }

    private init(
        descriptor: Int32, folder: String, name: String, logger: Logger?, onWork: (@Sendable (String) -> Void)?
    ) {
        (self.folder, self.name, self.logger, self.onWork) = (folder, name, logger, onWork)
        var status = stat()
        let isFile = descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size >= Self.pageBytes
        var mapped =
            isFile ? mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED
        if mapped == MAP_FAILED {
            mapped = mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        }
        guard let mapped, mapped != MAP_FAILED else { preconditionFailure("the system gives a page of memory") }
        page = mapped
        words = mapped.bindMemory(to: Atomic<UInt64>.self, capacity: Self.pageBytes / 8)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        kept = Mutex(Set(files.filter { $0.hasPrefix(name + "-") }))
        countDeaths()
    }

    deinit { munmap(page, Self.pageBytes) }

    /// Counts what the last process died at, and begins with nothing noted.
    private func countDeaths() {
        var found: [Death] = []
        if read(0) == Self.magic {
            for place in stride(from: Self.firstDeath, to: Self.firstDeath + 3 * Self.maximumDeaths, by: 3) {
                let key = InputKey(hash: read(place), byteCount: read(place + 1))
                if let key { found.append(Death(key: key, count: read(place + 2))) }
            }
            for slot in 0..<Self.slotCount {
                guard let key = InputKey(hash: read(1 + 2 * slot), byteCount: read(2 + 2 * slot)) else { continue }
                let before = found.firstIndex { $0.key == key }.map { found.remove(at: $0).count } ?? 0
                found.append(Death(key: key, count: before + 1))
                logger?.warning("the service has died while it worked on \(key)", metadata: ["deaths": "\(before + 1)"])
            }
        }
        for slot in 0..<Self.slotCount { write(0, to: 1 + 2 * slot) }
        note(found)
        deaths.withLock { $0 = found }
        write(Self.magic, to: 0)
    }

    private func note(_ found: [Death]) {
        let found = found.suffix(Self.maximumDeaths)
        isAnyKnown.store(!found.isEmpty, ordering: .relaxed)
        for place in 0..<Self.maximumDeaths {
            let death = place < found.count ? found[found.startIndex + place] : nil
            write(0, to: Self.firstDeath + 3 * place)
            write(death?.key.byteCount ?? 0, to: Self.firstDeath + 3 * place + 1)
            write(death?.count ?? 0, to: Self.firstDeath + 3 * place + 2)
            write(death?.key.hash ?? 0, to: Self.firstDeath + 3 * place)
        }
    }

    private func read(_ place: Int) -> UInt64 { words[place].load(ordering: .relaxed) }
    private func write(_ word: UInt64, to place: Int) { words[place].store(word, ordering: .releasing) }
}

// MARK: - Work

extension InputGuard {
    /// The times that a process died while it worked on some input.
    package func deaths(of key: InputKey) -> UInt64 {
        guard hasDeaths else { return 0 }
        return deaths.withLock { $0.first { $0.key == key }?.count ?? 0 }
    }

    /// Whether some input is to be set aside.
    package func isFatal(_ key: InputKey) -> Bool { deaths(of: key) >= Self.fatalDeaths }

    /// Whether the service has died while it worked on anything.
    package var hasDeaths: Bool { isAnyKnown.load(ordering: .relaxed) }

    /// Whether anything is to be set aside.
    package var hasFatal: Bool {
        hasDeaths && deaths.withLock { $0.contains { $0.count >= Self.fatalDeaths } }
    }

    /// The work of a loop on some input begins.
    package func begin(_ key: InputKey, slot: Int = 0, _ subject: @autoclosure () -> String) {
        write(key.byteCount, to: 2 + 2 * slot)
        write(key.hash, to: 1 + 2 * slot)
        if let onWork { onWork(subject()) }
    }

    /// The work is done, or has failed in order.
    package func end(_ key: InputKey, slot: Int = 0) {
        write(0, to: 1 + 2 * slot)
        guard hasDeaths else { return }
        deaths.withLock { deaths in
            guard let index = deaths.firstIndex(where: { $0.key == key }) else { return }
            deaths.remove(at: index)
            note(deaths)
        }
    }

    /// Reads a message; one that the service has died of twice is set aside, and gives `nil`.
    package func read<Value>(
        _ payload: UnsafeRawBufferPointer, on topic: UnsafeRawBufferPointer, slot: Int = 0, _ body: () -> Value
    ) -> Value? {
        let key = InputKey(payload, behind: topic)
        func subject() -> String { String(decoding: topic, as: UTF8.self) }
        guard !isFatal(key) else {
            setAside(key, kind: "message", subject: subject(), payload)
            return nil
        }
        begin(key, slot: slot, subject())
        defer { end(key, slot: slot) }
        return body()
    }

    /// Works on some input beside the service's loop.
    package func work<Value>(
        on key: InputKey, _ subject: @autoclosure () -> String, _ body: () async throws -> Value,
        isolation: isolated (any Actor)? = #isolation
    ) async rethrows -> Value {
        let slot = freeSlots.withLock { $0.popLast() }
        guard let slot else { return try await body() }
        begin(key, slot: slot, subject())
        defer {
            end(key, slot: slot)
            freeSlots.withLock { $0.append(slot) }
        }
        return try await body()
    }
}

// MARK: - What is set aside

extension InputGuard {
    /// The inputs that are set aside, until somebody takes their files away.
    package var setAsideCount: UInt64 { UInt64(kept.withLock { $0.count }) }

    /// Keeps input of which the service has died: a line that says what it is, and after it the bytes as they are.
    package func setAside(_ key: InputKey, kind: String, subject: String, _ payload: UnsafeRawBufferPointer) {
        let file = "\(name)-\(kind)-\(String(key.hash, radix: 16))-\(key.byteCount)"
        let (isNew, hasRoom) = kept.withLock { kept in
            let hasRoom = kept.count < Self.maximumKept
            return (kept.insert(file).inserted, hasRoom)
        }
        guard isNew else { return }
        let path = "\(folder)/\(file)"
        logger?.error(
            "input was set aside: the service died twice while it worked on it",
            metadata: ["kind": "\(kind)", "of": "\(subject)", "file": "\(path)"])
        guard hasRoom, !folder.isEmpty else { return }
        let subject = String(subject.map { $0.isNewline || $0 == " " ? "?" : $0 })
        let head = "kind=\(kind) of=\(subject) input=\(key) bytes=\(payload.count) program=\(name)\n"
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try (Data(head.utf8) + Data(payload)).write(to: URL(fileURLWithPath: path))
            try FileOwner.give(folder)
        } catch {
            logger?.error("what was set aside could not be written", metadata: ["reason": "\(error)"])
        }
    }
}

extension InputKey: CustomStringConvertible {
    fileprivate init?(hash: UInt64, byteCount: UInt64) {
        guard hash != 0 else { return nil }
        (self.hash, self.byteCount) = (hash, byteCount)
    }

    package var description: String { "message \(String(hash, radix: 16)) of \(byteCount) bytes" }
}
