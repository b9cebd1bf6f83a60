/// Recursive products of a signal with itself at every lag up to 3.2 s, with exponential forgetting:
/// `R[k] ← λ·R[k] + Σ_c x_c[n]·x_c[n−k]`. Summed over the axes it is the trace of the lag covariance, which does not depend
/// on how the sensor is mounted. Divided as in McLeod & Wyvill, "A smarter way to find pitch" (ICMC 2005), it gives a
/// normalised square difference function that is 1 at a perfect period.
struct LagProducts {
    /// Lags 0…79 at 25 Hz: 0…3.16 s.
    static let lagCount = 80
    static let groupCount = lagCount / 8
    /// The history slides down through this much slack before it is moved back up.
    private static let slack = 16
    private static let capacity = lagCount + slack

    private let channelCount: Int
    /// Groups of eight lags that are followed; the others stay zero.
    private let groupCount: Int
    private var history: [Float]
    private var energies: [Float]
    private var products: [SIMD8<Float>]
    /// Where the newest value is; older ones follow.
    private var position: Int

    init(channelCount: Int, groupCount: Int = Self.groupCount) {
        self.channelCount = channelCount
        self.groupCount = min(groupCount, Self.groupCount)
        history = Array(repeating: 0, count: channelCount * Self.capacity)
        energies = Array(repeating: 0, count: Self.capacity)
        products = Array(repeating: .zero, count: Self.groupCount)
        position = Self.slack
    }

    mutating func reset() {
        self = LagProducts(channelCount: channelCount, groupCount: groupCount)
    }

    /// The forgetting sum of squares: `R[0]`.
    var energy: Float { energies[position] }

    /// Takes the next values of the channels (the first `channelCount` lanes).
    @inline(__always)
    mutating func push(_ values: SIMD4<Float>, decay: Float) {
        if position == 0 {
            moveUp()
        }
        let newest = energies[position] * decay
        position -= 1
        var square: Float = 0
        for channel in 0..<channelCount {
            history[channel * Self.capacity + position] = values[channel]
            square += values[channel] * values[channel]
        }
        energies[position] = newest + square
        accumulate(values, decay: decay)
    }

    @inline(__always)
    private mutating func accumulate(_ values: SIMD4<Float>, decay: Float) {
        let position = position
        let isScalar = channelCount == 1
        let groupCount = groupCount
        let (x, y, z) = (values.x, values.y, values.z)
        history.withUnsafeBytes { bytes in
            products.withUnsafeMutableBufferPointer { products in
                for group in 0..<groupCount {
                    let offset = (position + group * 8) * 4
                    var sum = products[group] * decay
                    sum += bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self) * x
                    if !isScalar {
                        let second = offset + Self.capacity * 4
                        sum += bytes.loadUnaligned(fromByteOffset: second, as: SIMD8<Float>.self) * y
                        let third = second + Self.capacity * 4
                        sum += bytes.loadUnaligned(fromByteOffset: third, as: SIMD8<Float>.self) * z
                    }
                    products[group] = sum
                }
            }
        }
    }

    private mutating func moveUp() {
        for channel in 0..<channelCount {
            Self.slide(&history, base: channel * Self.capacity)
        }
        Self.slide(&energies, base: 0)
        position = Self.slack
    }

    /// Moves `lagCount` values up by the slack; the ranges overlap.
    private static func slide(_ values: inout [Float], base: Int) {
        values.withUnsafeMutableBytes { bytes in
            let source = UnsafeRawBufferPointer(rebasing: bytes[(base * 4)..<((base + lagCount) * 4)])
            UnsafeMutableRawBufferPointer(rebasing: bytes[((base + slack) * 4)..<((base + capacity) * 4)])
                .copyMemory(from: source)
        }
    }

    /// The newest values times those a lag before, and the mean of both squares.
    @inline(__always)
    func pair(lag: Int) -> (product: Float, energy: Float) {
        var product: Float = 0
        var energy: Float = 0
        for channel in 0..<channelCount {
            let now = history[channel * Self.capacity + position]
            let then = history[channel * Self.capacity + position + lag]
            product += now * then
            energy += 0.5 * (now * now + then * then)
        }
        return (product, energy)
    }

    /// The newest values of the channels.
    @inline(__always)
    var newest: SIMD4<Float> {
        guard channelCount == 3 else { return SIMD4(history[position], 0, 0, 0) }
        return SIMD4(
            history[position], history[Self.capacity + position], history[2 * Self.capacity + position], 0)
    }

    /// Adds this signal's normalised similarity at each lag, times a weight, to `curve`.
    func addSimilarity(weight: Float, to curve: inout LagCurve) {
        let newest = energies[position]
        let position = position
        energies.withUnsafeBytes { bytes in
            for group in 0..<Self.groupCount {
                let offset = (position + group * 8) * 4
                let past = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                let scale = past + (newest + 1e-9)
                curve.add(products[group] * (2 * weight) / scale, group: group)
            }
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        var newest = position
        coder.code(&newest, in: 0...Self.slack)
        position = newest
        for channel in 0..<channelCount {
            let start = channel * Self.capacity + position
            coder.code(floats: &history, range: start..<(start + Self.lagCount))
        }
        coder.code(floats: &energies, range: position..<(position + Self.lagCount))
        for group in 0..<Self.groupCount {
            for lane in 0..<8 {
                coder.code(&products[group][lane])
            }
        }
    }
}
