/// The seconds of one minute: cadence, power and heart rate, as far as they are known.
///
/// A second that is told again replaces what was known of it, so that a trace is the same however often and in whatever
/// order its seconds are told.
package struct Trace: Sendable, Hashable {
    /// The kind of a number that a second may have, whole in its unit.
    package typealias Channel = Reading.Kind

    /// Whether the cadence is of steps, not of a crank.
    package var isOfSteps = false
    /// The numbers of each channel, second by second; -1 where one is not known.
    private var numbers = [Int16](repeating: -1, count: Channel.allCases.count * seconds)

    package static let seconds = 60

    /// A minute of which nothing is known.
    package init() {}

    package subscript(channel: Channel, second: Int) -> Int? {
        get {
            let number = numbers[channel.rawValue * Self.seconds + second]
            return number < 0 ? nil : Int(number)
        }
        set {
            let number = newValue.map { Int16(min(max($0, 0), Channel.maximum)) } ?? -1
            numbers[channel.rawValue * Self.seconds + second] = number
        }
    }

    package var isEmpty: Bool { numbers.allSatisfy { $0 < 0 } }

    /// Takes every second that another trace of the minute knows.
    package mutating func merge(_ newer: Trace) {
        if newer.moves { isOfSteps = newer.isOfSteps }
        for index in numbers.indices where newer.numbers[index] >= 0 { numbers[index] = newer.numbers[index] }
    }

    /// Takes the seconds that are not known yet from another trace of the minute; of its cadence, only where both are of
    /// steps or of a crank.
    package mutating func fill(_ other: Trace) {
        let takesCadence = !moves || !other.moves || isOfSteps == other.isOfSteps
        if !moves { isOfSteps = other.isOfSteps }
        for index in numbers.indices where numbers[index] < 0 {
            guard takesCadence || index >= Self.seconds else { continue }
            numbers[index] = other.numbers[index]
        }
    }

    /// Whether any second has a cadence above 0.
    private var moves: Bool { values(.cadence).contains { $0 > 0 } }

    /// Without the cadence of a minute at rest, which nobody asks for. A part of a minute keeps its zeros: they may replace
    /// what another part said of these seconds.
    package var withoutRest: Trace {
        guard !moves else { return self }
        var trace = self
        for second in 0..<Self.seconds { trace[.cadence, second] = nil }
        return trace
    }

    package func knows(_ channel: Channel) -> Bool { values(channel).contains { $0 >= 0 } }

    /// The sum of the known seconds of a channel: its mean, extremes and how many are known.
    package func sum(_ channel: Channel) -> RateSum {
        var sum = RateSum()
        for number in values(channel) where number >= 0 {
            let value = Double(number)
            sum += RateSum(integral: value, seconds: 1, minimum: value, maximum: value)
        }
        return sum
    }

    private func values(_ channel: Channel) -> ArraySlice<Int16> {
        numbers[(channel.rawValue * Self.seconds)..<((channel.rawValue + 1) * Self.seconds)]
    }
}

extension Reading.Kind {
    /// The greatest number that a trace keeps; a greater one is cut to it.
    package static let maximum = 4_095
}

// MARK: - Packed

/// A packed trace has the channels that know anything, each with a bit where it knows every second, else the lengths of its
/// stretches, known and not known by turns; its first number; and the differences between its numbers. The differences are in
/// the code that is shortest for them: of Rice with a parameter (Rice and Plaunt, 1971), or as stretches of the same number,
/// with lengths by Elias's gamma code (1975), so that a channel that does not change takes some twenty bits.
extension Trace {
    /// The code of a channel's differences: the parameter of a Rice code, or this for stretches.
    private static let stretches: UInt32 = 7
    private static let rice: Range<UInt32> = 0..<7
    /// A Rice code with more ones than this has the number in plain bits behind them.
    private static let maximumOnes: UInt32 = 12
    private static let valueBits = 12
    private static let differenceBits = 13

    /// The greatest length: three channels of plain numbers.
    package static let maximumPackedBytes = 640

    /// Nothing for an empty trace.
    package var packed: [UInt8] {
        let channels = Channel.allCases.filter { knows($0) }
        guard !channels.isEmpty else { return [] }
        var bits = BitWriter()
        for channel in Channel.allCases { bits.write(channels.contains(channel) ? 1 : 0, count: 1) }
        bits.write(isOfSteps ? 1 : 0, count: 1)
        for channel in channels {
            let values = values(channel)
            bits.write(stretchesOf: values.map { $0 >= 0 })
            bits.write(differencesOf: values.filter { $0 >= 0 }.map { Int32($0) })
        }
        return bits.bytes
    }

    /// Reads a packed trace; `nil` where the bytes are none.
    package init?(packed bytes: [UInt8]) {
        guard bytes.count <= Self.maximumPackedBytes else { return nil }
        self.init()
        guard !bytes.isEmpty else { return }
        var bits = BitReader(bytes)
        let channels = Channel.allCases.filter { _ in bits.read(count: 1) == 1 }
        isOfSteps = bits.read(count: 1) == 1
        for channel in channels {
            guard let known = bits.readStretches(of: Self.seconds) else { return nil }
            let places = known.indices.filter { known[$0] }
            guard let values = bits.readDifferences(count: places.count) else { return nil }
            for (place, value) in zip(places, values) { self[channel, place] = Int(value) }
        }
        guard !bits.isOver else { return nil }
    }

    private struct BitWriter {
        var bytes: [UInt8] = []
        var free = 0

        mutating func write(_ number: UInt32, count: Int) {
            for place in stride(from: count - 1, through: 0, by: -1) {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                free -= 1
                bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: number >> UInt32(place) & 1) << UInt8(free)
            }
        }

        /// Elias's gamma code of a number from 1 on: as many zeros as its bits but one, and its bits.
        mutating func writeGamma(_ number: UInt32) {
            let bits = 32 - number.leadingZeroBitCount
            write(0, count: bits - 1)
            write(number, count: bits)
        }

        mutating func write(stretchesOf known: [Bool]) {
            let isWhole = known.allSatisfy { $0 }
            write(isWhole ? 1 : 0, count: 1)
            guard !isWhole else { return }
            write(known[0] ? 1 : 0, count: 1)
            for length in Trace.lengths(of: known) { writeGamma(length) }
        }

        mutating func write(differencesOf values: [Int32]) {
            write(UInt32(values[0]), count: Trace.valueBits)
            let differences = zip(values.dropFirst(), values).map { Trace.folded($0 - $1) }
            let sizes = Trace.rice.map { parameter in
                differences.reduce(0) { $0 + Trace.riceBits($1, parameter) }
            }
            let best = Trace.rice.min { sizes[Int($0)] < sizes[Int($1)] } ?? 0
            let zeros = Trace.lengths(of: differences)
            let inStretches = zeros.reduce(0) { $0 + Trace.gammaBits($1.length) + Trace.gammaBits($1.value + 1) }
            guard inStretches < sizes[Int(best)] else {
                write(best, count: 3)
                for difference in differences { write(difference, rice: best) }
                return
            }
            write(Trace.stretches, count: 3)
            for stretch in zeros {
                writeGamma(stretch.value + 1)
                writeGamma(stretch.length)
            }
        }

        private mutating func write(_ difference: UInt32, rice parameter: UInt32) {
            let ones = difference >> parameter
            guard ones <= Trace.maximumOnes else {
                for _ in 0...Trace.maximumOnes { write(1, count: 1) }
                return write(difference, count: Trace.differenceBits)
            }
            for _ in 0..<ones { write(1, count: 1) }
            write(0, count: 1)
            write(difference & (1 << parameter - 1), count: Int(parameter))
        }
    }

    private struct BitReader {
        let bytes: [UInt8]
        var position = 0
        /// Whether more was read than there is, which reads as zeros.
        var isOver: Bool { position > bytes.count * 8 }

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func read(count: Int) -> UInt32 {
            var number: UInt32 = 0
            for _ in 0..<count {
                let byte = position < bytes.count * 8 ? bytes[position / 8] : 0
                number = number << 1 | UInt32(byte >> UInt8(7 - position % 8) & 1)
                position += 1
            }
            return number
        }

        mutating func readGamma() -> UInt32? {
            var zeros = 0
            while read(count: 1) == 0 {
                zeros += 1
                guard zeros < Trace.differenceBits + 1 else { return nil }
            }
            return 1 << UInt32(zeros) | read(count: zeros)
        }

        mutating func readStretches(of count: Int) -> [Bool]? {
            guard read(count: 1) == 0 else { return [Bool](repeating: true, count: count) }
            var isKnown = read(count: 1) == 1
            var known: [Bool] = []
            while known.count < count {
                guard let length = readGamma(), Int(length) <= count - known.count else { return nil }
                known += [Bool](repeating: isKnown, count: Int(length))
                isKnown.toggle()
            }
            return known
        }

        mutating func readDifferences(count: Int) -> [Int32]? {
            guard count > 0 else { return nil }
            var values = [Int32(read(count: Trace.valueBits))]
            let code = read(count: 3)
            while values.count < count {
                var length: UInt32 = 1
                let difference: UInt32
                if code == Trace.stretches {
                    guard let value = readGamma(), let same = readGamma() else { return nil }
                    (difference, length) = (value - 1, same)
                } else {
                    difference = readRice(code)
                }
                guard Int(length) <= count - values.count else { return nil }
                for _ in 0..<length { values.append(values[values.count - 1] + Trace.unfolded(difference)) }
            }
            return values.allSatisfy { (0...Int32(Channel.maximum)).contains($0) } ? values : nil
        }

        private mutating func readRice(_ parameter: UInt32) -> UInt32 {
            var ones: UInt32 = 0
            while ones <= Trace.maximumOnes, read(count: 1) == 1 { ones += 1 }
            guard ones <= Trace.maximumOnes else { return read(count: Trace.differenceBits) }
            return ones << parameter | read(count: Int(parameter))
        }
    }

    /// A difference as a number from 0 on: 0, -1, 1, -2, 2 ...
    private static func folded(_ difference: Int32) -> UInt32 {
        UInt32(bitPattern: difference << 1 ^ difference >> 31)
    }

    private static func unfolded(_ number: UInt32) -> Int32 {
        Int32(bitPattern: number >> 1) ^ -Int32(bitPattern: number & 1)
    }

    private static func riceBits(_ difference: UInt32, _ parameter: UInt32) -> Int {
        let ones = difference >> parameter
        return ones > maximumOnes ? Int(maximumOnes) + 1 + differenceBits : Int(ones + 1 + parameter)
    }

    private static func gammaBits(_ number: UInt32) -> Int { 2 * (32 - number.leadingZeroBitCount) - 1 }

    private static func lengths<Value: Equatable>(of values: [Value]) -> [(value: Value, length: UInt32)] {
        var lengths: [(value: Value, length: UInt32)] = []
        for value in values {
            if let last = lengths.last, last.value == value {
                lengths[lengths.count - 1].length += 1
            } else {
                lengths.append((value, 1))
            }
        }
        return lengths
    }

    private static func lengths(of known: [Bool]) -> [UInt32] { lengths(of: known).map(\.length) }
}
