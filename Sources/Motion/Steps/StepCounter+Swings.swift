extension StepCounter {
    /// Counts the strides of short bouts below the knee that no period took over and nothing goes on with; at the end
    /// of the signal all. Their movement is kept in steps of 0.2 s.
    mutating func countSwings(_ movement: MovementEnvelope, isEnd: Bool, into events: inout MotionEvents) {
        let newest = movement.endMicroseconds
        let pause = isEnd ? 0 : Int64(1e6 * SwingOdds.longestSeconds)
        SwingTrain.with(movement: movement, norm: rise) { train in
            count(train, endedBefore: newest - pause, latest: newest, into: &events)
        }
    }

    /// When a bout below the knee began whose |a| rose to its usual strength at a time: a little before the middle of
    /// the first of the swings that lead to it, which soft landings and slow samples hide from |a|. Bouts before that
    /// are counted.
    mutating func beginningOfSwings(
        _ risen: Int64, _ movement: MovementEnvelope, into events: inout MotionEvents
    ) -> Int64 {
        let step = 1e6 / max(rate, StepThresholds.rates.lowerBound)
        return SwingTrain.with(movement: movement, norm: rise) { train in
            let first = train.beginning(rate: 0.5 * rate, since: integrator.time)
            let start = first.map { min(risen, $0 - Int64(SwingOdds.leadSteps * step)) } ?? risen
            let end = start - Int64(step)
            train.forget(from: end)
            count(train, endedBefore: end, latest: start, into: &events)
            return start
        }
    }

    /// Counts those of bouts whose last swing was before `end`, no later than `latest`.
    private mutating func count(
        _ train: borrowing SwingTrain, endedBefore end: Int64, latest: Int64, into events: inout MotionEvents
    ) {
        let recentRate = recalledRate(at: latest)
        while let bout = train.bout(since: integrator.time, endedBefore: end, recentRate: recentRate) {
            count(bout, latest: latest, into: &events)
        }
    }

    /// Two steps each, as the other foot is not felt: as often as it makes one more, it makes one less.
    private mutating func count(_ bout: SwingTrain.Bout, latest: Int64, into events: inout MotionEvents) {
        let steps = 2 * bout.count
        let stepMicroseconds = Float(bout.last - bout.first) / Float(steps - 2)
        for step in 0..<steps {
            let time = min(bout.first + Int64(Float(step) * stepMicroseconds), latest)
            events.append(.steps(count: 1, timeMicroseconds: time))
            integrator.exclude(until: time)
        }
    }
}
