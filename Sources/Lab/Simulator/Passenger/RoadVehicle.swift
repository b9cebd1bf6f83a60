/// One wheel of a vehicle on a rough road, its axle and its share of the body: what comes to the floor under a seat.
///
/// A road's profile has a slope that is white along the way (ISO 8608:2016, with an exponent of 2), so that the wheel
/// is pushed up and down at a white velocity that grows with the root of the speed. The quarter-car model and its usual
/// figures are those of T. D. Gillespie, "Fundamentals of Vehicle Dynamics" (SAE, 1992), chapter 5: a body that swings
/// 1 to 1.5 times a second, damped by 0.2 to 0.4, over wheels that hop 10 to 13 times.
struct RoadVehicle: Sendable {
    /// Unevenness at a wave number of 0.1 a metre, m³: the classes A to C of ISO 8608, from a new motorway to a bad
    /// road.
    private static let unevenness = 16e-6...256e-6
    private static let referenceWaveNumber = 0.1
    /// The mass of the wheel over that of the body on it.
    private static let massRatio = 0.12

    private let unevenness: Double
    private let bodyStiffness: Double
    private let damping: Double
    private let tyreStiffness: Double

    /// Heights over their rest, m, and their speeds: of the road under the tyre, of the wheel and of the body.
    private var road = 0.0
    private var wheel = (height: 0.0, speed: 0.0)
    private var body = (height: 0.0, speed: 0.0)

    init(random: inout RandomSource) {
        let classes = naturalLogarithm(Self.unevenness.lowerBound)...naturalLogarithm(Self.unevenness.upperBound)
        unevenness = exponential(random.uniform(in: classes))
        let bodyRate = 2 * Double.pi * random.uniform(in: 1...1.6)
        let hopRate = 2 * Double.pi * random.uniform(in: 9.5...13)
        bodyStiffness = bodyRate * bodyRate
        damping = 2 * random.uniform(in: 0.2...0.4) * bodyRate
        tyreStiffness = hopRate * hopRate * Self.massRatio - bodyStiffness
    }

    /// Goes on by one physics step at a speed, m/s. The body's acceleration upwards, m/s².
    mutating func advance(speed: Double, _ random: inout RandomSource) -> Double {
        // One-sided density of the road's velocity: 4π²·n₀²·G(n₀)·v, m²/s.
        let waveNumber = 2 * Double.pi * Self.referenceWaveNumber
        let density = waveNumber * waveNumber * unevenness * max(speed, 0)
        road += (density * PhysicsStep.seconds / 2).squareRoot() * random.deviate()
        // The tyre swallows what is far below: only differences matter, so that the road never runs away.
        road -= road * PhysicsStep.seconds * 0.1
        let strut = bodyStiffness * (wheel.height - body.height) + damping * (wheel.speed - body.speed)
        let tyre = tyreStiffness * (road - wheel.height)
        wheel.speed += (tyre - strut) / Self.massRatio * PhysicsStep.seconds
        wheel.height += wheel.speed * PhysicsStep.seconds
        body.speed += strut * PhysicsStep.seconds
        body.height += body.speed * PhysicsStep.seconds
        return strut
    }
}
