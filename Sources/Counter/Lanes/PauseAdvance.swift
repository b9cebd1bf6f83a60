import Motion

/// What was told in advance during a pause, before the signal state itself has told it.
///
/// A pause looks like an end: a rider who stops must see all revolutions. If it was only the network that paused, the
/// signal goes on and tells the same again, so what was told in advance is taken off. What it does not tell again,
/// because what came after the pause changed its mind, is taken back. Totals are then those of a stream without any
/// pause.
struct PauseAdvance: Sendable, Equatable {
    /// What was told in advance and not again.
    struct Unpaid: Equatable {
        var steps: Int64
        var revolutions: Int64
        /// When it was said to have happened, in microseconds since 1970.
        var timeMicroseconds: Int64
    }

    /// How long the signal may go on before it has told again what it will: a bout is credited up to some twenty
    /// seconds after it began, an uncertain one later.
    static let patienceMicroseconds: Int64 = 60_000_000

    private var steps: Int64 = 0
    private var revolutions: Int64 = 0
    /// The last time of what was told in advance.
    private var lastMicroseconds: Int64 = 0
    /// The second that the pause cut, as it was when the pause began.
    private var second: SecondShare?

    /// Remembers steps or revolutions that are told in advance.
    mutating func note(_ event: MotionEvent) {
        switch event {
        case .steps(let count, let time):
            steps += Int64(count)
            lastMicroseconds = time
        case .revolutions(let count, let time):
            revolutions += Int64(count)
            lastMicroseconds = time
        case .second: break
        }
    }

    /// What was wrong about what was told in advance, once the signal has gone on for long enough; else `nil`.
    mutating func takeUnpaid(nowMicroseconds: Int64) -> Unpaid? {
        guard steps != 0 || revolutions != 0, lastMicroseconds < nowMicroseconds - Self.patienceMicroseconds else {
            return nil
        }
        defer { (steps, revolutions) = (0, 0) }
        return Unpaid(steps: steps, revolutions: revolutions, timeMicroseconds: lastMicroseconds)
    }

    /// Takes off an event what was told in advance; `nil` when nothing is left of it. Seconds are not taken off: the
    /// caller replaces them.
    mutating func settle(_ event: MotionEvent) -> MotionEvent? {
        switch event {
        case .steps(let count, let time):
            let left = Self.payOff(count, against: &steps)
            return left > 0 ? .steps(count: left, timeMicroseconds: time) : nil
        case .revolutions(let count, let time):
            let left = Self.payOff(count, against: &revolutions)
            return left > 0 ? .revolutions(count: left, timeMicroseconds: time) : nil
        case .second: return event
        }
    }

    /// Notes what a second brings, in advance or for good.
    ///
    /// - Returns: what the same second brought when it was told in advance, which no longer holds.
    mutating func replace(with share: SecondShare, isAdvance: Bool) -> SecondShare? {
        let old = second
        second = isAdvance ? share : nil
        return old?.timeMicroseconds == share.timeMicroseconds ? old : nil
    }

    private static func payOff(_ count: Int, against debt: inout Int64) -> Int {
        let paid = min(Int64(count), debt)
        debt -= paid
        return count - Int(paid)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&steps)
        coder.code(&revolutions)
        coder.code(&lastMicroseconds)
        var isCut = second != nil
        coder.code(&isCut)
        guard isCut else { return second = nil }
        var share = second ?? SecondShare()
        share.transfer(&coder)
        second = share
    }
}
