import Seeded
import Testing

@testable import History
@testable import Wire

@Suite("Words of intervals, as a set")
struct WordSweepTests {
    /// A word by seconds after a full hour of UTC.
    typealias Told = (from: Int64, to: Int64, steps: Double)

    static let hour: Int64 = 1_795_194_000 / 3_600 * 3_600
    static let day: Int64 = 86_400

    static func words(_ told: [Told]) -> [StepWord] {
        told.compactMap {
            StepWord(
                start: (hour + $0.from) * 1_000_000, end: (hour + $0.to) * 1_000_000,
                microSteps: Int64(($0.steps * 1e6).rounded()), micrometresPerStep: 700_000)
        }
    }

    static func claims(_ words: [StepWord], openShare: (Int64) -> Double = { _ in 1 }) -> ClaimedMinutes {
        let first = words.map(\.minutes.lowerBound).min() ?? 0
        let end = words.map(\.minutes.upperBound).max() ?? 0
        return ClaimedMinutes(WordSweep(words), in: first..<end, openShare: openShare)
    }

    static func total(_ told: [Told]) -> Int64 {
        claims(words(told)).counts.values.reduce(0) { $0 + $1.steps }
    }

    @Test(
        "What was told about the same time does not add up, and what was told about other time does",
        arguments: [
            ([(0, 600, 700), (10, 605, 690)], 700...705),
            ([(0, 600, 700), (2, 597, 690)], 700...700),
            ([(0, 600, 690), (0, 602, 700), (-3, 598, 695)], 690...720),
            // Hours and their day, which may know more.
            ([(0, 3600, 500), (3600, 7200, 500), (-3600, 82800, 3000)], 3000...3000),
            ([(0, 3600, 500), (3600, 7200, 500), (-3600, 82800, 900)], 1000...1000),
            // Minutes, half of their hour, and its day.
            ([(0, 60, 10), (60, 120, 10), (0, 3600, 600), (-3600, 82800, 3000)], 3000...3000),
            // A session that grows.
            ([(0, 3900, 300), (0, 9000, 900), (0, 25500, 2111)], 2111...2111),
            // A last day that rolls on.
            ([(0, 86400, 10000), (300, 86700, 9500), (600, 87000, 9600)], 9600...10100),
            // Neighbours with borders that are over.
            ([(0, 602, 500), (600, 1202, 500), (1200, 1802, 500)], 1500...1500),
            ([(29, 44, 70), (43, 103, 118)], 188...188),
            // Halves of two hours.
            ([(0, 3600, 600), (1800, 5400, 600)], 900...900),
            // A minute across the border of its hours.
            ([(3570, 3630, 60), (0, 3600, 600), (3600, 7200, 600)], 1200...1200),
        ] as [([Told], ClosedRange<Int64>)])
    func about(_ told: [Told], _ right: ClosedRange<Int64>) {
        #expect(right.contains(Self.total(told)), "\(Self.total(told))")
    }

    @Test("A day that rolls on for three days counts each day once")
    func rolling() {
        for step in [300, 3600, 7200] as [Int64] {
            let told = stride(from: 0, through: 2 * Self.day, by: Int(step)).map { start in
                Told(from: Int64(start), to: Int64(start) + Self.day, steps: 10_000)
            }
            #expect((29_900...30_100).contains(Self.total(told)), "\(step): \(Self.total(told))")
        }
    }

    @Test("Fractions add up over a day", arguments: [(0.45, 60, 27), (1.4, 60, 84), (0.3, 41, 12), (0.01, 100, 1)])
    func fractions(steps: Double, count: Int64, total: Int64) {
        for start in [0, 1_800] as [Int64] {
            #expect(Self.total((0..<count).map { (start + $0 * 60, start + $0 * 60 + 60, steps) }) == total)
        }
    }

    @Test(
        "The days of a word of several add up to it",
        arguments: [(18_000, 14_400, 2_401), (0, 8 * 86_400, 100), (25_199, 2, 1), (3_600, 31 * 86_400, 1_000_001)])
    func overMidnight(start: Int64, length: Int64, steps: Double) {
        let told: [Told] = [(start, start + length, steps), (start + length / 2, start + length / 2 + 60, 0.5)]
        #expect(Self.total(Array(told.prefix(1))) == Int64(steps))
        #expect(Self.total(told) == Int64(steps))
    }

    @Test("A stretch over midnight in a half-hour zone gives each day its half")
    func halfHour() {
        // 22:00 to 02:00 in Asia/Kolkata; midnight there is 18:30 UTC.
        let word = StepWord(
            start: 1_795_451_400_000_000, end: 1_795_465_800_000_000, microSteps: 2_400_000_000)
        let claims = Self.claims([word].compactMap { $0 })
        let midnight: Int64 = 1_795_458_600 / 60
        #expect(claims.counts.filter { $0.key < midnight }.values.reduce(0) { $0 + $1.steps } == 1200)
        #expect(claims.counts.filter { $0.key >= midnight }.values.reduce(0) { $0 + $1.steps } == 1200)
    }

    @Test("Samples take their part of a minute, and steps have the length that was told")
    func covered() {
        let words = Self.words([(0, 600, 600)])
        let first = Self.hour / 60
        let claims = Self.claims(words) { $0 == first ? 0 : $0 == first + 1 ? 0.5 : 1 }
        #expect(claims.counts[first] == nil && claims.counts[first + 1]?.steps == 30)
        #expect(claims.counts.values.reduce(0) { $0 + $1.steps } == 510)
        #expect(claims.counts.values.allSatisfy { $0.distanceMillimetres == $0.steps * 700 })
    }

    // MARK: - Any words

    private static func random(_ random: inout SeededGenerator) -> [StepWord] {
        let count = Int.random(in: 2...6, using: &random)
        var told: [Told] = []
        for _ in 0..<count {
            // Borders meet, nest and overlap.
            let start = Int64.random(in: 0...40, using: &random) * 30
            let length = ([10, 15, 30, 60, 90, 300, 600, 900, 3_600] as [Int64]).randomElement(using: &random) ?? 60
            var word = (start, start + length, Double(Int.random(in: 0...400, using: &random)) / 4)
            if let other = told.randomElement(using: &random), Bool.random(using: &random) {
                word = (other.from + Int64.random(in: -20...20, using: &random), other.to, word.2)
            }
            if word.0 < word.1, !told.contains(where: { ($0.from, $0.to) == (word.0, word.1) }) { told.append(word) }
        }
        return words(told)
    }

    @Test("Neither order nor what is far away matters, nothing is made up, and what stands alone is whole")
    func properties() {
        var random = SeededGenerator(seed: 29)
        for _ in 0..<20_000 {
            let words = Self.random(&random)
            let claims = Self.claims(words)
            #expect(Self.claims(words.shuffled(using: &random)).counts == claims.counts)
            let total = claims.counts.values.reduce(0) { $0 + $1.steps } * StepWord.micro
            #expect(total <= words.reduce(0) { $0 + $1.microSteps } + StepWord.micro / 2)
            let longest = words.filter { word in
                words.allSatisfy { word.start <= $0.start && $0.end <= word.end }
            }
            if let whole = longest.first { #expect(total >= whole.microSteps - StepWord.micro) }
            let alone = words.filter { word in
                words.allSatisfy { $0 == word || $0.end <= word.start || $0.start >= word.end }
            }
            let sweep = WordSweep(words)
            for word in alone {
                let steps = sweep.amount(from: word.start, to: word.end).microSteps
                #expect(abs(steps - Double(word.microSteps)) < 1)
            }
        }
    }

    @Test("A word changes nothing but the time of words that share time with it")
    func locality() {
        var random = SeededGenerator(seed: 31)
        for _ in 0..<5_000 {
            let words = Self.random(&random)
            guard let changed = words.randomElement(using: &random) else { continue }
            let others = words.filter { $0 != changed }
            let reach = words.filter { $0.start < changed.end && $0.end > changed.start }
                .reduce(changed.start..<changed.end) { min($0.lowerBound, $1.start)..<max($0.upperBound, $1.end) }
            let (before, after) = (WordSweep(others), WordSweep(words))
            for word in words {
                for (start, end) in [
                    (word.start, min(word.end, reach.lowerBound)), (max(word.start, reach.upperBound), word.end),
                ]
                where start < end {
                    #expect(before.amount(from: start, to: end) == after.amount(from: start, to: end))
                }
            }
        }
    }
}
