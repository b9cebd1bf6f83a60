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
    private var history: [Float]
    private var energies: [Float]
    private var products: [SIMD8<Float>]
    /// Where the newest value is; older ones follow.
    private var position: Int

    init(channelCount: Int) {
        self.channelCount = channelCount
        history = Array(repeating: 0, count: channelCount * Self.capacity)
        energies = Array(repeating: 0, count: Self.capacity)
        products = Array(repeating: .zero, count: Self.groupCount)
        position = Self.slack
    }

    mutating func reset() {
        self = LagProducts(channelCount: channelCount)
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
        let channelCount = channelCount
        let position = position
        history.withUnsafeBytes { bytes in
            products.withUnsafeMutableBufferPointer { products in
                for group in 0..<Self.groupCount {
                    var sum = products[group] * decay
                    for channel in 0..<channelCount {
                        let offset = (channel * Self.capacity + position + group * 8) * 4
                        let past = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                        sum += past * values[channel]
                    }
                    products[group] = sum
                }
            }
        }
    }

    private mutating func moveUp() {
        for channel in 0..<channelCount {
            let base = channel * Self.capacity
            for index in stride(from: Self.lagCount - 1, through: 0, by: -1) {
                history[base + Self.slack + index] = history[base + index]
            }
        }
        for index in stride(from: Self.lagCount - 1, through: 0, by: -1) {
            energies[Self.slack + index] = energies[index]
        }
        position = Self.slack
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
