/// What a device said of a stretch of time: so many steps in it.
package struct StepWord: Sendable, Hashable {
    /// Millionths of a step: health apps tell fractions, and minutes of less than a step add up.
    package static let micro: Int64 = 1_000_000

    /// The first instant, and the first one after the stretch, in microseconds since 1970.
    package var start: Int64
    package var end: Int64
    package var microSteps: Int64
    /// The length of a step when the word came, in micrometres; 0 where it is not known.
    package var micrometresPerStep: Int64

    /// `nil` for an empty or too long stretch, and for more steps than an interval may have.
    package init?(start: Int64, end: Int64, microSteps: Int64, micrometresPerStep: Int64 = 0) {
        (self.start, self.end, self.microSteps) = (start, end, microSteps)
        self.micrometresPerStep = micrometresPerStep
        guard isPossible else { return nil }
    }

    /// The placeholder of a word that has not been read yet.
    init() { (start, end, microSteps, micrometresPerStep) = (0, 0, 0, 0) }

    var isPossible: Bool {
        Self.starts.contains(start) && end > start && end - start <= CountLimits.maximumIntervalMicroseconds
            && (0...Self.maximumMicroSteps).contains(microSteps) && Self.stepLengths.contains(micrometresPerStep)
    }

    /// The beginnings that are taken, until the year 2255.
    private static let starts: Range<Int64> = 0..<1 << 53
    private static let maximumMicroSteps = Int64(CountLimits.maximumIntervalSteps) * micro + micro
    /// The lengths of a step that are taken, in micrometres: up to 10 m.
    private static let stepLengths: ClosedRange<Int64> = 0...10_000_000

    package var microseconds: Int64 { end - start }

    /// The minutes that it touches, since 1970, UTC.
    package var minutes: Range<Int64> { start / Self.minute..<(end - 1) / Self.minute + 1 }

    /// A minute, in microseconds.
    package static let minute: Int64 = 60_000_000
}

/// A word of a device. A later word about the same stretch replaces the earlier one; words about others stand beside it.
package struct WordRow: Sendable, Hashable {
    package var device: DeviceID
    package var word: StepWord
    /// The life of the counter's store, which the batch says for all its words.
    package var epoch: UInt64
    /// The number of the change in the counter's store.
    package var revision: UInt64

    package init(device: DeviceID, word: StepWord, epoch: UInt64 = 0, revision: UInt64 = 0) {
        (self.device, self.word, self.epoch, self.revision) = (device, word, epoch, revision)
    }
}
