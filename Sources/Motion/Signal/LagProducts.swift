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

    private static let floatBytes = MemoryLayout<Float>.size

    private let channelCount: Int
    /// Groups of eight lags that are followed, an even count; the others stay zero.
    private let groupCount: Int
    /// Forgetting a tick, and as many ticks as may wait.
    private let decay: Float
    private let limitFade: Float
    /// Whether products are made at every other tick and stand for the one after it as well.
    private let isSparse: Bool
    /// A row of past values for each channel and after them one of the energy, newest first; then the products. One buffer,
    /// because each must be asked whether it is shared before it is written to.
    private var memory: [Float]
    /// Where the newest value is in each row; older ones follow.
    private var position: Int
    /// Ticks whose products are not made yet.
    private var pending = 0

    init(channelCount: Int, groupCount: Int = Self.groupCount, decay: Float, isSparse: Bool = false) {
        self.channelCount = channelCount
        self.groupCount = min(groupCount, Self.groupCount) / 2 * 2
        self.decay = decay
        limitFade = (0..<Self.pendingLimit).reduce(1) { fade, _ in fade * decay }
        self.isSparse = isSparse
        memory = Array(repeating: 0, count: (channelCount + 1) * Self.capacity + Self.lagCount)
        position = Self.slack
    }

    mutating func reset() {
        self = LagProducts(channelCount: channelCount, groupCount: groupCount, decay: decay, isSparse: isSparse)
    }

    private var energyBase: Int { channelCount * Self.capacity }
    private var productBase: Int { (channelCount + 1) * Self.capacity }

    /// The forgetting sum of squares: `R[0]`.
    var energy: Float { memory[energyBase + position] }

    /// Takes the next values of the channels (the first `channelCount` lanes), and the sum of their squares.
    @inline(__always)
    mutating func push(_ values: SIMD4<Float>, square: Float) {
        if pending == Self.pendingLimit { settle() }
        if position == 0 { moveUp() }
        position &-= 1
        pending &+= 1
        let (position, isVector, decay) = (position, channelCount == 3, decay)
        memory.withUnsafeMutableBufferPointer { memory in
            memory[position] = values.x
            var energy = Self.capacity &+ position
            if isVector {
                memory[energy] = values.y
                memory[energy &+ Self.capacity] = values.z
                energy &+= 2 &* Self.capacity
            }
            memory[energy] = memory[energy &+ 1] * decay + square
        }
    }

    /// Makes the products of the ticks that wait.
    mutating func settle() {
        guard pending > 0 else { return }
        let newest = isSparse ? (pending + 1) % 2 : 0
        let ticks = Ticks(
            first: position + newest, count: isSparse ? (pending + 1) / 2 : pending, spacing: isSparse ? 2 : 1,
            weight: newest == 1 ? decay : 1, fade: isSparse ? decay * decay : decay)
        makeProducts(ticks, faded: faded)
        pending = 0
    }

    /// Forgets as ``settle()`` does, and makes no products of the ticks that wait: what they hold is of no interest.
    mutating func pass() {
        let (base, lags, faded) = (productBase, groupCount * 8, faded)
        memory.withUnsafeMutableBufferPointer { memory in
            // Numbers too small to be normal would make the work slow.
            let isForgotten = (0..<8).allSatisfy { memory[base + $0] <= Self.forgottenProduct }
            for lag in 0..<lags {
                memory[base + lag] *= isForgotten ? 0 : faded
            }
        }
        pending = 0
    }

    /// What is left of the products after the ticks that wait.
    private var faded: Float {
        pending == Self.pendingLimit ? limitFade : (0..<pending).reduce(1) { fade, _ in fade * decay }
    }

    /// Values whose products with their pasts are to be made: the newest one's place, and what each weighs.
    private struct Ticks {
        let first: Int
        let count: Int
        let spacing: Int
        let weight: Float
        let fade: Float
    }

    private mutating func makeProducts(_ ticks: Ticks, faded: Float) {
        let (lagCount, channelCount) = (groupCount * 8, channelCount)
        memory.withUnsafeMutableBytes { memory in
            guard let rows = memory.baseAddress else { return }
            var lag = 0
            while lag &+ WideLagTile.lagCount <= lagCount {
                Self.addProducts(ticks, WideLagTile.self, from: lag, in: rows, channelCount, faded)
                lag &+= WideLagTile.lagCount
            }
            if lag < lagCount {
                Self.addProducts(ticks, NarrowLagTile.self, from: lag, in: rows, channelCount, faded)
            }
        }
    }

    /// Adds the products of some lags.
    @inline(__always)
    private static func addProducts<Tile: LagTile>(
        _ ticks: Ticks, _ tile: Tile.Type, from lag: Int, in rows: UnsafeMutableRawPointer, _ channelCount: Int,
        _ faded: Float
    ) {
        let products = rows + ((channelCount &+ 1) &* capacity &+ lag) &* floatBytes
        var sums = Tile(at: products, fadedBy: faded)
        var row = UnsafeRawPointer(rows + ticks.first &* floatBytes)
        for _ in 0..<channelCount {
            var (now, weight, left) = (row, ticks.weight, ticks.count)
            while left > 0 {
                sums.add(now.load(as: Float.self) * weight, timesPastsAt: now + lag &* floatBytes)
                now += floatBytes &* ticks.spacing
                weight *= ticks.fade
                left &-= 1
            }
            row += capacity &* floatBytes
        }
        sums.store(at: products)
    }

    private mutating func moveUp() {
        for channel in 0...channelCount {
            Self.slide(&memory, base: channel * Self.capacity)
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
            let now = memory[channel * Self.capacity + position]
            let then = memory[channel * Self.capacity + position + lag]
            product += now * then
            energy += 0.5 * (now * now + then * then)
        }
        return (product, energy)
    }

    /// The newest values of the channels.
    @inline(__always)
    var newest: SIMD4<Float> {
        guard channelCount == 3 else { return SIMD4(memory[position], 0, 0, 0) }
        return SIMD4(memory[position], memory[Self.capacity + position], memory[2 * Self.capacity + position], 0)
    }

    /// Adds this signal's normalised similarity at each lag, times a weight, to `curve`; ``settle()`` first.
    func addSimilarity(weight: Float, to curve: inout LagCurve) {
        let newest = energy
        let (energies, products) = (energyBase + position, productBase)
        // A product is that of the older of the two ticks that it stands for.
        let factor = 2 * weight * (isSparse ? (1 + decay) / decay : 1)
        memory.withUnsafeBytes { memory in
            curve.addGroups(count: groupCount) { group in
                let past = memory.loadUnaligned(
                    fromByteOffset: (energies &+ group &* 8) &* Self.floatBytes, as: SIMD8<Float>.self)
                let product = memory.loadUnaligned(
                    fromByteOffset: (products &+ group &* 8) &* Self.floatBytes, as: SIMD8<Float>.self)
                return product * factor / (past + (newest + 1e-9))
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
            coder.code(floats: &memory, range: start..<(start + Self.kept))
        }
        coder.code(floats: &memory, range: productBase..<(productBase + Self.lagCount))
    }
}
