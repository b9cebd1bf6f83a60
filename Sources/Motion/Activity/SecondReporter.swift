/// Closes each whole UTC second of signal with a report.
struct SecondReporter {
    private static let second: Int64 = 1_000_000
    /// Ticks of the current second that had signal, and that were active.
    private var tickCount = 0
    private var activeCount = 0
    /// The end of the newest second reported.
    private var reportedThrough: Int64 = 0
    private var current: Int64 = 0

    mutating func reset() {
        self = SecondReporter()
    }

    /// Takes ticks before the last one of their second.
    @inline(__always)
    mutating func push(tickCount: Int, isActive: Bool) {
        self.tickCount += tickCount
        activeCount += isActive ? tickCount : 0
    }

    /// Takes a tick. True when it is the last one of its second, which then waits for ``close(_:into:)``.
    @inline(__always)
    mutating func push(tick: Tick, isActive: Bool) -> Bool {
        let end = Tick.endMicroseconds(ofTick: tick.index)
        if end > current || end <= current - Self.second {
            current = (end + Self.second - 1) / Self.second * Self.second
        }
        tickCount += 1
        activeCount += isActive ? 1 : 0
        return end == current
    }

    /// Reports the second that a gap or the end cuts, when half of it had a signal.
    mutating func cut(_ state: SecondReport, into events: inout MotionEvents) {
        if tickCount * 2 >= Tick.rateHz {
            close(state, into: &events)
        } else {
            tickCount = 0
            activeCount = 0
        }
    }

    /// Reports the second that has ended.
    mutating func close(_ state: SecondReport, into events: inout MotionEvents) {
        if current > reportedThrough {
            reportedThrough = current
            var report = state
            report.timeMicroseconds = current
            report.activeMilliseconds = min(activeCount * Int(Tick.microseconds / 1000), 1000)
            events.append(.second(report))
        }
        tickCount = 0
        activeCount = 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&tickCount, in: 0...Tick.rateHz)
        coder.code(&activeCount, in: 0...Tick.rateHz)
        coder.code(time: &reportedThrough)
        coder.code(time: &current)
    }
}
