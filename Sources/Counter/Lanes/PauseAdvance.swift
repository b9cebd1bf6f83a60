import Motion

/// What was told in advance during a pause, before the signal state itself has told it.
///
/// A pause looks like an end: a rider who stops must see all revolutions. If it was only the network that paused, the
/// signal goes on and tells the same again, so what was told in advance is taken off, and moves to the minute in which
/// the signal sees it. What it does not tell again, because what came after the pause changed its mind, is taken back.
/// Each minute has then the steps and revolutions that it has in a stream without any pause.
struct PauseAdvance: Sendable, Equatable {
    /// Steps and revolutions at a time, UTC in microseconds.
    struct Count: Equatable {
        var steps: Int64 = 0
        var revolutions: Int64 = 0
        var timeMicroseconds: Int64 = 0

        fileprivate var isZero: Bool { steps == 0 && revolutions == 0 }
        fileprivate var minute: Int64 { MinuteIncrement.minute(of: timeMicroseconds) }
    }

    /// What was told in advance for a wrong minute.
    struct Correction: Equatable {
        /// What is wrong there.
        var count: Count
        /// When it happened, UTC in microseconds; `nil` when it did not.
        var rightMicroseconds: Int64?
    }

    /// How long the signal may go on before it has told again what it will: a bout is credited up to some twenty
    /// seconds after it began, an uncertain one later.
    static let patienceMicroseconds: Int64 = 60_000_000
    /// The most minutes that are owed apart; the two oldest become one.
    static let maximumMinutes = 4

    /// What was told in advance and not again, minute by minute as it was told.
    private var owed: [Count] = []
    /// The second that the pause cut, as it was when the pause began.
    private var second: SecondShare?
    private var corrections: [Correction] = []

    /// Remembers steps or revolutions that are told in advance.
    mutating func note(_ event: MotionEvent) {
        guard let count = Count(event) else { return }
        if let last = owed.indices.last, owed[last].minute == count.minute {
            owed[last].add(count)
            owed[last].timeMicroseconds = count.timeMicroseconds
        } else {
            owed.append(count)
        }
        guard owed.count > Self.maximumMinutes else { return }
        let oldest = owed.removeFirst()
        owed[0].add(oldest)
    }

    /// Takes off an event what was told in advance; `nil` when nothing is left of it. Seconds are not taken off: the
    /// caller replaces them.
    mutating func settle(_ event: MotionEvent) -> MotionEvent? {
        switch event {
        case .steps(let count, let time):
            let left = payOff(count, \.steps, at: time)
            return left > 0 ? .steps(count: left, timeMicroseconds: time) : nil
        case .revolutions(let count, let time):
            let left = payOff(count, \.revolutions, at: time)
            return left > 0 ? .revolutions(count: left, timeMicroseconds: time) : nil
        case .second: return event
        }
    }

    /// Gives up on what the signal has not told again, because it has gone on for long enough, until a time.
    mutating func expire(nowMicroseconds: Int64) {
        guard !owed.isEmpty else { return }
        let oldest = nowMicroseconds - Self.patienceMicroseconds
        for count in owed where count.timeMicroseconds < oldest && !count.isZero {
            corrections.append(Correction(count: count, rightMicroseconds: nil))
        }
        owed.removeAll { $0.timeMicroseconds < oldest || $0.isZero }
    }

    /// What was told for a wrong minute; each is told once, and before the state is stored.
    mutating func takeCorrections() -> [Correction] {
        guard !corrections.isEmpty else { return [] }
        defer { corrections = [] }
        return corrections
    }

    /// Notes what a second brings, in advance or for good.
    ///
    /// - Returns: what the same second brought when it was told in advance, which no longer holds.
    mutating func replace(with share: SecondShare, isAdvance: Bool) -> SecondShare? {
        let old = second
        second = isAdvance ? share : nil
        return old?.timeMicroseconds == share.timeMicroseconds ? old : nil
    }

    /// Pays with what happened at a time, the oldest first, and answers how many are left.
    private mutating func payOff(_ count: Int, _ kind: WritableKeyPath<Count, Int64>, at time: Int64) -> Int {
        var left = Int64(count)
        for index in owed.indices where left > 0 && owed[index][keyPath: kind] > 0 {
            var paid = Count(timeMicroseconds: owed[index].timeMicroseconds)
            paid[keyPath: kind] = min(left, owed[index][keyPath: kind])
            owed[index][keyPath: kind] -= paid[keyPath: kind]
            left -= paid[keyPath: kind]
            guard paid.minute != MinuteIncrement.minute(of: time) else { continue }
            corrections.append(Correction(count: paid, rightMicroseconds: time))
        }
        return Int(left)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &owed, maximum: Self.maximumMinutes, empty: Count()) { $1.transfer(&$0) }
        var isCut = second != nil
        coder.code(&isCut)
        guard isCut else { return second = nil }
        var share = second ?? SecondShare()
        share.transfer(&coder)
        second = share
    }
}

extension PauseAdvance.Count {
    fileprivate init?(_ event: MotionEvent) {
        switch event {
        case .steps(let count, let time): self.init(steps: Int64(count), timeMicroseconds: time)
        case .revolutions(let count, let time): self.init(revolutions: Int64(count), timeMicroseconds: time)
        case .second: return nil
        }
    }

    fileprivate mutating func add(_ other: Self) {
        steps += other.steps
        revolutions += other.revolutions
    }

    fileprivate mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&steps)
        coder.code(&revolutions)
        coder.code(&timeMicroseconds)
        // More than were ever counted in a lifetime: who adds them up would trap.
        if !(0...1 << 40).contains(steps) || !(0...1 << 40).contains(revolutions) { coder.reject() }
    }
}
