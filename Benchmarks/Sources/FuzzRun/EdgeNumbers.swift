#if FUZZING
    import Seeded

    /// What libFuzzer calls to change an input (https://llvm.org/docs/LibFuzzer.html). Half of the time it makes numbers of the
    /// text into ones at the edges of what messages may say, one, or those of a list; else it leaves the change to
    /// libFuzzer, whose chance changes of bytes would meet such numbers once in millions of inputs.
    @_cdecl("LLVMFuzzerCustomMutator")
    public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt) -> Int
    {
        var random = SeededGenerator(seed: UInt64(seed))
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        guard Bool.random(using: &random), let changed = EdgeNumbers.change(bytes, &random), changed.count <= capacity
        else { return mutateByChance(start, count, capacity) }
        start.update(from: changed, count: changed.count)
        return changed.count
    }

    /// libFuzzer's own change.
    @_silgen_name("LLVMFuzzerMutate")
    private func mutateByChance(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

    private enum EdgeNumbers {
        /// Around the powers of two by which formats end, in whole units and in thousandths and millionths, and beyond all.
        private static let edges: [String] = {
            let powers = [8, 12, 15, 16, 24, 31, 32, 53, 63].map { UInt64(1) << $0 }
            return powers.flatMap { ["\($0 - 1)", "\($0)", "\($0 + 1)"] } + [1e3, 1e6].map { "\(16_777_216 / $0)" }
                + ["0", "1", "0.5", "1e18", "18446744073709551615", "18446744073709551616", "1e38", "1e300", "5e-324"]
        }()

        /// The text with other numbers; `nil` where it has none.
        static func change(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8]? {
            let numbers = spans(in: text)
            guard let chosen = numbers.randomElement(using: &random), let edge = edges.randomElement(using: &random)
            else { return nil }
            let list = Bool.random(using: &random) ? self.list(around: chosen, in: text) : chosen
            var (changed, end): ([UInt8], Int) = ([], 0)
            for number in numbers where list.contains(number.lowerBound) {
                guard number == chosen || Bool.random(using: &random) else { continue }
                let sign = Bool.random(using: &random) ? "-" : ""
                changed += text[end..<number.lowerBound] + Array((sign + edge).utf8)
                end = number.upperBound
            }
            return changed + text[end...]
        }

        /// The text around a number in which nothing but numbers is: a list, or a list of lists.
        private static func list(around number: Range<Int>, in text: [UInt8]) -> Range<Int> {
            let isInList: (UInt8) -> Bool = { "0123456789.-,[] ".utf8.contains($0) }
            let start = text[..<number.lowerBound].lastIndex { !isInList($0) }.map { $0 + 1 } ?? 0
            return start..<(text[number.upperBound...].firstIndex { !isInList($0) } ?? text.count)
        }

        /// Where the numbers of a text are.
        private static func spans(in text: [UInt8]) -> [Range<Int>] {
            var (found, start): ([Range<Int>], Int?) = ([], nil)
            for (place, byte) in text.enumerated() {
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                let goesOn = isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") && start == nil
                if goesOn, start == nil { start = place }
                if !goesOn, let first = start {
                    found.append(first..<place)
                    start = nil
                }
            }
            return found + (start.map { [$0..<text.count] } ?? [])
        }
    }
#endif
