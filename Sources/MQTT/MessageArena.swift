/// The messages of one batch, their bytes behind one another in one block of memory that is used again and again.
///
/// `@unchecked Sendable` because the connection's thread writes only while it holds the sole reference
/// (`isKnownUniquelyReferenced`), and everybody else only reads.
final class MessageArena: @unchecked Sendable {
    /// Where a message's parts are, as offsets into the block: the payload follows the topic.
    struct Record {
        var topicOffset: Int
        var topicLength: Int
        var payloadLength: Int
        /// Into `propertyRecords`; -1 for a message without properties, as nearly all are.
        var propertyIndex: Int
        var flags: UInt8
    }

    /// Where a message's MQTT 5 properties are.
    struct PropertyRecord {
        var responseTopic: Range<Int>?
        var correlationData: Range<Int>?
        var contentType: Range<Int>?
        /// Names and values in turn.
        var userStrings: [Range<Int>] = []
        var messageExpirySeconds: UInt32?
    }

    static let retainFlag: UInt8 = 1
    static let qos1Flag: UInt8 = 2

    private static let initialBytes = 65_536
    /// A block that one burst or one large message made larger than this is given back afterwards.
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

    /// Copies bytes to the end of the block and says where they are.
    func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
        let start = byteCount
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return start..<start }
        reserve(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: block[start...]).copyMemory(
            from: UnsafeRawBufferPointer(start: source, count: bytes.count))
        byteCount = start + bytes.count
        return start..<byteCount
    }

    /// Valid as long as the arena is neither released nor filled again.
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
