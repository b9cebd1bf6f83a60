#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts a person's steps and crank revolutions with the fitted model: a ``MotionFront`` makes features, a ``StateModel``
/// scores states, a ``StateDecoder`` says which is likeliest, and ``PhaseAdvance`` counts while it is a step's or a pedal's.
struct MotionDecoder {
    let model: StateModel
    let group: StateModel.Group
    private(set) var front = MotionFront()
    private var decoder = StateDecoder()
    private var onset = StepOnset()
    /// Cycles that are not a whole step or revolution yet.
    private var stepPhase: Float = 0
    private var pedalPhase: Float = 0
    private(set) var live = LiveState()
    /// Memory for evaluations, not state.
    private var features = [Float](repeating: 0, count: MotionFeatures.count)
    private var scores = [Float](repeating: 0, count: StateModel.stateCount)
    /// The end of the newest tick, UTC µs.
    private var newestMicroseconds: Int64 = 0

    /// What seems to be done now, before it is settled.
    struct LiveState {
        var activity: Activity = .unknown
        /// Steps or revolutions a second, 0 where there are none.
        var stepRate: Float = 0
        var pedalRate: Float = 0
        /// How likely the kind of movement is right.
        var probability: Float = 0
    }

    /// A movement that falls to this share of its level of 4 s, within the last second, has stopped.
    private static let stoppedShare: Float = 0.25
    /// Less movement than this, m/s² and rad/s, is rest.
    private static let restingMovement: Float = 0.15
    private static let restingTurning: Float = 0.03
    /// Who runs makes so many steps a second, and is moved so much, m/s² of |a|.
    private static let runningRate: Float = 140 / 60
    private static let runningMovement: Float = 3.5

    init(model: StateModel, placement: Placement) {
        self.model = model
        group = StateModel.Group(placement)
    }

    var isWithoutGravity: Bool { front.gauge.isWithoutGravity }
    var isInG: Bool { front.gauge.isInG }

    /// Takes a tick.
    mutating func push(_ tick: Tick) {
        front.push(tick)
        newestMicroseconds = Tick.endMicroseconds(ofTick: tick.index)
    }

    /// Counts when the last tick of a block has come.
    mutating func evaluate(into events: inout MotionEvents) {
        evaluate(at: newestMicroseconds / Tick.microseconds - 1, into: &events)
    }

    private mutating func evaluate(at tick: Int64, into events: inout MotionEvents) {
        features.withUnsafeMutableBufferPointer { features in
            scores.withUnsafeMutableBufferPointer { scores in
                front.evaluate(into: features)
                model.score(features, front.sensors, group, into: scores)
                decoder.push(scores, model.decoding)
            }
        }
        noteLive(normMovement: exp(features[MotionFeatures.curveCount + MotionFeatures.Level.norm4s.rawValue]))
        if decoder.isReady { settle(at: tick, into: &events) }
        front.advance()
    }

    private mutating func settle(at tick: Int64, into events: inout MotionEvents) {
        let settings = model.decoding
        let needed = settings.onsetEvidence[group.rawValue]
        var (onset, stepPhase, pedalPhase) = (onset, stepPhase, pedalPhase)
        decoder.settle(settings) { age, probabilities in
            let ticksAgo = Autocorrelation.delayTicks + age * SignalWindow.blockTicks
            let row = SignalWindow.tickCount - ticksAgo
            let end = Tick.endMicroseconds(ofTick: tick - Int64(ticksAgo - SignalWindow.blockTicks / 2))
            let state = Posterior(probabilities)
            func cycles(_ place: Float, isStep: Bool) -> Float {
                let period = PeriodAxis.seconds(atPlace: place) / Tick.seconds
                return PhaseAdvance.cycles(front.window, row: row, period: period, isStep: isStep)
            }
            let isStep = state.step > settings.stepThreshold
            let steps = isStep ? cycles(state.stepPlace, isStep: true) : nil
            onset.take(state.step, steps: steps, needed: needed, settings) { age, steps in
                stepPhase += steps
                let time = min(end - Int64(age * SignalWindow.blockTicks) * Tick.microseconds, newestMicroseconds)
                for count in Self.take(&stepPhase) { events.append(.steps(count: count, timeMicroseconds: time)) }
            }
            guard !isStep, state.pedal > settings.pedalThreshold else { return }
            pedalPhase += cycles(state.pedalPlace, isStep: false)
            let time = min(end, newestMicroseconds)
            for count in Self.take(&pedalPhase) { events.append(.revolutions(count: count, timeMicroseconds: time)) }
        }
        (self.onset, self.stepPhase, self.pedalPhase) = (onset, stepPhase, pedalPhase)
    }

    /// Takes the whole cycles from a phase.
    private static func take(_ phase: inout Float) -> CollectionOfOne<Int>.SubSequence {
        let whole = phase.rounded(.down)
        phase -= whole
        let count = CollectionOfOne(Int(whole))
        return whole >= 1 ? count[...] : count[count.endIndex...]
    }

    private mutating func noteLive(normMovement: Float) {
        let state = decoder.newest { Posterior($0) }
        let movement = Movement(front)
        let isResting =
            movement.vectorNow < Self.restingMovement && movement.turningNow < Self.restingTurning
        let hasStopped =
            isResting
            || movement.vectorNow < Self.stoppedShare * movement.vectorBefore
                && movement.turningNow <= max(Self.stoppedShare * movement.turningBefore, Self.restingTurning)
        live = LiveState()
        if !hasStopped, state.step > model.decoding.stepThreshold {
            live.stepRate = 1 / PeriodAxis.seconds(atPlace: state.stepPlace)
            live.probability = state.step
            let isRunning = live.stepRate > Self.runningRate && normMovement > Self.runningMovement
            live.activity = isRunning ? .running : .walking
        } else if !hasStopped, state.pedal > model.decoding.pedalThreshold {
            live.pedalRate = 1 / PeriodAxis.seconds(atPlace: state.pedalPlace)
            live.probability = state.pedal
            live.activity = .cycling
        } else if isResting {
            live.activity = .stationary
        } else if state.vehicle > 0.5 {
            live.activity = .automotive
        }
    }

    /// Counts what is not settled because the signal ends, and forgets it.
    mutating func finish(into events: inout MotionEvents) {
        guard newestMicroseconds > 0 else { return }
        let block = Int64(SignalWindow.blockTicks)
        var tick = newestMicroseconds / Tick.microseconds - 1
        tick = (tick + block - 1) / block * block
        for _
            in 0..<(Autocorrelation.delayTicks / SignalWindow.blockTicks + StateDecoder.lag + StateDecoder.settledCount)
        {
            evaluate(at: tick, into: &events)
            tick += block
        }
        front.reset()
        decoder.reset()
        onset = StepOnset()
        live = LiveState()
        newestMicroseconds = 0
    }

    mutating func tellWithoutGravity() {
        front.tellWithoutGravity()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        front.transfer(&coder)
        decoder.transfer(&coder, model.decoding)
        onset.transfer(&coder)
        coder.code(&stepPhase)
        coder.code(&pedalPhase)
        coder.code(&live.activity)
        coder.code(&live.stepRate)
        coder.code(&live.pedalRate)
        coder.code(&live.probability)
        coder.code(time: &newestMicroseconds)
    }
}

extension StateModel.Group {
    init(_ placement: Placement) {
        switch placement {
        case .wrist: self = .wrist
        case .hand, .bag, .hip, .back: self = .carried
        case .pocket, .thigh: self = .pocket
        case .ankle, .foot: self = .leg
        case .unknown, .frame, .crank: self = .unknown
        }
    }
}

/// How likely steps and pedals are, and where on the grid their periods lie.
private struct Posterior {
    /// Places on both sides of the likeliest period that its mean is taken over.
    private static let reach = 2

    let step: Float
    let pedal: Float
    let vehicle: Float
    let stepPlace: Float
    let pedalPlace: Float

    init(_ probabilities: UnsafeBufferPointer<Float>) {
        (step, stepPlace) = Self.read(probabilities, StateModel.steps, PeriodAxis.stepPlaces)
        (pedal, pedalPlace) = Self.read(probabilities, StateModel.pedals, PeriodAxis.pedalPlaces)
        vehicle = probabilities[StateModel.Still.vehicle.rawValue]
    }

    private static func read(
        _ probabilities: UnsafeBufferPointer<Float>, _ states: Range<Int>, _ places: Range<Int>
    ) -> (Float, Float) {
        var (sum, likeliest) = (Float(0), states.lowerBound)
        for state in states {
            sum += probabilities[state]
            if probabilities[state] > probabilities[likeliest] { likeliest = state }
        }
        var (weight, mean) = (Float(0), Float(0))
        for state in max(likeliest - reach, states.lowerBound)...min(likeliest + reach, states.upperBound - 1) {
            weight += probabilities[state]
            mean += probabilities[state] * Float(state - likeliest)
        }
        let place = Float(likeliest - states.lowerBound + places.lowerBound)
        return (sum, weight > 0 ? place + mean / weight : place)
    }
}

/// How much a window moves in its last second and in the four seconds before, root mean square.
private struct Movement {
    let vectorNow, turningNow, vectorBefore, turningBefore: Float

    init(_ front: borrowing MotionFront) {
        let (end, now, start) = (SignalWindow.tickCount, SignalWindow.tickCount - 25, SignalWindow.tickCount - 125)
        let (last, before) = (front.energy(now..<end) / 25, front.energy(start..<now) / 100)
        vectorNow = last.y.squareRoot()
        turningNow = last.w.squareRoot()
        vectorBefore = before.y.squareRoot()
        turningBefore = before.w.squareRoot()
    }
}
