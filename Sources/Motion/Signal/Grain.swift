/// How coarsely a device rounds its acceleration: the sums of the axes of any two samples differ by whole grains. The least
/// difference of many is one grain, or less than it where the device is fine.
struct Grain {
    /// Differences below this are those of binary fractions, m/s² or g.
    private static let leastDifference: Float = 0.01
    /// So many are looked at: those of a runner are seldom small.
    private static let needed: Float = 120
    /// The largest grain that tells steps, m/s².
    private static let most: Float = 3

    private var last: Float = 0
    private var least: Float = 1000
    private var count: Float = 0

    /// Whether a step changes the acceleration by little more than one grain.
    /// - Parameter scale: What the device's unit is multiplied by to be m/s².
    func isCoarse(scale: Float) -> Bool { count == Self.needed && least * scale > Self.most }

    /// Takes a sample's acceleration, once an evaluation.
    mutating func take(_ acceleration: SIMD3<Float>) {
        let sum = acceleration.sum()
        let difference = abs(sum - last)
        last = sum
        guard difference > Self.leastDifference else { return }
        (least, count) = (min(least, difference), min(count + 1, Self.needed))
    }
}
