/// The rows of one message from counter to history, with its place in the chain of that counter's messages: minutes, and
/// words of intervals.
///
/// A counter numbers every change of a row, of either kind; the number is the row's revision. `previousRevision` is the last revision
/// of the message before. A reader whose position is below it has missed rows and requests them (`CountsResend`). A
/// reader whose position is above it has seen this message before, which is harmless.
package struct CountsBatch: Sendable, Equatable {
    /// The epoch of the counter's store, one for each life of the store.
    package var epoch: UInt64
    /// The last revision of the message before this one; 0 for the first.
    package var previousRevision: UInt64
    package var lastRevision: UInt64
    /// The minutes, in ascending order of revision, of any device of the counter.
    package var rows: [MinuteRow]
    /// The words, in ascending order of revision.
    package var words: [WordRow]
    /// Rows that were in the message and cannot be read.
    package var unreadableRows = 0

    /// The most rows, of both kinds together.
    package static let maximumRows = 400

    package init(
        epoch: UInt64, previousRevision: UInt64, lastRevision: UInt64, rows: [MinuteRow], words: [WordRow] = []
    ) {
        self.epoch = epoch
        self.previousRevision = previousRevision
        self.lastRevision = lastRevision
        (self.rows, self.words) = (rows, words)
    }
}

/// History's request for rows that it has missed: the last revision of each counter before its first gap.
///
/// A counter whose epoch is in the request sends all rows after that revision again. Any other counter sends all its
/// rows.
package struct CountsResend: Sendable, Hashable {
    /// The last revision up to which nothing is missing, by the epoch of a counter's store, at most `maximumEpochs`.
    package var revisions: [UInt64: UInt64]

    package static let maximumEpochs = 16

    package init(revisions: [UInt64: UInt64] = [:]) { self.revisions = revisions }
}

/// Everything counted for one device in one minute of UTC, so far.
///
/// It is a state, not a difference: a later message with a greater `revision` replaces an earlier one, so repeating,
/// reordering or losing messages changes nothing once the newest has arrived.
@dynamicMemberLookup
package struct MinuteRow: Sendable, Hashable {
    package var device: DeviceID
    /// Minutes since 1970, UTC.
    package var minute: Int64
    /// The epoch of the counter's store that holds this row. Rows of different epochs add up.
    package var epoch: UInt64
    /// Grows with every change in the counter's store.
    package var revision: UInt64
    package var counts = Counts()
    /// Of the active time.
    package var cadence = RateSum()
    /// Beats a minute, and watts, of the seconds in which they are known.
    package var (heart, power) = (RateSum(), RateSum())
    /// A packed `Trace`; nothing where no second is known.
    package var trace: [UInt8] = []

    package init(device: DeviceID, minute: Int64, epoch: UInt64, revision: UInt64) {
        self.device = device
        self.minute = minute
        self.epoch = epoch
        self.revision = revision
    }

    package subscript<Number>(dynamicMember number: WritableKeyPath<Counts, Number>) -> Number {
        get { counts[keyPath: number] }
        set { counts[keyPath: number] = newValue }
    }
}

/// History's order to the counter of a partition, on `service/forget/{partition}`, to delete the counts of a device.
///
/// The order is idempotent. The counter answers with the emptied rows, which have greater revisions than before, so
/// that no message in flight brings old counts back.
package struct CountsForget: Sendable, Hashable {
    /// The device whose counts are deleted.
    package var device: DeviceID
    /// Minutes since 1970, UTC. Their counts, past and future, are deleted.
    package var minutes: Range<Int64>
    /// True if all counts of the device are deleted, whatever their minute, and its state as well.
    package var isWhole: Bool

    package init(device: DeviceID, minutes: Range<Int64>, isWhole: Bool) {
        self.device = device
        self.minutes = minutes
        self.isWhole = isWhole
    }
}

// MARK: - Bytes

extension CountsBatch: ServiceMessage {
    package static let mark = "SBC"
    package static let version: UInt8 = 4

    package init() { self.init(epoch: 0, previousRevision: 0, lastRevision: 0, rows: []) }

    /// Each row stands behind its length, so that one that cannot be read harms no other.
    package mutating func code(_ coder: inout ByteCoder) {
        coder.code(bits: &epoch)
        coder.code(bits: &previousRevision)
        coder.code(bits: &lastRevision)
        let empty = DeviceID()
        unreadableRows += coder.code(
            apart: &rows, maximum: Self.maximumRows, empty: MinuteRow(device: empty, minute: 0, epoch: 0, revision: 0)
        ) { $1.code(&$0) }
        unreadableRows += coder.code(
            apart: &words, maximum: Self.maximumRows - rows.count,
            empty: WordRow(device: empty, word: StepWord(), epoch: epoch)
        ) { $1.code(&$0) }
    }
}

extension CountsResend: ServiceMessage {
    package static let mark = "SBR"
    package static let version: UInt8 = 2

    package init() { revisions = [:] }

    package mutating func code(_ coder: inout ByteCoder) {
        var positions = revisions.sorted { $0.key < $1.key }
        coder.code(array: &positions, maximum: Self.maximumEpochs, empty: (0, 0)) { coder, position in
            coder.code(bits: &position.key)
            coder.code(bits: &position.value)
        }
        revisions = Dictionary(positions.map { ($0.key, $0.value) }) { first, _ in first }
    }
}

extension CountsForget: ServiceMessage {
    package static let mark = "SBF"
    package static let version: UInt8 = 1

    package init() { self.init(device: DeviceID(), minutes: 0..<0, isWhole: false) }

    package mutating func code(_ coder: inout ByteCoder) {
        var (first, end) = (minutes.lowerBound, minutes.upperBound)
        coder.code(&device)
        coder.code(bits: &first)
        coder.code(bits: &end)
        coder.code(&isWhole)
        if first <= end { minutes = first..<end } else { coder.reject() }
    }
}

extension MinuteRow {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(&device)
        coder.code(bits: &minute)
        coder.code(bits: &epoch)
        coder.code(bits: &revision)
        for amount in Amount.ofMinutes {
            // The greatest number stands for one that is not known.
            var number = counts.known(amount).map { UInt32(clamping: $0) } ?? .max
            coder.code(bits: &number)
            if coder.isReading, number < .max { counts[amount] = Int64(number) }
        }
        cadence.code(&coder)
        heart.code(&coder)
        power.code(&coder)
        coder.code(blob: &trace, maximum: Trace.maximumPackedBytes)
    }
}

extension RateSum {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        var (numbers, known) = ([integral, minimum, maximum].map { Float($0) }, UInt32(clamping: seconds))
        for index in numbers.indices { coder.code(finite: &numbers[index]) }
        coder.code(bits: &known)
        self = RateSum(
            integral: Double(numbers[0]), seconds: Int64(known), minimum: Double(numbers[1]),
            maximum: Double(numbers[2]))
    }
}

extension WordRow {
    fileprivate mutating func code(_ coder: inout ByteCoder) {
        coder.code(&device)
        coder.code(bits: &word.start)
        coder.code(bits: &word.end)
        coder.code(bits: &word.microSteps)
        coder.code(bits: &word.micrometresPerStep)
        coder.code(bits: &revision)
        if !word.isPossible { coder.reject() }
    }
}

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
