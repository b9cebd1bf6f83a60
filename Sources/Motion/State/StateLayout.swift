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
