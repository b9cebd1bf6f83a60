import Motion
import Wire

/// The consequences of a device's silence so far, by the clock of arrival.
enum SilenceStage: Sendable {
    /// Messages came lately.
    case notSilent
    /// The live topics show that it is silent, and the counts that its signal holds back stand in its minutes.
    case shown
    /// They stand there for good, and the signal is gone.
    case settled
}

extension DeviceCounter {
    /// Looks whether the device's silence has a consequence that `fallSilent` has not brought about yet; it is left alone from
    /// where nothing follows any more.
    ///
    /// - Parameter now: microseconds since 1970, on the counter's own clock.
    /// - Returns: Since when the device is silent, where something follows from it.
    mutating func findSilence(now: Int64) -> Int64? {
        isAwake = silence != .settled || selfCounting.isHolding
        guard isAwake else { return nil }
        let since = lastMessageAt ?? now
        lastMessageAt = since
        let elapsed = now - since
        let isOverdue =
            switch silence {
            case .notSilent: elapsed >= shownAfterMicroseconds
            case .shown: elapsed >= SilenceRule.settledMicroseconds
            case .settled: false
            }
        let isWaiting =
            silence != .settled && sequence.waitingCount > 0 && elapsed >= FrameSequence.patienceMicroseconds
        return isOverdue || isWaiting || selfCounting.isOverdue(now: now) ? since : nil
    }

    /// True when nothing follows from its silence any more.
    var isSettled: Bool { silence == .settled && !selfCounting.isHolding }

    private var shownAfterMicroseconds: Int64 {
        SilenceRule.timeout(period: max(reports.cadencePeriod, messagePeriod))
    }

    /// Does what follows from the device's silence: frames that wait for earlier ones are counted, the live topics show
    /// the end of the movement, the counts that the signal holds back stand in their minutes until it goes on, and at last
    /// the signal is gone.
    ///
    /// - Parameter now: microseconds since 1970, on the counter's own clock.
    /// - Returns: True if anything changed.
    mutating func fallSilent(now: Int64, scratch: inout SignalScratch) -> Bool {
        var hasChanged = settleCounts(now: now)
        guard let lastMessageAt, silence != .settled else { return hasChanged }
        let elapsed = now - lastMessageAt
        if sequence.waitingCount > 0, elapsed >= FrameSequence.patienceMicroseconds {
            drainWaiting(isSilent: true, scratch: &scratch)
            hasChanged = true
        }
        if silence == .notSilent, elapsed >= shownAfterMicroseconds {
            silence = .shown
            let copy = settledCopy(scratch: &scratch)
            reports.showAhead(copy.reports)
            reports.fallSilent(at: (live.clock.end ?? lastMessageAt) + elapsed)
            if standInEndsAt > 0 { endStandIn() }
            if standIn.isEmpty {
                let heldBack = copy.ledger.increments
                standIn = heldBack.prefix(Self.maximumStandIns).map(\.sumsOnly)
                for increment in standIn { ledger.add(increment) }
                for increment in heldBack { ledger.addTrace(of: increment) }
            }
            live.rest()
            for index in lateStreams.indices { lateStreams[index].rest() }
            hasChanged = true
        }
        if silence == .shown, elapsed >= SilenceRule.settledMicroseconds {
            silence = .settled
            endSignal(scratch: &scratch)
            hasChanged = true
        }
        return hasChanged
    }

    /// The signal goes on, and counts for itself what it held back.
    ///
    /// - Parameter time: the device's time, in microseconds since 1970.
    mutating func signalGoesOn(at time: Int64) {
        guard !standIn.isEmpty else { return }
        if standInEndsAt == 0 {
            standInEndsAt = time + SilenceRule.replacedMicroseconds
        } else if time >= standInEndsAt {
            endStandIn()
        }
    }

    /// Counts; what that adds takes the place of the stand-in. So it does not depend on when something is stored.
    mutating func replacingStandIn<Result>(_ count: (inout DeviceCounter) -> Result) -> Result {
        guard !standIn.isEmpty else { return count(&self) }
        let before = ledger
        ledger.removeAll()
        let result = count(&self)
        if standInEndsAt > 0 {
            for index in standIn.indices { ledger.replace(&standIn[index]) }
            standIn.removeAll(where: \.isNothing)
            if standIn.isEmpty { standInEndsAt = 0 }
        }
        let added = ledger.increments
        ledger = before
        for increment in added { ledger.add(increment) }
        return result
    }

    mutating func endStandIn() {
        for increment in standIn { ledger.add(increment.negated) }
        (standIn, standInEndsAt) = ([], 0)
    }

    /// The most minutes that stand in for a signal: it never holds back more.
    static let maximumStandIns = 8

    /// Counts everything that the signal holds back, as at the end of a recording.
    mutating func finish(scratch: inout SignalScratch) {
        endStandIn()
        _ = settleCounts(now: CounterPipeline.arrivals.upperBound)
        drainWaiting(isSilent: true, scratch: &scratch)
        endSignal(scratch: &scratch)
        silence = .settled
        reports.fallSilent(at: live.clock.end ?? lastMessageAt ?? 0)
        floors.flush(into: &scratch.floors)
        book(&scratch.floors)
    }

    /// The device as it would be if its signal ended here: the signal itself waits untouched, and where it goes on
    /// without a gap in its own time, counting goes on as if it had never paused.
    private func settledCopy(scratch: inout SignalScratch) -> DeviceCounter {
        var copy = self
        copy.ledger.removeAll()
        copy.settle(scratch: &scratch)
        return copy
    }

    /// What the signal holds back is counted, and takes the place of the stand-in. Then the signal is gone.
    private mutating func endSignal(scratch: inout SignalScratch) {
        let counted = ledger
        ledger.removeAll()
        settle(scratch: &scratch)
        let settled = ledger.increments
        let heldBack = settled.map(\.sumsOnly)
        ledger = counted
        for increment in settled { ledger.addTrace(of: increment) }
        if heldBack != standIn {
            endStandIn()
            for increment in heldBack { ledger.add(increment) }
        }
        (standIn, standInEndsAt) = ([], 0)
        live.dropSignal()
        lateStreams = []
    }

    mutating func settle(scratch: inout SignalScratch) {
        scratch.events.removeAll()
        live.wake(&sectionsBegunAnew)
        live.flush(into: &scratch.events)
        apply(scratch.events, isLive: true, floors: &scratch.floors)
        scratch.events.removeAll()
        for index in lateStreams.indices {
            lateStreams[index].wake(&sectionsBegunAnew)
            lateStreams[index].flush(into: &scratch.events)
        }
        apply(scratch.events, isLive: false, floors: &scratch.floors)
    }
}

/// When silence means that a rider has stopped: after max(3 s, 2.5 × the last period), where the period is that of the
/// cadence or of the device's messages, whichever is longer. One lost message is a silence of two of its periods. Totals
/// are whole then; the counts that the signal held back are taken off again where it goes on.
enum SilenceRule {
    /// The shortest silence that means a stop, in microseconds.
    static let minimumMicroseconds: Int64 = 3_000_000
    /// The silence after which a signal is at its end, in microseconds. Where the device goes on in the same movement, a
    /// step may be lost or made at the seam.
    static let settledMicroseconds: Int64 = 600_000_000
    /// The time in which a signal that goes on counts what it held back, in microseconds of its own time: a bout of steps
    /// is sure after 5 s, and what it held back was at most 5 s old.
    static let replacedMicroseconds: Int64 = 15_000_000
    /// The longest period that is waited for, in microseconds.
    static let maximumPeriodMicroseconds: Int64 = 60_000_000

    /// The silence after which a rider with this period has stopped, in microseconds.
    static func timeout(period: Int64) -> Int64 {
        max(minimumMicroseconds, min(period, maximumPeriodMicroseconds) * 5 / 2)
    }

    /// The period of a cadence a minute, in microseconds; 0 without one.
    static func period(cadence: Float) -> Int64 {
        guard cadence >= 1, cadence.isFinite else { return 0 }
        return Int64(60_000_000 / Double(cadence))
    }
}
