/// Recursive products of a signal with itself at every lag up to 3.2 s, with exponential forgetting:
/// `R[k] ← λ·R[k] + Σ_c x_c[n]·x_c[n−k]`. Summed over the axes it is the trace of the lag covariance, which does not depend
/// on how the sensor is mounted. Divided as in McLeod & Wyvill, "A smarter way to find pitch" (ICMC 2005), it gives a
/// normalised square difference function that is 1 at a perfect period.
///
/// Products are made for several ticks at once, when they are wanted: a sum then stays in registers for all of them. Of
/// a signal that ends at 5 Hz a product ends at 10 Hz, so that its mean is told by 12.5 values a second: where noise is
/// small, products are made at every other tick.
struct LagProducts {
    /// Lags 0…79 at 25 Hz: 0…3.16 s.
    static let lagCount = 80
    static let groupCount = lagCount / 8
    /// The most ticks whose products wait to be made.
    static let pendingLimit = 10
    /// Less than this is nothing, in squares of levels or units.
    private static let forgottenProduct: Float = 1e-9
    private static let kept = lagCount + pendingLimit
    /// The history slides down through this much slack before it is moved back up.
    private static let slack = 38
    private static let capacity = kept + slack

    private let channelCount: Int
    /// Groups of eight lags that are followed, an even count; the others stay zero.
    private let groupCount: Int
    /// Forgetting a tick, and as many ticks as may wait.
    private let decay: Float
    private let limitFade: Float
    /// Whether products are made at every other tick and stand for the one after it as well.
    private let isSparse: Bool
    /// The past values of each channel, and after them those of the energy; newest first.
    private var history: [Float]
    private var products: [SIMD8<Float>]
    /// Where the newest value is; older ones follow.
    private var position: Int
    /// Ticks whose products are not made yet.
    private var pending = 0

    init(channelCount: Int, groupCount: Int = Self.groupCount, decay: Float, isSparse: Bool = false) {
        self.channelCount = channelCount
        self.groupCount = min(groupCount, Self.groupCount) / 2 * 2
        self.decay = decay
        limitFade = (0..<Self.pendingLimit).reduce(1) { fade, _ in fade * decay }
        self.isSparse = isSparse
        history = Array(repeating: 0, count: (channelCount + 1) * Self.capacity)
        products = Array(repeating: .zero, count: Self.groupCount)
        position = Self.slack
    }

    mutating func reset() {
        self = LagProducts(channelCount: channelCount, groupCount: groupCount, decay: decay, isSparse: isSparse)
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
        let (position, isVector, decay) = (position, channelCount == 3, decay)
        history.withUnsafeMutableBufferPointer { history in
            var square = values.x * values.x
            history[position] = values.x
            if isVector {
                history[Self.capacity + position] = values.y
                history[2 * Self.capacity + position] = values.z
                square = values.axesSquareSum
            }
            let energy = (isVector ? 3 : 1) * Self.capacity + position
            history[energy] = history[energy + 1] * decay + square
        }
    }

    /// Makes the products of the ticks that wait.
    mutating func settle() {
        guard pending > 0 else { return }
        if isSparse {
            let newest = (pending + 1) % 2
            makeProducts(
                from: position + newest, count: (pending + 1) / 2, spacing: 2, weight: newest == 1 ? decay : 1,
                fade: decay * decay)
        } else {
            makeProducts(from: position, count: pending, spacing: 1, weight: 1, fade: decay)
        }
        pending = 0
    }

    /// Forgets as ``settle()`` does, and makes no products of the ticks that wait: what they hold is of no interest.
    mutating func pass() {
        // Numbers too small to be normal would make the work slow.
        let faded = products[0].max() > Self.forgottenProduct ? faded : 0
        for group in 0..<groupCount {
            products[group] *= faded
        }
        pending = 0
    }

    /// What is left of the products after the ticks that wait.
    private var faded: Float {
        pending == Self.pendingLimit ? limitFade : (0..<pending).reduce(1) { fade, _ in fade * decay }
    }

    /// Adds the products of `count` values, the newest of which lies at `first`, with their pasts.
    @inline(__always)
    private mutating func makeProducts(from first: Int, count: Int, spacing: Int, weight: Float, fade: Float) {
        let (channelCount, groupCount, faded) = (channelCount, groupCount, faded)
        history.withUnsafeBytes { history in
            products.withUnsafeMutableBufferPointer { products in
                for group in stride(from: 0, to: groupCount, by: 2) {
                    var low = products[group] * faded
                    var high = products[group + 1] * faded
                    for channel in 0..<channelCount {
                        var now = (channel * Self.capacity + first) * 4
                        var weight = weight
                        for _ in 0..<count {
                            let value = history.loadUnaligned(fromByteOffset: now, as: Float.self) * weight
                            let past = now + group * 32
                            low += history.loadUnaligned(fromByteOffset: past, as: SIMD8<Float>.self) * value
                            high += history.loadUnaligned(fromByteOffset: past + 32, as: SIMD8<Float>.self) * value
                            now += 4 * spacing
                            weight *= fade
                        }
                    }
                    products[group] = low
                    products[group + 1] = high
                }
            }
        }
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
        // A product is that of the older of the two ticks that it stands for.
        let factor = 2 * weight * (isSparse ? (1 + decay) / decay : 1)
        history.withUnsafeBytes { bytes in
            for group in 0..<groupCount {
                let offset = (start + group * 8) * 4
                let past = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                let scale = past + (newest + 1e-9)
                curve.add(products[group] * factor / scale, group: group)
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
