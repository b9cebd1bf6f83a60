/// One specimen of a part: its own biases and scale, and what it reads when it samples.
struct MotionSensor: Sendable {
    private let part: SensorPart
    private let accelerationBias: SIMD3<Double>
    private let angularVelocityBias: SIMD3<Double>
    private let accelerationScale: Double
    private let angularVelocityScale: Double
    private let accelerationNoise: Double
    private let angularVelocityNoise: Double
    private var sum = BodyMotion()
    private var summed = 0.0

    /// Takes a specimen out of the box. Its low-pass is half the sampling rate wide, so that is the noise's bandwidth.
    init(part: SensorPart, rateHz: Double, random: inout RandomSource) {
        self.part = part
        accelerationBias = random.deviates() * (part.accelerationBias / 2)
        angularVelocityBias = random.deviates() * (part.angularVelocityBias / 2)
        accelerationScale = 1 + part.scaleError / 2 * random.deviate()
        angularVelocityScale = 1 + part.scaleError / 2 * random.deviate()
        let rootBandwidth = (rateHz / 2).squareRoot()
        accelerationNoise = part.accelerationNoiseDensity * rootBandwidth
        angularVelocityNoise = part.angularVelocityNoiseDensity * rootBandwidth
    }

    /// Feels one physics step.
    mutating func feel(_ motion: BodyMotion) {
        sum.specificForce += motion.specificForce
        sum.angularVelocity += motion.angularVelocity
        summed += 1
    }

    /// Reads the mean since the last reading, as the part's low-pass gives it, with its errors.
    mutating func read(_ random: inout RandomSource) -> BodyMotion {
        let count = max(summed, 1)
        let force = sum.specificForce / count * accelerationScale + accelerationBias
        let rate = sum.angularVelocity / count * angularVelocityScale + angularVelocityBias
        sum = BodyMotion()
        summed = 0
        return BodyMotion(
            specificForce: digitised(force + random.deviates() * accelerationNoise, range: part.accelerationRange),
            angularVelocity: digitised(
                rate + random.deviates() * angularVelocityNoise, range: part.angularVelocityRange))
    }

    private func digitised(_ value: SIMD3<Double>, range: Double) -> SIMD3<Double> {
        let count = range / part.countsPerRange
        let limit = SIMD3(repeating: range - count)
        return (value.clamped(lowerBound: -limit, upperBound: limit) / count)
            .rounded(.toNearestOrAwayFromZero) * count
    }
}
