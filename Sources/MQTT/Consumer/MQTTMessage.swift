/// A received message: a view into its batch's memory, made without copying or allocating.
public struct MQTTMessage: Sendable {
    private let arena: MessageArena
    private let record: MessageArena.Record

    init(arena: MessageArena, index: Int) {
        self.arena = arena
        record = arena.records[index]
    }

    /// The topic's bytes: valid UTF-8 as checked by libmosquitto, but possibly with `+` or `#` in it. Valid as long as
    /// the batch is held.
    public var topic: UnsafeRawBufferPointer {
        arena.bytes(record.topicOffset..<record.topicOffset + record.topicLength)
    }

    /// The payload's bytes, possibly none. Valid as long as the batch is held.
    public var payload: UnsafeRawBufferPointer {
        let start = record.topicOffset + record.topicLength
        return arena.bytes(start..<start + record.payloadLength)
    }

    /// The QoS it was delivered with.
    public var qos: MQTTQoS { record.qos }
    /// True for a retained message that the broker sent because of a new subscription.
    public var isRetained: Bool { record.isRetained }

    /// The topic for the answer (MQTT 5). Untrusted input: check it before you publish there.
    public var responseTopic: UnsafeRawBufferPointer? { properties?.responseTopic.map(arena.bytes) }
    /// The bytes that link an answer to its request (MQTT 5).
    public var correlationData: UnsafeRawBufferPointer? { properties?.correlationData.map(arena.bytes) }
    /// The remaining lifetime of the message when the broker sent it, in seconds (MQTT 5).
    public var messageExpirySeconds: UInt32? { properties?.messageExpirySeconds }

    private var properties: MessageArena.PropertyRecord? {
        record.propertyIndex < 0 ? nil : arena.propertyRecords[record.propertyIndex]
    }

}

/// The messages of one batch. Their bytes lie one after another in a block of memory that is reused.
///
/// `@unchecked Sendable` because the connection's thread writes only while it holds the sole reference
/// (`isKnownUniquelyReferenced`), and all others only read.
final class MessageArena: @unchecked Sendable {
    /// The position of a message in the block, as offset and lengths. The payload follows the topic.
    struct Record {
        var topicOffset: Int
        var topicLength: Int
        var payloadLength: Int
        /// The index into `propertyRecords`; -1 for a message without properties, the usual case.
        var propertyIndex: Int
        var qos: MQTTQoS
        var isRetained: Bool
    }

    /// The MQTT 5 properties of a message, as ranges of the block.
    struct PropertyRecord {
        var responseTopic: Range<Int>?
        var correlationData: Range<Int>?
        var messageExpirySeconds: UInt32?
    }

    private static let initialBytes = 65_536
    /// The largest block that is kept for reuse, in bytes. A larger one, grown by a burst or a large message, is freed.
    private static let maximumKeptBytes = 8_388_608

    private var block: UnsafeMutableRawBufferPointer
    private(set) var byteCount = 0
    private(set) var records: ContiguousArray<Record> = []
    private(set) var propertyRecords: [PropertyRecord] = []

    init() {
        block = .allocate(byteCount: Self.initialBytes, alignment: 16)
    }

    deinit {
        block.deallocate()
    }

    func removeAll() {
        byteCount = 0
        records.removeAll(keepingCapacity: true)
        if !propertyRecords.isEmpty { propertyRecords.removeAll(keepingCapacity: true) }
        if block.count > Self.maximumKeptBytes {
            block.deallocate()
            block = .allocate(byteCount: Self.initialBytes, alignment: 16)
        }
    }

    func append(_ record: Record) {
        records.append(record)
    }

    /// Keeps a message's properties and returns their index.
    func append(_ properties: PropertyRecord) -> Int {
        propertyRecords.append(properties)
        return propertyRecords.count - 1
    }

    /// Copies bytes to the end of the block and returns their range.
    func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        let start = byteCount
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return start..<start }
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: block[start...]).copyMemory(
            from: UnsafeRawBufferPointer(start: source, count: bytes.count))
        byteCount = start + bytes.count
        return start..<byteCount
    }

    /// The bytes at a range; valid until the arena is released or filled again.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: block[range])
    }

    private func reserve(_ count: Int) {
        guard byteCount + count > block.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(block.count * 2, byteCount + count), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<byteCount]))
        block.deallocate()
        block = larger
    }
}

/// A pool of arenas. A batch that the application still holds keeps its arena; the next batch is read into another.
struct ArenaPool {
    private var arenas: [MessageArena] = []
    /// Two are enough for a loop that releases each batch before it asks for the next.
    private static let maximumKept = 3

    /// Takes an empty arena that nothing else references.
    mutating func take() -> MessageArena {
        for index in arenas.indices where isKnownUniquelyReferenced(&arenas[index]) {
            arenas[index].removeAll()
            return arenas[index]
        }
        let arena = MessageArena()
        if arenas.count < Self.maximumKept { arenas.append(arena) }
        return arena
    }
}
