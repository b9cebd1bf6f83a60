extension MotionPipeline {
    /// Takes samples as long as each is later than the one before, in range, and of the live sensors. Returns the index
    /// of the first one that is not.
    mutating func followLine(
        _ samples: Span<MotionSample>, from start: Int, into events: inout MotionEvents
    ) -> Int {
        let sensors = resampler.liveSensors
        guard counting != .rule, resampler.isArmed, sampleGuard.newestMicroseconds == resampler.line.time,
            !sensors.isEmpty, sensors.isSubset(of: [.acceleration, .angularVelocity, .magneticField])
        else { return start }
        // A specialised loop for six axes, which most devices send.
        return sensors == .sixAxes
            ? followLine(samples, from: start, sensors: .sixAxes, into: &events)
            : followLine(samples, from: start, sensors: sensors, into: &events)
    }

    /// In a function of its own, so that the state of the loop stays in registers.
    @inline(__always)
    private mutating func followLine(
        _ samples: Span<MotionSample>, from start: Int, sensors: SensorSet, into events: inout MotionEvents
    ) -> Int {
        withUnsafeTemporaryAllocation(of: LinePoint.self, capacity: LinePoint.mostAtOnce) { points in
            withUnsafeTemporaryAllocation(of: Tick.self, capacity: Tick.mostAtOnce) { ticks in
                followLine(samples, from: start, sensors: sensors, points, ticks, into: &events)
            }
        }
    }

    @inline(__always)
    private mutating func followLine(
        _ samples: Span<MotionSample>, from start: Int, sensors: SensorSet,
        _ points: UnsafeMutableBufferPointer<LinePoint>, _ ticks: UnsafeMutableBufferPointer<Tick>,
        into events: inout MotionEvents
    ) -> Int {
        var (line, rate) = (resampler.line, rateGauge)
        let hasField = sensors.contains(.magneticField)
        var (index, waiting, wanted) = (start, 0, tickCount(from: line.place))
        var count = points.count
        while count == points.count {
            count = LinePoint.read(samples, from: index, sensors, after: line, into: points)
            for point in points[..<count] {
                rate.push(interval: point.time &- line.time)
                while line.isTickDue(by: point.time) {
                    line.finishTick(towards: point.channels, at: point.time, hasField: hasField)
                    ticks.initializeElement(
                        at: waiting, to: line.takeTick(sensors: sensors, hasField: hasField, rate: rate))
                    waiting &+= 1
                    if waiting == wanted {
                        rateGauge = rate
                        advance(UnsafeBufferPointer(rebasing: ticks[..<waiting]), into: &events)
                        (waiting, wanted) = (0, tickCount(from: line.place))
                    }
                }
                line.integrate(to: point.time, point.channels, hasField: hasField)
            }
            index &+= count
        }
        guard index > start else { return start }
        rateGauge = rate
        advance(UnsafeBufferPointer(rebasing: ticks[..<waiting]), into: &events)
        resampler.resume(line)
        sampleGuard.accept(samples[index &- 1])
        return index
    }

    /// The number of ticks in the batch from a place in a block on.
    private func tickCount(from place: Int) -> Int {
        hasFront && front.isSettling ? 1 : Tick.mostAtOnce - place
    }
}

/// A sample that has been checked, ready to be integrated. Several are checked at once: the state of checking and that
/// of integrating do not fit the registers together.
private struct LinePoint {
    /// As many as fit 1 KiB.
    static let mostAtOnce = 16

    var time: Int64
    var channels: TickIntegrator.Channels

    /// Reads samples as long as each is later than the one before, in range, and of the same sensors. Returns their
    /// number.
    @inline(__always)
    static func read(
        _ samples: Span<MotionSample>, from start: Int, _ sensors: SensorSet, after line: TickIntegrator,
        into points: UnsafeMutableBufferPointer<LinePoint>
    ) -> Int {
        let most = min(points.count, samples.count &- start)
        // Each sample is at most a gap later than the one before: all times stay in range.
        guard line.time < SampleGuard.latestMicroseconds - Int64(mostAtOnce) * Resampler.gapMicroseconds else {
            return 0
        }
        var (before, channels, count) = (line.time, line.current, 0)
        samples.withUnsafeBufferPointer { samples in
            while count < most {
                let sample = samples[start &+ count]
                let now = sample.timeMicroseconds
                guard sample.sensors == sensors, Resampler.isShort(now &- before), channels.follow(sample, sensors)
                else { break }
                points[count].time = now
                points[count].channels.acceleration = channels.acceleration
                points[count].channels.angularVelocity = channels.angularVelocity
                // Only sensors that send are read.
                if sensors.contains(.magneticField) { points[count].channels.magneticField = channels.magneticField }
                before = now
                count &+= 1
            }
        }
        return count
    }
}
