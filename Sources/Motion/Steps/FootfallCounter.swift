/// Counts short and irregular bouts footfall by footfall, where no period is found; what the periodic counter has counted,
/// or is counting, is left to it.
struct FootfallCounter {
    private var detector = FootfallDetector()
    private var train = FootfallTrain()

    /// Takes a tick of the filtered |a|. A footfall changes |a|; turning the wrist does not.
    @inline(__always)
    mutating func push(
        norm: Float, energies: borrowing SignalEnergies, rate: borrowing RateGauge, tick: Int64, isWrist: Bool
    ) {
        guard let height = detector.push(norm), height > StepGate.footfallHeight else { return }
        take(height, energies, rate, tick, isWrist)
    }

    private mutating func take(
        _ height: Float, _ energies: borrowing SignalEnergies, _ rate: borrowing RateGauge, _ tick: Int64,
        _ isWrist: Bool
    ) {
        let deviation = energies.shortDeviation(.norm)
        let share: Float = isWrist ? StepGate.footfallWristShare : StepGate.footfallShare
        guard deviation > StepGate.footfallDeviation, deviation > share * energies.shortDeviation(.vector) else {
            return
        }
        let time = Tick.endMicroseconds(ofTick: tick - FootfallDetector.delayTicks)
        if train.isFull { train.drop(first: 1) }
        train.add(time: time, height: height, roughness: energies.shortNormRoughness / rate.roughnessShare)
    }

    /// Asks how well |a| repeats itself in the rhythm of the footfalls.
    mutating func weigh(_ normCurve: LagCurve) {
        train.weigh(normCurve)
    }

    /// Counts what has become a bout. `countedThrough` is the time until which steps are counted; the new one is returned.
    mutating func settle(
        now: Int64, countedThrough: Int64, placement: Placement, isEnd: Bool, into events: inout MotionEvents
    ) -> Int64 {
        train.drop(until: countedThrough + StepGate.footfallMargin)
        let isOver =
            isEnd
            || now - train.lastTime > StepGate.footfallGapMicroseconds + FootfallDetector.delayTicks * Tick.microseconds
        guard isOver || train.isFull else { return countedThrough }
        var through = countedThrough
        if train.isBout(placement) {
            let end = isOver ? Int64.max : train.lastTime - StepGate.footfallGapMicroseconds
            through = max(through, train.count(until: end, into: &events))
        }
        if isOver { train.clear() }
        return through
    }

    /// Counts the bout's footfalls before the periodic counter's start.
    mutating func handOver(at start: Int64, placement: Placement, into events: inout MotionEvents) {
        if train.isBout(placement) {
            _ = train.count(until: start - StepGate.footfallMargin, into: &events)
        }
    }

    /// When the footfalls began that now follow one another at a rate, steps a second.
    func beginning(rate: Float) -> Int64? { train.beginning(rate: rate) }

    /// When the last of the footfalls was that follow one another at a rate, steps a second.
    func ending(rate: Float) -> Int64? { train.ending(rate: rate) }

    /// Forgets everything: the signal or the clock starts anew.
    mutating func reset() {
        self = FootfallCounter()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        detector.transfer(&coder)
        train.transfer(&coder)
    }
}
