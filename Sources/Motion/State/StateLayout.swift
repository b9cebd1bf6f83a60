/// Where the plain fields of a type lie in memory, at any depth, and what values they may have.
///
/// Bytes between fields are no part of a state, so that equal states have equal bytes. Arrays are left out.
struct StateLayout: Sendable {
    /// The ranges of neighbouring fields.
    private(set) var runs: [Range<Int>] = []
    private var fields: [Field] = []
    /// The names and types of all fields, in order.
    private(set) var hash = StateHash()

    private struct Field {
        var place: Int
        var kind: Kind
    }

    private enum Kind {
        /// Any bits are a value, as in a set of sensors.
        case bits
        /// A `Bool`, or a case of an enumeration: one of the first so many numbers.
        case choice(count: Int)
        case float, double
        /// A counter.
        case count
        /// A time in microseconds, or −1 for none.
        case time
    }

    /// The largest magnitude of a number: sums of squares of the largest admitted samples stay far below it, and its
    /// square is a finite `Float`.
    private static let largestNumber: Float = 1e13
    /// The largest counter: no life of a process is long enough to reach it.
    private static let largestCount = Int.max >> 16

    /// The latest time: some years after the last that samples have.
    private static let latestTime = 2 * SampleGuard.latestMicroseconds

    /// The layout of a value's type. Swift lays fields out in their order, each at the next multiple of its alignment.
    init(of value: Any) {
        describe(value, at: 0)
    }

    private mutating func describe(_ value: Any, at place: Int) {
        switch value {
        case is Bool: note(.choice(count: 2), place, size: 1)
        case is UInt8, is UInt16, is Int32, is SIMD4<Int16>: note(.bits, place, size: Self.size(value).size)
        case is Int, is UInt64: note(.count, place, size: 8)
        case is Int64: note(.time, place, size: 8)
        case is Float: note(.float, place, size: 4)
        case is SIMD4<Float>: for lane in 0..<4 { note(.float, place + 4 * lane, size: 4) }
        case is Double: note(.double, place, size: 8)
        case let choice as any CaseIterable: note(.choice(count: Self.caseCount(choice)), place, size: 1)
        case is any Sequence, is StateModel: break
        default: describeFields(of: value, at: place)
        }
    }

    private mutating func describeFields(of value: Any, at start: Int) {
        var place = start
        for field in Mirror(reflecting: value).children {
            let (size, alignment) = Self.size(field.value)
            place = (place + alignment - 1) / alignment * alignment
            hash.combine("\(field.label ?? ""): \(type(of: field.value)) \(size)")
            describe(field.value, at: place)
            place += size
        }
    }

    private mutating func note(_ kind: Kind, _ place: Int, size: Int) {
        fields.append(Field(place: place, kind: kind))
        if let last = runs.last, last.upperBound == place {
            runs[runs.count - 1] = last.lowerBound..<place + size
        } else {
            runs.append(place..<place + size)
        }
    }

    private static func size(_ value: Any) -> (size: Int, alignment: Int) {
        func measure<Value>(_: Value) -> (size: Int, alignment: Int) {
            (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
        }
        return _openExistential(value, do: measure)
    }

    private static func caseCount<Choice: CaseIterable>(_ choice: Choice) -> Int { Choice.allCases.count }

    /// Whether every field in the memory of a value has a possible value.
    func admits(_ memory: UnsafeRawBufferPointer) -> Bool {
        fields.allSatisfy { field in
            func read<Value: BitwiseCopyable>(_ type: Value.Type) -> Value {
                memory.loadUnaligned(fromByteOffset: field.place, as: type)
            }
            switch field.kind {
            case .bits: return true
            case .choice(let count): return read(UInt8.self) < count
            case .float: return read(Float.self).magnitude <= Self.largestNumber
            case .double: return read(Double.self).magnitude <= Double(Self.largestNumber)
            case .count: return (0...Self.largestCount).contains(read(Int.self))
            case .time: return (-1...Self.latestTime).contains(read(Int64.self))
            }
        }
    }
}

/// The layouts of the parts of one kind of state.
struct StateLayouts: Sendable {
    private var byType: [ObjectIdentifier: StateLayout] = [:]
    /// The hash of all of them: states of another hash are of another version.
    private(set) var hash = StateHash()

    /// Finds out the layouts that `parts` needs.
    /// - Parameter revision: Changes when a field with the same name and type means something else.
    init(revision: UInt8, _ parts: (inout StateCopy) -> Void) {
        hash.combine("\(revision)")
        var copy = StateCopy(writingAfter: [], layouts: self)
        parts(&copy)
        self = copy.layouts
    }

    mutating func layout<Part>(of part: Part) -> StateLayout {
        let type = ObjectIdentifier(Part.self)
        if let known = byType[type] { return known }
        let layout = StateLayout(of: part)
        byType[type] = layout
        hash.combine("\(Part.self) \(layout.hash.value)")
        return layout
    }
}

/// A hash that is the same in every process: FNV-1a by words of 8 bytes (draft-eastlake-fnv), whose high bits are
/// mixed in.
struct StateHash: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init() {}

    init(_ bytes: UnsafeRawBufferPointer) {
        combine(bytes)
    }

    mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
    }

    private mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        combine(UInt64(bytes.count))
        var place = 0
        while place < bytes.count {
            var word: UInt64 = 0
            withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes[place..<min(place + 8, bytes.count)]) }
            combine(UInt64(littleEndian: word))
            place += 8
        }
    }

    private mutating func combine(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01B3
        value ^= value >> 32
    }
}

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
