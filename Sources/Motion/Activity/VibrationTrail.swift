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
    private struct Bounds {
        /// The least that its quietest moment may have, m/s².
        var leastTremor: Float
        /// The most that its mean may be over its least.
        var mostUnsteady: Float
        /// The least share that its mean has in that of all movement: of white noise it is 1.4, of gestures 0.2 to 0.6.
        var leastShare: Float

        /// More than the noise of sensors and a pulse.
        static let vehicle = Bounds(leastTremor: 0.12, mostUnsteady: 2.2, leastShare: 0.5)
        /// And more than a hand trembles that is held up, at 8 to 12 Hz (Stiles and Randall, J. Appl. Physiol. 23,
        /// 1967).
        static let vehicleOnArm = Bounds(leastTremor: 0.2, mostUnsteady: 2.2, leastShare: 0.5)
        static let sameVehicle = Bounds(leastTremor: 0.1, mostUnsteady: 3, leastShare: 0.4)
        static let bicycle = Bounds(leastTremor: 0.6, mostUnsteady: 3, leastShare: 0.68)
        static let sameBicycle = Bounds(leastTremor: 0.3, mostUnsteady: 4, leastShare: 0.5)
    }

    /// Evaluations (0.4 s) in a block, and blocks in the trail.
    private static let blockEvaluations = 4
    private static let blockCount = 8
    /// A mean tremor that nobody sits through for long, m/s²: ISO 2631-1:1997, annex C, calls 0.8 to 1.6 m/s²
    /// uncomfortable. Handlebars on asphalt bring more.
    private static let mostInVehicle: Float = 1
    /// The most that who holds a handlebar is moved, m/s²: less than gestures, and than a walk that was not counted.
    private static let mostMovementOnBicycle: Float = 3
    /// A pothole counts as no more than this, m/s².
    private static let mostTremor: Float = 3
    private static let mostMovement: Float = 6

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
