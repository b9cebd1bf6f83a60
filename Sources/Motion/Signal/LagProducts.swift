/// Recursive products of a signal with itself at every lag up to 3.2 s, with exponential forgetting:
/// `R[k] ← λ·R[k] + Σ_c x_c[n]·x_c[n−k]`. Summed over the axes it is the trace of the lag covariance, which does not depend
/// on how the sensor is mounted. Divided as in McLeod & Wyvill, "A smarter way to find pitch" (ICMC 2005), it gives a
/// normalised square difference function that is 1 at a perfect period.
///
/// Products are made for several ticks at once, when they are wanted: a sum then stays in registers for all of them.
struct LagProducts {
    /// Lags 0…79 at 25 Hz: 0…3.16 s.
    static let lagCount = 80
    static let groupCount = lagCount / 8
    /// The most ticks whose products wait to be made.
    static let pendingLimit = 10
    private static let kept = lagCount + pendingLimit
    /// The history slides down through this much slack before it is moved back up.
    private static let slack = 22
    private static let capacity = kept + slack

    private let channelCount: Int
    /// Groups of eight lags that are followed, an even count; the others stay zero.
    private let groupCount: Int
    /// Forgetting a tick.
    private let decay: Float
    /// The past values of each channel, and after them those of the energy; newest first.
    private var history: [Float]
    private var products: [SIMD8<Float>]
    /// Where the newest value is; older ones follow.
    private var position: Int
    /// Ticks whose products are not made yet.
    private var pending = 0

    init(channelCount: Int, groupCount: Int = Self.groupCount, decay: Float) {
        self.channelCount = channelCount
        self.groupCount = min(groupCount, Self.groupCount) / 2 * 2
        self.decay = decay
        history = Array(repeating: 0, count: (channelCount + 1) * Self.capacity)
        products = Array(repeating: .zero, count: Self.groupCount)
        position = Self.slack
    }

    mutating func reset() {
        self = LagProducts(channelCount: channelCount, groupCount: groupCount, decay: decay)
    }

    private var energyBase: Int { channelCount * Self.capacity }

    /// The forgetting sum of squares: `R[0]`.
    var energy: Float { history[energyBase + position] }

    /// Takes the next values of the channels (the first `channelCount` lanes).
    @inline(__always)
    mutating func push(_ values: SIMD4<Float>) {
        if pending == Self.pendingLimit { settle() }
        if position == 0 { moveUp() }
        position -= 1
        pending += 1
        let (position, channelCount, decay) = (position, channelCount, decay)
        history.withUnsafeMutableBufferPointer { history in
            var square: Float = 0
            for channel in 0..<channelCount {
                history[channel * Self.capacity + position] = values[channel]
                square += values[channel] * values[channel]
            }
            let energy = channelCount * Self.capacity + position
            history[energy] = history[energy + 1] * decay + square
        }
    }

    /// Makes the products of the ticks that wait.
    mutating func settle() {
        guard pending > 0 else { return }
        let (position, pending, decay) = (position, pending, decay)
        let (channelCount, groupCount) = (channelCount, groupCount)
        let faded = (0..<pending).reduce(Float(1)) { fade, _ in fade * decay }
        history.withUnsafeBytes { bytes in
            products.withUnsafeMutableBufferPointer { products in
                for group in stride(from: 0, to: groupCount, by: 2) {
                    var low = products[group] * faded
                    var high = products[group + 1] * faded
                    for channel in 0..<channelCount {
                        var offset = (channel * Self.capacity + position) * 4
                        var weight: Float = 1
                        for _ in 0..<pending {
                            let value = bytes.loadUnaligned(fromByteOffset: offset, as: Float.self) * weight
                            let past = offset + group * 32
                            low += bytes.loadUnaligned(fromByteOffset: past, as: SIMD8<Float>.self) * value
                            high += bytes.loadUnaligned(fromByteOffset: past + 32, as: SIMD8<Float>.self) * value
                            offset += 4
                            weight *= decay
                        }
                    }
                    products[group] = low
                    products[group + 1] = high
                }
            }
        }
        self.pending = 0
    }

    private mutating func moveUp() {
        for channel in 0...channelCount {
            Self.slide(&history, base: channel * Self.capacity)
        }
        position = Self.slack
    }

    /// Moves the kept values up by the slack; the ranges overlap.
    private static func slide(_ values: inout [Float], base: Int) {
        values.withUnsafeMutableBytes { bytes in
            let source = UnsafeRawBufferPointer(rebasing: bytes[(base * 4)..<((base + kept) * 4)])
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

    /// Adds this signal's normalised similarity at each lag, times a weight, to `curve`; ``settle()`` first.
    func addSimilarity(weight: Float, to curve: inout LagCurve) {
        let newest = energy
        let start = energyBase + position
        history.withUnsafeBytes { bytes in
            for group in 0..<groupCount {
                let offset = (start + group * 8) * 4
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
        coder.code(&pending, in: 0...Self.pendingLimit)
        for channel in 0...channelCount {
            let start = channel * Self.capacity + position
            coder.code(floats: &history, range: start..<(start + Self.kept))
        }
        for group in 0..<Self.groupCount {
            for lane in 0..<8 {
                coder.code(&products[group][lane])
            }
        }
    }
}
