/// What has shaken the sensor in the last 12.8 s: a road is felt in every moment, while a hand rests between its deeds.
///
/// Tremor is how much the acceleration changes from tick to tick: wheels are heard in it, and slow gestures hardly.
struct VibrationTrail {
    /// What shakes a person without end.
    enum Source: UInt8 {
        case none
        /// A seat in a vehicle.
        case vehicle
        /// The handlebar or saddle of a bicycle that rolls.
        case bicycle
    }

    /// What a tremor must be to come from one source.
    struct Bounds {
        /// The least that its quietest moment may have, m/s².
        var leastTremor: Float
        /// The most that its mean may be over its least.
        var mostUnsteady: Float
        /// The least share that its mean has in that of all movement: of white noise it is 1.4, of gestures 0.2 to 0.6.
        var leastShare: Float

    }

    /// What shakes the sensor, as it was when the last block ended.
    private(set) var source = Source.none
    /// Of each block the least tremor, and the sums of tremor and movement.
    private var floors = EightFloats(SIMD8(repeating: mostTremor))
    private var tremors = EightFloats()
    private var movements = EightFloats()
    /// The same of the block that is not whole yet.
    private var floor = mostTremor
    private var tremor: Float = 0
    private var movement: Float = 0
    private var block = 0
    private var evaluationCount = 0
    private var blocksKnown = 0

    /// Takes the last 0.4 s: root mean squares of the change from tick to tick, and of all movement, m/s².
    mutating func take(tremor newest: Float, movement moved: Float, isOnArm: Bool) {
        let newest = min(newest, Self.mostTremor)
        floor = min(floor, newest)
        tremor += newest
        movement += min(moved, Self.mostMovement)
        evaluationCount += 1
        if evaluationCount == Self.blockEvaluations { endBlock(isOnArm: isOnArm) }
    }

    private mutating func endBlock(isOnArm: Bool) {
        floors.vector[block] = floor
        tremors.vector[block] = tremor
        movements.vector[block] = movement
        (floor, tremor, movement) = (Self.mostTremor, 0, 0)
        evaluationCount = 0
        block = (block + 1) % Self.blockCount
        blocksKnown = min(blocksKnown + 1, Self.blockCount)
        source = blocksKnown == Self.blockCount ? found(isOnArm: isOnArm) : .none
    }

    private func found(isOnArm: Bool) -> Source {
        let count = Float(blocksKnown * Self.blockEvaluations)
        let tremor = tremors.vector.sum() / count
        let movement = movements.vector.sum() / count
        if tremor > Self.mostInVehicle {
            let bounds = source == .bicycle ? Bounds.sameBicycle : .bicycle
            return movement < Self.mostMovementOnBicycle && holds(bounds, tremor, movement) ? .bicycle : .none
        }
        let bounds = source == .vehicle ? Bounds.sameVehicle : isOnArm ? .vehicleOnArm : .vehicle
        return holds(bounds, tremor, movement) ? .vehicle : .none
    }

    private func holds(_ bounds: Bounds, _ tremor: Float, _ movement: Float) -> Bool {
        let least = floors.vector.min()
        return least > bounds.leastTremor && tremor < bounds.mostUnsteady * least
            && tremor > bounds.leastShare * movement
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&source)
        floors.transfer(&coder)
        tremors.transfer(&coder)
        movements.transfer(&coder)
        coder.code(&floor)
        coder.code(&tremor)
        coder.code(&movement)
        coder.code(&block, in: 0...Self.blockCount - 1)
        coder.code(&evaluationCount, in: 0...Self.blockEvaluations - 1)
        coder.code(&blocksKnown, in: 0...Self.blockCount)
    }
}
