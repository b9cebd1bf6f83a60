extension MotionPipeline {
    /// Takes samples one after the other, as the function for one does, and appends what follows from them: a frame at once
    /// costs less.
    public mutating func process(_ samples: Span<MotionSample>, into events: inout MotionEvents) {
        var index = 0
        while index < samples.count {
            index = processAlike(samples, from: index, into: &events)
            guard index < samples.count else { return }
            process(samples[index], into: &events)
            index += 1
        }
    }

    /// Takes samples for as long as each is later than the one before, in range and of the same sensors as the signal so far.
    /// The place of the first one that is not.
    private mutating func processAlike(
        _ samples: Span<MotionSample>, from start: Int, into events: inout MotionEvents
    ) -> Int {
        let sensors = resampler.liveSensors
        guard !isPrototype, resampler.isArmed, sampleGuard.newestMicroseconds == resampler.line.time,
            !sensors.isEmpty, sensors.isSubset(of: [.acceleration, .angularVelocity, .magneticField])
        else { return start }
        // Most devices send six axes: a loop that need not ask for them is theirs.
        let sixAxes: SensorSet = [.acceleration, .angularVelocity]
        return sensors == sixAxes
            ? followLine(samples, from: start, sensors: sixAxes, into: &events)
            : followLine(samples, from: start, sensors: sensors, into: &events)
    }

    /// What every sample changes is worked on in a function of its own, because it then stays in registers.
    @inline(__always)
    private mutating func followLine(
        _ samples: Span<MotionSample>, from start: Int, sensors: SensorSet, into events: inout MotionEvents
    ) -> Int {
        withUnsafeTemporaryAllocation(of: Tick.self, capacity: Tick.mostAtOnce) { ticks in
            followLine(samples, from: start, sensors: sensors, ticks, into: &events)
        }
    }

    @inline(__always)
    private mutating func followLine(
        _ samples: Span<MotionSample>, from start: Int, sensors: SensorSet,
        _ ticks: UnsafeMutableBufferPointer<Tick>, into events: inout MotionEvents
    ) -> Int {
        var (line, rate) = (resampler.line, rateGauge)
        let hasField = sensors.contains(.magneticField)
        var (index, waiting, wanted) = (start, 0, tickCount(from: line.tickIndex))
        while index < samples.count {
            let sample = samples[index]
            let now = sample.timeMicroseconds
            let interval = now &- line.time
            var next = line.current
            guard sample.sensors == sensors, Resampler.isShort(interval), now <= SampleGuard.latestMicroseconds,
                next.follow(sample, sensors)
            else { break }
            rate.push(interval: interval)
            while line.isTickDue(by: now) {
                line.finishTick(towards: next, at: now, hasField: hasField)
                ticks.initializeElement(
                    at: waiting, to: line.takeTick(sensors: sensors, hasField: hasField, rate: rate))
                waiting &+= 1
                if waiting == wanted {
                    rateGauge = rate
                    advance(UnsafeBufferPointer(rebasing: ticks[..<waiting]), into: &events)
                    (waiting, wanted) = (0, tickCount(from: line.tickIndex))
                }
            }
            line.integrate(to: now, next, hasField: hasField)
            index &+= 1
        }
        guard index > start else { return start }
        rateGauge = rate
        advance(UnsafeBufferPointer(rebasing: ticks[..<waiting]), into: &events)
        resampler.resume(line)
        sampleGuard.accept(samples[index &- 1])
        return index
    }

    /// How many ticks from one on are worked on at once.
    private func tickCount(from index: Int64) -> Int {
        front.isSettling ? 1 : Tick.countAtOnce(from: index)
    }
}
