/// A magnetometer on the market, by its data sheet.
package struct MagnetometerPart: Sendable, Hashable {
    /// Root mean square of the noise of a reading on each axis, µT.
    package var noise: Double
    /// One count, µT.
    package var count: Double
    /// The field of what surrounds it, hard iron, as a standard deviation on each axis, µT.
    package var hardIron: Double
    /// The range on each axis, µT.
    package var range: Double

    /// Bosch BMM150 at its regular preset, in a phone.
    ///
    /// Source: BST-BMM150-DS001: resolution 0.3 µT, range ±1300 µT, noise 0.6 µT at the regular preset. What a phone
    /// adds, loudspeaker and all, is taken as 50 µT on each axis.
    package static let bmm150 = MagnetometerPart(noise: 0.6, count: 0.3, hardIron: 50, range: 1_300)
}

/// One specimen of a magnetometer in its phone.
struct Magnetometer: Sendable {
    private let part: MagnetometerPart
    private let hardIron: SIMD3<Double>
    private var sum = SIMD3<Double>(repeating: 0)
    private var summed = 0.0

    init(part: MagnetometerPart, random: inout RandomSource) {
        self.part = part
        hardIron = random.deviates() * part.hardIron
    }

    /// Feels one physics step.
    mutating func feel(_ field: SIMD3<Double>) {
        sum += field
        summed += 1
    }

    /// Reads the mean since the last reading, with its errors.
    mutating func read(_ random: inout RandomSource) -> SIMD3<Double> {
        let seen = sum / max(summed, 1) + hardIron + random.deviates() * part.noise
        sum = SIMD3(repeating: 0)
        summed = 0
        let limit = SIMD3(repeating: part.range)
        return (seen.clamped(lowerBound: -limit, upperBound: limit) / part.count)
            .rounded(.toNearestOrAwayFromZero) * part.count
    }
}
