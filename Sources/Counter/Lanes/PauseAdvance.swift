import Motion

/// What was told in advance during a pause, before the signal state itself has told it.
///
/// A pause looks like an end: a rider who stops must see all revolutions. If it was only the network that paused, the
/// signal goes on and tells the same again, so what was told in advance is taken off. Totals are then those of a stream
/// without any pause.
struct PauseAdvance: Sendable, Equatable {
    private var steps: Int64 = 0
    private var revolutions: Int64 = 0
    private var secondsThrough = Int64.min

    /// Remembers an event that is told in advance.
    mutating func note(_ event: MotionEvent) {
        switch event {
        case .steps(let count, _): steps += Int64(count)
        case .revolutions(let count, _): revolutions += Int64(count)
        case .second(let report): secondsThrough = max(secondsThrough, report.timeMicroseconds)
        }
    }

    /// Takes off an event what was told in advance; `nil` when nothing is left of it.
    mutating func settle(_ event: MotionEvent) -> MotionEvent? {
        switch event {
        case .steps(let count, let time):
            let left = Self.payOff(count, against: &steps)
            return left > 0 ? .steps(count: left, timeMicroseconds: time) : nil
        case .revolutions(let count, let time):
            let left = Self.payOff(count, against: &revolutions)
            return left > 0 ? .revolutions(count: left, timeMicroseconds: time) : nil
        case .second(let report):
            return report.timeMicroseconds > secondsThrough ? event : nil
        }
    }

    /// The stream's time went back: seconds of the same name are others.
    mutating func timeWentBack() {
        secondsThrough = .min
    }

    private static func payOff(_ count: Int, against debt: inout Int64) -> Int {
        let paid = min(Int64(count), debt)
        debt -= paid
        return count - Int(paid)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&steps)
        coder.code(&revolutions)
        coder.code(&secondsThrough)
    }
}
