/// Counts short and irregular bouts footfall by footfall, where no period is found; what the periodic counter has
/// counted, or is counting, is left to it.
struct FootfallCounter {
    private var detector = FootfallDetector()
    private var train = FootfallTrain()
    private var trail = FootfallTrail()
    /// The same with those that are softer.
    private var softTrail = FootfallTrail()

    /// Begins with ticks of the filtered |a|.
    @inline(__always)
    func begin(_ filtered: UnsafeMutableBufferPointer<FilteredTick>, in memory: UnsafeMutablePointer<Float>) {
        detector.lay(filtered, in: memory)
    }

    /// Goes on with so many ticks.
    @inline(__always)
    mutating func smooth(count: Int, in memory: UnsafeMutablePointer<Float>) {
        detector.average(count: count, in: memory)
    }

    /// Takes the footfalls of ticks that are at least so high, m/s², with the energies before these. A footfall changes
    /// |a|; turning the wrist does not. Where a road shakes, single ones are not told from its jolts.
    @inline(__always)
    mutating func finish(
        _ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>,
        energiesBefore: borrowing SignalEnergies, isShaken: Bool, least: Float,
        in memory: UnsafeMutablePointer<Float>
    ) {
        guard detector.mayHavePeak(above: least, count: ticks.count, in: memory) else { return }
        for index in ticks.indices {
            let peak = FootfallDetector.peak(before: index, above: least, in: memory)
            guard let height = peak else { continue }
            var energies = copy energiesBefore
            energies.push(filtered, 0..<(index + 1))
            take(height, energies, ticks[index], isShaken: isShaken, least: least)
        }
    }

    private mutating func take(
        _ height: Float, _ energies: SignalEnergies, _ tick: Tick, isShaken: Bool, least: Float
    ) {
        let deviation = energies.shortDeviation(.norm)
        let movement = energies.shortDeviation(.vector)
        guard deviation > least, deviation > FootfallThresholds.normShare * movement else { return }
        let time = Tick.endMicroseconds(ofTick: tick.index - FootfallDetector.delayTicks)
        softTrail.add(time)
        guard height > FootfallThresholds.height, deviation > FootfallThresholds.deviation else { return }
        trail.add(time)
        guard !isShaken else { return }
        if train.isFull { train.drop(first: 1) }
        train.add(
            time: time, height: height, roughness: energies.shortNormRoughness, share: deviation / max(movement, 1e-6),
            sampleSeconds: tick.rate.meanSeconds)
    }

    /// Asks how well |a| repeats itself in the rhythm of the footfalls, and whether that is one of strokes.
    mutating func weigh(_ normCurve: LagCurve, isOfStrokes: Bool) {
        train.weigh(normCurve, isOfStrokes: isOfStrokes)
    }

    /// Counts what has become a bout, and drops what ended where a road shakes on: a walker would stand.
    /// `countedThrough` is the time until which steps are counted; the new one is returned. `recentRate` is that of a
    /// walk of late, or 0.
    mutating func settle(
        now: Int64, countedThrough: Int64, placement: Placement, recentRate: Float, isShaken: Bool, isEnd: Bool,
        into events: inout MotionEvents
    ) -> Int64 {
        train.drop(until: countedThrough + FootfallThresholds.marginMicroseconds)
        let isOver =
            isEnd
            || now - train.lastTime
                > FootfallThresholds.longestGapMicroseconds + FootfallDetector.delayTicks * Tick.microseconds
        guard isOver || train.isFull else { return countedThrough }
        var through = countedThrough
        let end = isOver ? Int64.max : train.lastTime - FootfallThresholds.longestGapMicroseconds
        while !isShaken || isEnd, let bout = train.bout(placement, recentRate: recentRate) {
            let counted = train.count(bout, until: end, into: &events)
            guard counted > 0 else { break }
            through = max(through, counted)
        }
        if isOver { train.clear() }
        return through
    }

    /// Counts the bout's footfalls before the periodic counter's start.
    mutating func handOver(at start: Int64, placement: Placement, recentRate: Float, into events: inout MotionEvents) {
        let end = start - FootfallThresholds.marginMicroseconds
        if let bout = train.bout(placement, recentRate: recentRate, before: end) {
            _ = train.count(bout, until: end, into: &events)
        }
    }

    /// When the footfalls began that now follow one another at a rate, steps a second.
    func beginning(rate: Float, placement: Placement) -> Int64? {
        trail.beginning(rate: rate, gaps: placement.footfallGaps)
    }

    /// When the last of the footfalls was that follow one another at a rate, steps a second.
    func ending(rate: Float, placement: Placement) -> Int64? {
        trail.ending(rate: rate, gaps: placement.footfallGaps)
    }

    /// The first footfall since a time, unless that is more than a step later.
    func first(since time: Int64, rate: Float) -> Int64? { trail.first(since: time, rate: rate) }

    /// The last footfall until a time, unless that is more than so many steps earlier.
    func last(until time: Int64, steps: Float, rate: Float) -> Int64? {
        trail.last(until: time, steps: steps, rate: rate)
    }

    /// How many soft steps, at most so many, lead to a footfall.
    func softSteps(before time: Int64, rate: Float, most: Int) -> Int {
        softTrail.softSteps(before: time, rate: rate, most: most)
    }

    /// Forgets everything: the signal or the clock starts anew.
    mutating func reset() {
        detector = FootfallDetector()
        train = FootfallTrain()
        trail.clear()
        softTrail.clear()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        detector.transfer(&coder)
        train.transfer(&coder)
        trail.transfer(&coder)
        softTrail.transfer(&coder)
    }
}
