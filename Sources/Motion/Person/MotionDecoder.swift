internal import CMotion

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts a person's steps and crank revolutions with the fitted model: a ``MotionFront`` makes features, a ``StateModel``
/// scores states, a ``StateDecoder`` says which is likeliest, and ``PhaseAdvance`` counts while it is a step's or a pedal's.
struct MotionDecoder {
    /// The least mean square of |a| of a footfall, as a share of the bout's, by placement group: unknown, wrist, carried,
    /// pocket, leg. A first step is softer, and limbs feel it less than trunks do.
    static let leastFootfall: [Float] = [0.15, 0.1, 0.15, 0.1, 0.1]
    /// The phase with which a bout begins, half a step before its first footfall, by the same groups; half a step more rounds
    /// it to whole ones. A leg swings before its own first footfall.
    static let firstPhase: [Float] = [0.5, 0.5, 0.5, 0.5, 0.4]
    /// The most that a walker's steps of so many seconds reach, m: the root mean square of |a| over the square of their angular
    /// rate, by the same groups. On record it is at most 0.04 in a pocket and 0.08 at a foot.
    static let mostReach: [Float] = [.infinity, .infinity, .infinity, 0.05, 0.1]
    static let slowSeconds: Float = 0.88
    /// Places on both sides of the likeliest period over which the period is averaged.
    static let meanPlaces = 2
    /// How long a cadence is kept after a pause of the signal, µs, while the movement goes on: by then it is found again.
    static let pauseMicroseconds: Int64 = 9_000_000
    /// Movement that falls to this share of its level of 4 s within the last second has stopped.
    static let stoppedShare: Float = 0.25
    /// Above this probability of a step there is no vibration of a vehicle.
    static let sureStep: Float = 0.9
    /// The least steps a second, and the least movement of |a|, m/s², of running.
    static let runningRate: Float = 140 / 60
    static let runningMovement: Float = 3.5
    /// Periods of the rhythm of an undescribed sensor: 0.2 s to 2.4 s.
    static let rhythmPlaces = 11...54
    /// The least share of the highest similarity for a shorter period: both feet of a rider push.
    static let rhythmShare: Float = 0.6

    let model: StateModel
    /// The index of the placement's weights.
    private let group: Int
    private let isOnArm: Bool
    private(set) var front = MotionFront()
    private var decoder = StateDecoder()
    /// Moments in a row in whose window nothing moves, as far as they are counted.
    private var quietMoments = 0
    private var onset = StepOnset()
    private var edges = BoutEdges()
    private var offWrist = OffWrist()
    private var belowKnee = BelowKnee()
    private(set) var slowSensor = SlowSensor()
    /// Fractions of the current step and revolution.
    private var stepPhase: Float
    private var pedalPhase: Float = 0
    private(set) var live = LiveState()
    /// The live state before the last pause of the signal, and the time of the pause, UTC µs.
    private var paused = LiveState()
    private var pausedMicroseconds: Int64 = 0
    private var vibration = VibrationTrail()
    /// The time until which this has counted, and until which another counter has, UTC µs.
    private var countedThrough: Int64 = 0
    private var excludedThrough: Int64 = 0
    /// The time until which all is counted, by this or by another counter, UTC µs.
    var settledThrough: Int64 { max(countedThrough, excludedThrough) }
    /// The rhythm of |a| in the newest evaluation, without a told placement. It is read right after, and is no part of
    /// the state.
    private(set) var rhythm = MountClassifier.Rhythm()
    /// The end of the newest tick, UTC µs.
    private var newestMicroseconds: Int64 = 0

    /// The present activity and cadence, by forward probabilities alone.
    struct LiveState {
        var activity: Activity = .unknown
        /// Steps or revolutions a second, or 0.
        var stepRate: Float = 0
        var pedalRate: Float = 0
        /// The probability, 0…1, that the cadence is right.
        var confidence: Float = 0
    }

    init(model: StateModel, placement: PlacementGroup) {
        self.model = model
        group = placement.weights
        stepPhase = Self.firstPhase[group]
        isOnArm = placement == .wrist || placement == .unknown
    }

    /// Takes ticks of the same sensors.
    mutating func push(_ ticks: UnsafeMutableBufferPointer<Tick>) {
        guard let first = ticks.first, let last = ticks.last else { return }
        front.push(ticks)
        slowSensor.push(sampleSeconds: last.rate.meanSeconds)
        let end = Tick.endMicroseconds(ofTick: first.index)
        if newestMicroseconds == 0, end - pausedMicroseconds >= Self.pauseMicroseconds { live = LiveState() }
        newestMicroseconds = Tick.endMicroseconds(ofTick: last.index)
    }

    /// Evaluates the last block of 0.4 s, and returns the live state.
    /// - Parameter counts: Whether settled steps are counted; otherwise they are left out for good.
    mutating func evaluate(counts: Bool, into events: inout MotionEvents) -> LiveState {
        evaluate(at: newestMicroseconds / Tick.microseconds - 1, ticksAfterEnd: 0, counts: counts, into: &events)
        if !counts { live = LiveState() }
        return live
    }

    /// - Parameter ticksAfterEnd: Ticks since the signal ended.
    private mutating func evaluate(
        at tick: Int64, ticksAfterEnd: Int, counts: Bool, into events: inout MotionEvents
    ) {
        var memory = events.lendMemory()
        memory.floats.withUnsafeMutableBufferPointer { floats in
            memory.windows.withUnsafeMutableBufferPointer { windows in
                guard let features = floats.baseAddress, let rows = windows.baseAddress else { return }
                let scores = features + MotionFeatures.count
                let window = front.look(in: rows)
                quietMoments = window.isQuiet ? min(quietMoments + 1, StateDecoder.capacity) : 0
                if quietMoments == StateDecoder.capacity, decoder.rest() {
                    front.skip()
                    rhythm = MountClassifier.Rhythm()
                    noteLive(window, .still, normMovement: 0)
                } else {
                    front.describe(window, into: features)
                    if front.sensors.contains(.acceleration) {
                        slowSensor.correct(features + MotionFeatures.curveCount)
                    }
                    model.score(features, front.sensors, weights(features), into: scores)
                    decoder.push(scores, walkBias: onset.walked * model.decoding.walkBias[group], model)
                    if group == PlacementGroup.unknown.weights { rhythm = Self.rhythm(features) }
                    let level = features[MotionFeatures.curveCount + MotionFeatures.Level.norm4s.rawValue]
                    noteLive(window, decoder.newest { Posterior($0) }, normMovement: exp(level))
                }
                guard decoder.isReady else { return }
                let rest = UnsafeMutableBufferPointer(rebasing: floats[DecoderMemory.scoresEnd...])
                settle(at: tick, window, ticksAfterEnd: ticksAfterEnd, counts: counts, rest, into: &events)
            }
        }
        events.putBack(memory)
        front.advance()
    }

    /// The index of the weights that score a moment: those of a leg where an undescribed sensor is felt to sit on one.
    private mutating func weights(_ features: UnsafePointer<Float>) -> Int {
        guard group == PlacementGroup.unknown.weights, front.sensors.isSuperset(of: .sixAxes) else { return group }
        belowKnee.take(features + MotionFeatures.curveCount)
        return belowKnee.isLikely ? PlacementGroup.leg.weights : group
    }

    /// Counts the moments that the newest evaluation settles.
    private mutating func settle(
        at tick: Int64, _ window: EvaluatedWindow, ticksAfterEnd: Int, counts: Bool,
        _ memory: UnsafeMutableBufferPointer<Float>, into events: inout MotionEvents
    ) {
        if !decoder.isResting { front.expandEarlier(window) }
        decoder.settle(model, memory)
        for number in 0..<StateDecoder.settledCount {
            let ticksAgo = Autocorrelation.delayTicks + StateDecoder.age(ofSettled: number) * SignalWindow.blockTicks
            let moment = SettledMoment(
                window: window, row: SignalWindow.tickCount - ticksAgo,
                state: decoder.isResting ? .still : Posterior(StateDecoder.settled(number, in: memory)),
                endMicroseconds: Tick.endMicroseconds(ofTick: tick - Int64(ticksAgo - SettledMoment.halfTicks)),
                isAfterEnd: ticksAgo < ticksAfterEnd + SettledMoment.halfTicks)
            count(moment, counts: counts, into: &events)
        }
    }

    private mutating func count(_ moment: SettledMoment, counts: Bool, into events: inout MotionEvents) {
        let settings = model.decoding
        let isStep = moment.state.step > settings.stepThreshold && !isInPlace(moment)
        var (steps, weight) = (nil as Float?, Float(1))
        if isStep {
            (steps, weight) = self.steps(of: moment)
        } else {
            edges.pause()
            if onset.isIdle {
                stepPhase = Self.firstPhase[group]
                offWrist.endBout()
            }
        }
        let evidence = StepOnset.Moment(
            probability: moment.state.step, steps: steps, weight: weight,
            movement: moment.isAfterEnd ? nil : moment.movement)
        let excluded = counts ? excludedThrough : .max
        var (onset, phase, through) = (onset, stepPhase, countedThrough)
        onset.take(evidence, needed: settings.onsetEvidence[group], settings) { age, steps in
            guard let start = moment.start(age: age, steps, after: excluded) else { return }
            through = max(through, start + SettledMoment.microseconds)
            SettledMoment.complete(&phase, by: steps, from: start) {
                events.append(.steps(count: 1, timeMicroseconds: min($0, newestMicroseconds)))
            }
        }
        (self.onset, stepPhase) = (onset, phase)
        if !isStep, moment.state.pedal > settings.pedalThreshold {
            let turns = moment.cycles(atPlace: moment.state.pedalPlace, isStep: false)
            if let start = moment.start(age: 0, turns, after: excluded) {
                through = max(through, start + SettledMoment.microseconds)
                SettledMoment.complete(&pedalPhase, by: turns, from: start) {
                    events.append(.revolutions(count: 1, timeMicroseconds: min($0, newestMicroseconds)))
                }
            }
        }
        countedThrough = through
    }

    /// True where a leg is raised in place: a walker rises and falls by some centimetres at whatever pace, so that slow steps are
    /// soft, but a leg that is raised moves as far however slowly.
    private func isInPlace(_ moment: SettledMoment) -> Bool {
        let (seconds, far) = (PeriodAxis.seconds(atPlace: moment.state.stepPlace), MotionFront.farTicks)
        guard seconds > Self.slowSeconds, front.sensors.contains(.acceleration) else { return false }
        let square = moment.window.energy(moment.row - far..<moment.row + far).x / Float(2 * far)
        let rate = 2 * Float.pi / seconds
        return square.squareRoot() > Self.mostReach[group] * rate * rate
    }

    /// The steps of a moment, and what its evidence weighs. Angular velocity alone tells no footfalls.
    private mutating func steps(of moment: SettledMoment) -> (Float, weight: Float) {
        let (place, hasAcceleration) = (moment.state.stepPlace, front.sensors.contains(.acceleration))
        let period = PeriodAxis.seconds(atPlace: place) / Tick.seconds
        var (share, weight) = (Float(1), Float(1))
        if hasAcceleration {
            share = edges.share(of: moment.window, row: moment.row, period: period, least: Self.leastFootfall[group])
        }
        let steps = share * moment.cycles(atPlace: place, isStep: true)
        if hasAcceleration, group == PlacementGroup.unknown.weights {
            weight = offWrist.weight(moment.window, row: moment.row, place: place, isSure: onset.isSure, model.decoding)
        }
        return (steps, weight)
    }

    private mutating func noteLive(_ window: EvaluatedWindow, _ state: Posterior, normMovement: Float) {
        let movement = Movement(window)
        let isResting =
            movement.vectorNow < ActivityClassifier.restingMovement
            && movement.turningNow < ActivityClassifier.restingTurning
        let hasStopped =
            isResting
            || movement.vectorNow < Self.stoppedShare * movement.vectorBefore
                && movement.turningNow
                    <= max(Self.stoppedShare * movement.turningBefore, ActivityClassifier.restingTurning)
        if state.step > Self.sureStep {
            vibration = VibrationTrail()
        } else {
            let (tremor, moved) = window.newestMovement
            vibration.take(tremor: tremor, movement: moved, isOnArm: isOnArm)
        }
        live = LiveState()
        if !hasStopped, state.step > model.decoding.stepThreshold {
            live.stepRate = 1 / PeriodAxis.seconds(atPlace: state.stepPlace)
            live.confidence = model.decoding.stepConfidence.probability(strength: state.step)
            let isRunning = live.stepRate > Self.runningRate && normMovement > Self.runningMovement
            live.activity = isRunning ? .running : .walking
        } else if !hasStopped, state.pedal > model.decoding.pedalThreshold {
            live.pedalRate = 1 / PeriodAxis.seconds(atPlace: state.pedalPlace)
            live.confidence = model.decoding.pedalConfidence.probability(strength: state.pedal)
            live.activity = .cycling
        } else if !isResting, newestMicroseconds - pausedMicroseconds < Self.pauseMicroseconds {
            live = paused
        } else if vibration.source != .none {
            live.activity = vibration.source == .vehicle ? .automotive : .cycling
        } else if isResting {
            live.activity = .stationary
        }
    }

    /// The rhythm of |a|: the shortest period with a similarity close to the highest.
    private static func rhythm(_ features: UnsafePointer<Float>) -> MountClassifier.Rhythm {
        let norm = Autocorrelation.Curve.norm.rawValue * Autocorrelation.stride
        let first = motion_first_peak(features + norm + rhythmPlaces.lowerBound, rhythmPlaces.count, rhythmShare)
        guard first >= 0 else { return MountClassifier.Rhythm() }
        let place = rhythmPlaces.lowerBound + first
        let vector = Autocorrelation.Curve.vector.rawValue * Autocorrelation.stride
        return MountClassifier.Rhythm(
            rateHz: 1 / PeriodAxis.seconds(atPlace: Float(place)), strength: features[norm + place],
            wholeStrength: features[vector + place])
    }

    /// Settles all moments at the end of a signal, and the bout that was going on or was not decided.
    /// - Parameter endOfBlock: The last tick of the block in which it ended.
    /// - Parameter goesOn: Whether the cadence is kept for the time of a pause.
    mutating func finish(endOfBlock: Int64, goesOn: Bool, counts: Bool, into events: inout MotionEvents) {
        if newestMicroseconds > 0 {
            (paused, pausedMicroseconds) = (live, newestMicroseconds)
            let blocks =
                Autocorrelation.delayTicks / SignalWindow.blockTicks + StateDecoder.lag + StateDecoder.settledCount
                + StepOnset.mostMomentsToEnd
            for block in 0..<blocks {
                let ticks = block * SignalWindow.blockTicks
                evaluate(at: endOfBlock + Int64(ticks), ticksAfterEnd: ticks, counts: counts, into: &events)
            }
            reset()
            live = paused
        }
        if !goesOn { (live, paused) = (LiveState(), LiveState()) }
    }

    /// Forgets the signal and its unsettled moments.
    private mutating func reset() {
        front = MotionFront()
        decoder.reset()
        quietMoments = 0
        onset = StepOnset()
        edges = BoutEdges()
        offWrist.endBout()
        belowKnee = BelowKnee()
        stepPhase = Self.firstPhase[group]
        live = LiveState()
        vibration = VibrationTrail()
        newestMicroseconds = 0
    }

    /// Leaves out everything until this time, UTC µs: another counter has counted it.
    mutating func exclude(until timeMicroseconds: Int64) {
        excludedThrough = max(excludedThrough, timeMicroseconds)
    }

    /// Forgets the times of counting (after the clock was set back).
    mutating func rebase() {
        (countedThrough, excludedThrough, pausedMicroseconds) = (0, 0, 0)
    }

    /// Restarts the acceleration, whose unit or gravity was wrong.
    mutating func forgetAcceleration() {
        front.forgetAcceleration()
    }

    mutating func copy(_ state: inout StateCopy) {
        let group = group
        state.part(&self)
        state.expect(self.group == group && onset.isSound && vibration.isSound)
        state.expect((0...1).contains(stepPhase) && (0...1).contains(pedalPhase))
        state.expect((0...StateDecoder.capacity).contains(quietMoments))
        front.copyRows(&state)
        decoder.copyMoments(&state, model)
    }
}

/// Root mean squares of a window in its last second, and in the four seconds before.
private struct Movement {
    let vectorNow, turningNow, vectorBefore, turningBefore: Float

    init(_ window: EvaluatedWindow) {
        let (end, now, start) = (SignalWindow.tickCount, SignalWindow.tickCount - 25, SignalWindow.tickCount - 125)
        let (last, before) = (window.energy(now..<end) / 25, window.energy(start..<now) / 100)
        vectorNow = last.y.squareRoot()
        turningNow = last.w.squareRoot()
        vectorBefore = before.y.squareRoot()
        turningBefore = before.w.squareRoot()
    }
}

/// Working memory of an evaluation, shared by all devices.
struct DecoderMemory: Sendable {
    /// The end of the features and the scores among the floats. The memory for settling follows.
    static let scoresEnd = MotionFeatures.count + StateModel.stateCount

    var floats: [Float] = []
    /// The window and its curves.
    var windows: [Float] = []

    /// Allocates it at the first use.
    mutating func prepare() {
        guard floats.isEmpty else { return }
        floats = Array(repeating: 0, count: Self.scoresEnd + StateDecoder.memoryCount)
        windows = Array(repeating: 0, count: MotionFront.memoryCount)
    }
}
