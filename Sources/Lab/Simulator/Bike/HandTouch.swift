/// A hand that now and then touches the holder: a push of a tenth of a second from any side.
struct HandTouch: Sendable {
    private let chanceAStep: Double
    private var remainingSteps = 0
    private var totalSteps = 1
    private var push = SIMD3<Double>(repeating: 0)

    init(touchesPerMinute: Double) {
        chanceAStep = touchesPerMinute / 60 * PhysicsStep.seconds
    }

    /// The acceleration of this step, m/s²: a half sine while the hand pushes.
    mutating func advance(_ random: inout RandomSource) -> SIMD3<Double> {
        if remainingSteps == 0 {
            guard random.chance(chanceAStep) else { return SIMD3(repeating: 0) }
            totalSteps = Int(random.uniform(in: 0.05...0.2) * PhysicsStep.rateHz)
            remainingSteps = totalSteps
            push = random.direction() * random.uniform(in: 0.5...3)
        }
        remainingSteps -= 1
        return push * sine(.pi * Double(totalSteps - remainingSteps) / Double(totalSteps))
    }
}
