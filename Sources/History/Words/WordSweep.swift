package import Wire

/// Where the steps lie that a device told by words of intervals: a function of the set of words alone, so that neither
/// the order in which they came nor a repeat can matter.
///
/// The finest word is believed first. A coarser one spreads what the finer ones inside it have not said evenly over the
/// time that they leave. For that no two words may half overlap:
/// - A word across a border of one that is longer by more than half is cut there, and its parts have their shares.
/// - Of two that are about as long the coarser, and of equals the earlier, is about the time beside the other.
/// - A tenth at an end of a word is a difference of borders: it goes, and its steps stay.
///
/// So what a word comes to depends only on words that share time with it.
package struct WordSweep: Sendable {
    /// Two words are about as long if neither is longer than the other by more than this factor, as a ratio.
    private static let sameLength: (Int64, Int64) = (3, 2)
    /// Up to this part of a word at its end is a difference of borders.
    private static let borderShare: Int64 = 10

    /// A part of a word, with its share of the steps.
    private struct Piece {
        var start: Int64
        var end: Int64
        var microSteps: Double
        var micrometresPerStep: Double
    }

    /// The borders of stretches in which steps lie evenly, in order.
    private var borders: [Int64] = []
    /// Millionths of steps a microsecond in each stretch, from its border to the next, and the same times the length of
    /// a step.
    private var density: [Double] = []
    private var distanceDensity: [Double] = []
    private let words: [StepWord]

    /// - Parameter words: in any order; no two about the same stretch.
    package init(_ words: [StepWord]) {
        let words = words.sorted(by: Self.precedes)
        self.words = words
        let neighbours = Neighbours(words)
        var pieces: [Piece] = []
        for word in words { pieces += Self.pieces(of: word, among: neighbours) }
        borders = Set(pieces.flatMap { [$0.start, $0.end] }).sorted()
        density = [Double](repeating: 0, count: borders.count)
        distanceDensity = density
        var isTold = [Bool](repeating: false, count: borders.count)
        for piece in pieces { place(piece, &isTold) }
    }

    /// The finest first, and of equals the later.
    private static func precedes(_ left: StepWord, _ right: StepWord) -> Bool {
        left.microseconds == right.microseconds ? left.start > right.start : left.microseconds < right.microseconds
    }

    private static func isMuchLonger(_ left: Int64, than right: Int64) -> Bool {
        left * sameLength.1 > right * sameLength.0
    }

    // MARK: - Pieces

    private static func pieces(of word: StepWord, among neighbours: Neighbours) -> [Piece] {
        guard let own = ownTime(of: word, among: neighbours) else { return [] }
        let length = own.end - own.start
        let cuts = neighbours.borders(in: own.start..<own.end) { isMuchLonger($0, than: length) }
        var (start, end) = (own.start, own.end)
        let tenth = length / borderShare
        for cut in cuts where cut - own.start <= tenth { start = max(start, cut) }
        for cut in cuts.reversed() where own.end - cut <= tenth && cut > start { end = min(end, cut) }
        let places = [start] + cuts.filter { $0 > start && $0 < end } + [end]
        return zip(places, places.dropFirst()).map { from, to in
            let share = Double(to - from) / Double(end - start)
            return Piece(
                start: from, end: to, microSteps: own.microSteps * share,
                micrometresPerStep: Double(word.micrometresPerStep))
        }
    }

    /// The time of a word beside those about as long that half overlap it and are believed before it, and its steps in
    /// that; `nil` where they leave none.
    private static func ownTime(
        of word: StepWord, among neighbours: Neighbours
    ) -> (start: Int64, end: Int64, microSteps: Double)? {
        var (first, last): (StepWord?, StepWord?)
        neighbours.forEachAboutAsLong(as: word) { other in
            let isSimilar =
                !isMuchLonger(word.microseconds, than: other.microseconds)
                && !isMuchLonger(other.microseconds, than: word.microseconds)
            guard isSimilar, precedes(other, word) else { return }
            if other.start < word.start, other.end > word.start, other.end < word.end {
                if other.end > first?.end ?? .min { first = other }
            } else if other.start > word.start, other.start < word.end, other.end > word.end {
                if other.start < last?.start ?? .max { last = other }
            }
        }
        let (start, end) = (first?.end ?? word.start, last?.start ?? word.end)
        guard start < end else { return nil }
        var told = word.microseconds
        if let first, isBorder(start - word.start, of: word, and: first) { told -= start - word.start }
        if let last, isBorder(word.end - end, of: word, and: last) { told -= word.end - end }
        return (start, end, Double(word.microSteps) * Double(end - start) / Double(max(told, end - start)))
    }

    private static func isBorder(_ overlap: Int64, of left: StepWord, and right: StepWord) -> Bool {
        overlap <= min(left.microseconds, right.microseconds) / borderShare
    }

    // MARK: - Places

    private func index(of border: Int64) -> Int { borders.firstIndex(fromWhere: { $0 >= border }) }

    private mutating func place(_ piece: Piece, _ isTold: inout [Bool]) {
        let range = index(of: piece.start)..<index(of: piece.end)
        var (told, free) = (0.0, 0.0)
        for index in range {
            let length = Double(borders[index + 1] - borders[index])
            told += density[index] * length
            if !isTold[index] { free += length }
        }
        let rest = max(0, piece.microSteps - told)
        let isFull = free == 0
        let added = rest / (isFull ? Double(piece.end - piece.start) : free)
        for index in range where isFull || !isTold[index] {
            density[index] += added
            distanceDensity[index] += added * piece.micrometresPerStep
            isTold[index] = true
        }
    }

    /// The steps between two times, in millionths, and the length of them all in millionths of a micrometre.
    package func amount(from start: Int64, to end: Int64) -> (microSteps: Double, distance: Double) {
        var place = place(of: start)
        return amount(from: start, to: end, &place)
    }

    /// The first beginning of the words that go on across a time; the time itself where there is none.
    func start(across time: Int64) -> Int64 {
        words.reduce(time) { $1.end > time ? min($0, $1.start) : $0 }
    }

    /// The stretch in which a time lies, or the next one.
    func place(of time: Int64) -> Int { max(0, index(of: time) - 1) }

    /// The same from a place on that is not behind the beginning; it moves to that of the end.
    func amount(from start: Int64, to end: Int64, _ place: inout Int) -> (microSteps: Double, distance: Double) {
        var (steps, distance) = (0.0, 0.0)
        while place + 1 < borders.count, borders[place] < end {
            let length = Double(max(0, min(end, borders[place + 1]) - max(start, borders[place])))
            steps += density[place] * length
            distance += distanceDensity[place] * length
            guard borders[place + 1] <= end else { break }
            place += 1
        }
        return (steps, distance)
    }
}

/// Words by where they are and how long, so that those which share time with one are found without looking at all.
private struct Neighbours {
    /// By the number of binary digits of their length, each by its beginning.
    private var words: [Int: [StepWord]]
    /// The ends of all words, in order, with the length of the word.
    private let ends: [(place: Int64, length: Int64)]

    init(_ words: [StepWord]) {
        self.words = Dictionary(grouping: words, by: Self.size).mapValues { $0.sorted { $0.start < $1.start } }
        ends = words.flatMap { [($0.start, $0.microseconds), ($0.end, $0.microseconds)] }.sorted { $0.0 < $1.0 }
    }

    private static func size(_ word: StepWord) -> Int {
        word.microseconds.bitWidth - word.microseconds.leadingZeroBitCount
    }

    /// Words that share time with one and are less than twice, and more than half, as long; and some others.
    func forEachAboutAsLong(as word: StepWord, _ body: (StepWord) -> Void) {
        let size = Self.size(word)
        for other in size - 1...size + 1 {
            guard let words = words[other] else { continue }
            var index = words.firstIndex(fromWhere: { $0.start > word.start - 1 << Int64(other) })
            while index < words.count, words[index].start < word.end {
                body(words[index])
                index += 1
            }
        }
    }

    /// The borders within a range of words whose length meets a condition, in order and each once.
    func borders(in range: Range<Int64>, where isMeant: (Int64) -> Bool) -> [Int64] {
        var found: [Int64] = []
        var index = ends.firstIndex(fromWhere: { $0.place > range.lowerBound })
        while index < ends.count, ends[index].place < range.upperBound {
            if isMeant(ends[index].length), found.last != ends[index].place { found.append(ends[index].place) }
            index += 1
        }
        return found
    }
}

extension Array {
    /// The first index from which on a condition holds: it does for all behind the first.
    func firstIndex(fromWhere holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
