/// Copies the parts of a state into bytes, or out of them, in one order: the plain fields of each part as its
/// ``StateLayout`` finds them in memory, and the elements of its arrays.
///
/// What it reads is checked: numbers that no state holds make it unsound, and nothing traps on them.
struct StateCopy {
    /// The parts come from or go to these bytes.
    private(set) var bytes: [UInt8]
    private var position: Int
    private let end: Int
    let isReading: Bool
    /// False if there were too few bytes, or a field that was read has an impossible value.
    private(set) var isSound = true
    /// The layouts that were needed, by type.
    private(set) var layouts: StateLayouts

    init(writingAfter bytes: [UInt8], layouts: StateLayouts) {
        (self.bytes, self.layouts) = (bytes, layouts)
        (position, end, isReading) = (bytes.count, 0, false)
    }

    init(reading bytes: [UInt8], _ range: Range<Int>, layouts: StateLayouts) {
        (self.bytes, self.layouts) = (bytes, layouts)
        (position, end, isReading) = (range.lowerBound, range.upperBound, true)
    }

    /// Whether all bytes were read.
    var isAtEnd: Bool { position == end }

    /// Makes a state that is read unsound, unless a condition holds.
    mutating func expect(_ condition: Bool) {
        if isReading, !condition { isSound = false }
    }

    /// Copies the plain fields of a part, and leaves its arrays.
    mutating func part<Part>(_ part: inout Part) {
        let layout = layouts.layout(of: part)
        withUnsafeMutableBytes(of: &part) { memory in
            for run in layout.runs { copy(UnsafeMutableRawBufferPointer(rebasing: memory[run])) }
            expect(isSound && layout.admits(UnsafeRawBufferPointer(memory)))
        }
    }

    /// Copies elements of an array, which keeps its length. To write shares the array with the original.
    mutating func elements<Element: BitwiseCopyable>(_ elements: inout [Element], _ range: Range<Int>) {
        guard let first = elements.first else { return }
        let (layout, stride) = (layouts.layout(of: first), MemoryLayout<Element>.stride)
        let place = range.lowerBound * stride..<range.upperBound * stride
        guard isReading else { return elements.withUnsafeBytes { bytes.append(contentsOf: $0[place]) } }
        elements.withUnsafeMutableBytes { copy(UnsafeMutableRawBufferPointer(rebasing: $0[place])) }
        elements[range].withUnsafeBytes { memory in
            for start in Swift.stride(from: 0, to: memory.count, by: stride) {
                expect(layout.admits(UnsafeRawBufferPointer(rebasing: memory[start..<start + stride])))
            }
        }
    }

    private mutating func copy(_ memory: UnsafeMutableRawBufferPointer) {
        guard isReading else { return bytes.append(contentsOf: memory) }
        guard end - position >= memory.count else {
            (position, isSound) = (end, false)
            return
        }
        bytes.withUnsafeBytes {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position...].prefix(memory.count)))
        }
        position += memory.count
    }
}

/// The frame around a state: which layout it has, and whether it is as it was written.
enum SealedState {
    /// Bytes before and after the parts.
    private static let (headerBytes, checksumBytes) = (8, 8)

    /// Appends the layout's hash, the parts that `write` copies, and a checksum.
    static func append(to bytes: inout [UInt8], _ layouts: StateLayouts, _ write: (inout StateCopy) -> Void) {
        let start = bytes.count
        append(layouts.hash.value, to: &bytes)
        var copy = StateCopy(writingAfter: bytes, layouts: layouts)
        bytes = []
        write(&copy)
        bytes = copy.bytes
        append(bytes.withUnsafeBytes { StateHash(UnsafeRawBufferPointer(rebasing: $0[start...])).value }, to: &bytes)
    }

    /// Reads the parts of a state that ``append(to:_:_:)`` wrote.
    /// - Parameter isWhole: Whether all of them are read, and not the first alone.
    static func read(
        _ bytes: [UInt8], _ layouts: StateLayouts, most: Int, isWhole: Bool = true, _ read: (inout StateCopy) -> Void
    ) throws(MotionStateError) {
        let end = bytes.count - checksumBytes
        guard bytes.count <= most, end >= headerBytes else { throw .wrongLength(bytes.count) }
        guard word(bytes, at: 0) == layouts.hash.value else { throw .otherLayout }
        let sum = bytes.withUnsafeBytes { StateHash(UnsafeRawBufferPointer(rebasing: $0[..<end])).value }
        guard word(bytes, at: end) == sum else { throw .wrongChecksum }
        var copy = StateCopy(reading: bytes, headerBytes..<end, layouts: layouts)
        read(&copy)
        guard copy.isSound else { throw .impossibleField }
        guard !isWhole || copy.isAtEnd else { throw .wrongLength(bytes.count) }
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func word(_ bytes: [UInt8], at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }
}

/// Bytes that are not a state of this program.
public enum MotionStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes have another layout: count from a new pipeline instead.
    case otherLayout
    /// There are fewer or more bytes than the layout has.
    case wrongLength(Int)
    /// The checksum is wrong: the bytes are damaged.
    case wrongChecksum
    /// A field has an impossible value.
    case impossibleField

    /// The error and its remedy, in a line.
    public var description: String {
        switch self {
        case .otherLayout: "state has the layout of another version: start a fresh pipeline"
        case .wrongLength(let count): "state of \(count) bytes is cut or padded: start a fresh pipeline"
        case .wrongChecksum: "state bytes were changed after saving: start a fresh pipeline"
        case .impossibleField: "state holds an impossible value: start a fresh pipeline"
        }
    }
}
