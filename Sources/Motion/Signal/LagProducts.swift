/// Recursive products of signals with themselves at every lag up to 3.2 s, with exponential forgetting: `R[k] ← λ·R[k]
/// + Σ_c x_c[n]·x_c[n−k]`. Summed over the axes it is the trace of the lag covariance, which does not depend on how the
/// sensor is mounted. Divided as in McLeod & Wyvill, "A smarter way to find pitch" (ICMC 2005), it gives a normalised
/// square difference function that is 1 at a perfect period.
///
/// Products are made for several ticks at once, when they are wanted: a sum then stays in registers for all of them. Of
/// a signal that ends at 5 Hz a product ends at 10 Hz, so that its mean is told by 12.5 values a second: where noise is
/// small, products are made at every other tick.
struct LagProducts {
    /// Lags 0…79 at 25 Hz: 0…3.16 s.
    static let lagCount = 80
    static let groupCount = lagCount / 8
    /// The most ticks whose products wait to be made.
    static let pendingLimit = Tick.mostAtOnce
    /// Less than this is nothing, in squares of levels or units.
    private static let forgottenProduct: Float = 1e-9
    /// The energy of ten ticks is told to this share of that of some seconds.
    private static let leastFreshShare: Float = 1e-4
    private static let kept = lagCount + pendingLimit
    /// The history slides down through this much slack before it is moved back up.
    private static let slack = 38
    static let capacity = kept + slack
    private static let floatBytes = MemoryLayout<Float>.size
    private static let groupBytes = MemoryLayout<SIMD8<Float>>.size

    /// A voice's energy and its channels.
    static let rowsPerVoice = 4

    private let rowCount: Int
    /// Rows of past values, newest first, then the products of each voice. One buffer, because a buffer must be asked
    /// whether it is shared before it is written to.
    private var memory: [Float]
    /// Where the newest value is in each row; older ones follow.
    private var position = Self.slack
    /// Ticks whose products are not made yet.
    private var pending = 0

    /// Memory for voices, in the order of their numbers: the last one alone may have fewer than three channels.
    init(_ voices: [AutocorrelationChannel]) {
        rowCount = voices.last?.rows.upperBound ?? 0
        memory = Array(repeating: 0, count: rowCount * Self.capacity + voices.count * Self.lagCount)
    }

    private func productBase(_ voice: AutocorrelationChannel) -> Int {
        rowCount &* Self.capacity &+ voice.number &* Self.lagCount
    }

    mutating func reset() {
        memory.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        position = Self.slack
        pending = 0
    }

    /// Forgets one voice.
    mutating func reset(_ voice: AutocorrelationChannel) {
        let products = productBase(voice)
        memory.withUnsafeMutableBufferPointer { memory in
            let rows = voice.rows
            memory[(rows.lowerBound * Self.capacity)..<(rows.upperBound * Self.capacity)].update(repeating: 0)
            memory[products..<(products + Self.lagCount)].update(repeating: 0)
        }
    }

    /// Begins so many ticks, up to ``pendingLimit``, and writes to each, the oldest first. What is not written to one
    /// is as it was long ago: a voice must be written to always, or be forgotten.
    @inline(__always)
    mutating func push(count: Int, _ write: (_ index: Int, _ tick: TickRows) -> Void) {
        guard 0 < count, count <= Self.pendingLimit else { return }
        if position < count { moveUp(before: count) }
        position &-= count
        pending = min(pending &+ count, Self.pendingLimit)
        let oldest = position &+ count &- 1
        memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress else { return }
            for index in 0..<count { write(index, TickRows(newest: start + (oldest &- index))) }
        }
    }

    /// The place of a tick in every row.
    struct TickRows {
        fileprivate let newest: UnsafeMutablePointer<Float>

        /// Writes a voice's three channels, and the forgetting sum of their squares.
        @inline(__always)
        func write(voice: Int, _ values: SIMD4<Float>, energy: Float) {
            let rows = newest + voice &* LagProducts.rowsPerVoice &* LagProducts.capacity
            rows[0] = energy
            rows[LagProducts.capacity] = values.x
            rows[2 &* LagProducts.capacity] = values.y
            rows[3 &* LagProducts.capacity] = values.z
        }

        /// Writes a voice's only channel, and the forgetting sum of its squares.
        @inline(__always)
        func write(voice: Int, _ value: Float, energy: Float) {
            let rows = newest + voice &* LagProducts.rowsPerVoice &* LagProducts.capacity
            rows[0] = energy
            rows[LagProducts.capacity] = value
        }
    }

    /// The forgetting sum of squares: `R[0]`.
    func energy(_ voice: AutocorrelationChannel) -> Float { memory[energyPlace(voice)] }

    /// Makes a voice's products of the ticks that wait; ``endWait()`` when all have theirs. Those of a fresh voice may
    /// be made at every other tick at any time, and are of the same size then.
    mutating func settle(_ voice: AutocorrelationChannel, isSparse: Bool = false) {
        guard pending > 0 else { return }
        let isSparse = isSparse || voice.isSparse
        let (newest, count) = isSparse ? ((pending + 1) % 2, (pending + 1) / 2) : (0, pending)
        let ticks = Ticks(
            first: position + newest, count: count, spacing: isSparse ? 2 : 1,
            weight: voice.isFresh ? Float(pending) / Float(count) : newest == 1 ? voice.decay : 1,
            fade: voice.isFresh ? 1 : isSparse ? voice.decay * voice.decay : voice.decay)
        makeProducts(ticks, voice, faded: voice.fade(after: pending))
    }

    /// Forgets as ``settle(_:)`` does, and makes no products of the ticks that wait: what they hold is of no interest.
    mutating func pass(_ voice: AutocorrelationChannel) {
        let (faded, products) = (voice.fade(after: pending), productBase(voice))
        memory.withUnsafeMutableBytes { memory in
            guard let products = memory.baseAddress.map({ $0 + products &* Self.floatBytes }) else { return }
            guard products.load(as: Float.self) > 0 else { return }
            // Numbers too small to be normal would make the work slow; none is larger than the one at lag 0.
            let isForgotten = products.load(as: Float.self) <= Self.forgottenProduct
            let factor = isForgotten ? 0 : faded
            for group in 0..<voice.groupCount {
                let products = products + group &* Self.groupBytes
                products.storeBytes(of: products.loadUnaligned(as: SIMD8<Float>.self) * factor, as: SIMD8<Float>.self)
            }
        }
    }

    /// No ticks wait any longer.
    mutating func endWait() {
        pending = 0
    }

    /// Values whose products with their pasts are to be made: the newest one's place, and what each weighs.
    private struct Ticks {
        let first: Int
        let count: Int
        let spacing: Int
        let weight: Float
        let fade: Float
    }

    private mutating func makeProducts(_ ticks: Ticks, _ voice: AutocorrelationChannel, faded: Float) {
        let (lagCount, products) = (voice.groupCount * 8, productBase(voice))
        memory.withUnsafeMutableBytes { memory in
            guard let rows = memory.baseAddress else { return }
            // Values are weighed before and laid out four times each, because all tiles want them so.
            withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: Self.rowsPerVoice * Self.pendingLimit) {
                factors in
                guard let factors = factors.baseAddress else { return }
                Self.weigh(ticks, voice, in: rows, into: factors)
                var lag = 0
                if lagCount.isMultiple(of: BroadLagTile.lagCount) {
                    while lag < lagCount {
                        Self.addProducts(ticks, factors, voice, BroadLagTile.self, from: lag, in: rows, products, faded)
                        lag &+= BroadLagTile.lagCount
                    }
                } else {
                    while lag < lagCount {
                        Self.addProducts(ticks, factors, voice, WideLagTile.self, from: lag, in: rows, products, faded)
                        lag &+= WideLagTile.lagCount
                    }
                }
            }
        }
    }

    /// Writes what each value is times what it weighs, the newest first, one channel after the other.
    @inline(__always)
    private static func weigh(
        _ ticks: Ticks, _ voice: AutocorrelationChannel, in rows: UnsafeMutableRawPointer,
        into factors: UnsafeMutablePointer<SIMD4<Float>>
    ) {
        var row = UnsafeRawPointer(rows + (voice.firstRow &* capacity &+ ticks.first) &* floatBytes)
        for channel in 0..<voice.channelCount {
            var (index, weight) = (0, ticks.weight)
            while index < ticks.count {
                let value = row.load(fromByteOffset: index &* ticks.spacing &* floatBytes, as: Float.self)
                factors[channel &* ticks.count &+ index] = SIMD4(repeating: value * weight)
                weight *= ticks.fade
                index &+= 1
            }
            row += capacity &* floatBytes
        }
    }

    /// Adds the products of some lags.
    @inline(__always)
    private static func addProducts<Tile: LagTile>(
        _ ticks: Ticks, _ factors: UnsafeMutablePointer<SIMD4<Float>>, _ voice: AutocorrelationChannel,
        _ tile: Tile.Type,
        from lag: Int,
        in rows: UnsafeMutableRawPointer, _ productBase: Int, _ faded: Float
    ) {
        let products = rows + (productBase &+ lag) &* floatBytes
        var sums = Tile(at: products, fadedBy: faded)
        var row = UnsafeRawPointer(rows + (voice.firstRow &* capacity &+ ticks.first &+ lag) &* floatBytes)
        var factor = UnsafePointer(factors)
        for _ in 0..<voice.channelCount {
            var (pasts, left) = (row, ticks.count)
            while left > 1 {
                sums.add(factor[0], timesPastsAt: pasts)
                sums.add(factor[1], timesPastsAt: pasts + floatBytes &* ticks.spacing)
                pasts += 2 &* floatBytes &* ticks.spacing
                factor += 2
                left &-= 2
            }
            if left > 0 {
                sums.add(factor[0], timesPastsAt: pasts)
                factor += 1
            }
            row += capacity &* floatBytes
        }
        sums.store(at: products)
    }

    /// Moves the values of every row that will still be kept when so many ticks have come up by the slack; the ranges
    /// overlap.
    @inline(never)
    private mutating func moveUp(before count: Int) {
        let (rowCount, position) = (rowCount, position)
        memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress else { return }
            for row in 0..<rowCount {
                let kept = start + (row &* Self.capacity &+ position)
                (kept + Self.slack).update(from: kept, count: Self.kept &- count)
            }
        }
        self.position = position &+ Self.slack
    }

    @inline(__always)
    private static func values(_ memory: UnsafeBufferPointer<Float>, at index: Int) -> SIMD4<Float> {
        SIMD4(memory[index], memory[index &+ capacity], memory[index &+ 2 &* capacity], 0)
    }

    /// Reads the values of a voice (of three channels) from so many ticks ago on, the oldest first, and in the high
    /// half those of another one, times a scale.
    func read(
        _ voice: AutocorrelationChannel, _ second: AutocorrelationChannel?, secondScale: Float, oldestAge: Int,
        into values: UnsafeMutableBufferPointer<EightFloats>
    ) {
        let oldest = position &+ min(max(oldestAge, values.count), Self.kept - 1)
        let first = voice.firstRow &* Self.capacity &+ oldest
        let other = second.map { $0.firstRow &* Self.capacity &+ oldest }
        memory.withUnsafeBufferPointer { memory in
            for index in 0..<values.count {
                let high = other.map { Self.values(memory, at: $0 &- index) * secondScale } ?? .zero
                values.initializeElement(
                    at: index, to: EightFloats(SIMD8(lowHalf: Self.values(memory, at: first &- index), highHalf: high)))
            }
        }
    }

    /// Along how many axes a voice (of three channels) moved in what is remembered, 1…3, however it is turned: the
    /// participation ratio `(tr C)² / tr C²` of the covariance of its channels; 1 where nothing moved.
    func axisCount(_ voice: AutocorrelationChannel) -> Float {
        let first = voice.firstRow * Self.capacity + position
        let sums = memory.withUnsafeBufferPointer { memory in
            memory.baseAddress.map { Covariances($0 + first) } ?? Covariances()
        }
        let own = SIMD3(sums.xx.sum(), sums.yy.sum(), sums.zz.sum())
        let shared = SIMD3(sums.xy.sum(), sums.yz.sum(), sums.zx.sum())
        let squareSum = (own * own).sum() + 2 * (shared * shared).sum()
        return squareSum > 0 ? own.sum() * own.sum() / squareSum : 1
    }

    /// The products of three channels with each other, summed over all lags but for the last four lanes.
    private struct Covariances {
        var (xx, yy, zz) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        var (xy, yz, zx) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)

        init() {}

        /// Not inlined, because lanes that are summed afterwards would be summed one by one here.
        @inline(never)
        init(_ x: UnsafePointer<Float>) {
            let (y, z) = (x + LagProducts.capacity, x + 2 &* LagProducts.capacity)
            var age = 0
            while age < LagProducts.lagCount {
                let (a, b, c) = (x.four(at: age), y.four(at: age), z.four(at: age))
                xx += a * a
                yy += b * b
                zz += c * c
                xy += a * b
                yz += b * c
                zx += c * a
                age &+= 4
            }
        }
    }

    /// The same as ``addSimilarity(_:weight:to:)`` of the last ``pendingLimit`` ticks alone, for a fresh voice.
    func addFreshSimilarity(_ voice: AutocorrelationChannel, weight: Float, to curve: inout LagCurve) {
        let (faded, energies, products) = (voice.limitFade, energyPlace(voice), productBase(voice))
        withValues(of: &curve) { memory, curve in
            let (late, early, products) = (memory + energies, memory + energies + Self.pendingLimit, memory + products)
            // What is next to nothing beside the last seconds is like nothing.
            let least = Self.leastFreshShare * late[0] + 1e-9
            let fresh = max(late[0] - faded * early[0], 0) + least
            var lag = 0
            while lag < 8 &* voice.groupCount {
                let past = (late.eight(at: lag) - early.eight(at: lag) * faded).raised(to: .zero)
                let similarity = products.eight(at: lag) * (2 * weight) / (past + fresh)
                curve.set(curve.eight(at: lag) + similarity, at: lag)
                lag &+= 8
            }
        }
    }

    /// Adds a voice's normalised similarity at each lag, times a weight, to `curve`; ``settle(_:)`` it first.
    func addSimilarity(_ voice: AutocorrelationChannel, weight: Float, to curve: inout LagCurve) {
        let (energies, products) = (energyPlace(voice), productBase(voice))
        // A product is that of the older of the two ticks that it stands for.
        let factor = 2 * weight * (voice.isSparse ? (1 + voice.decay) / voice.decay : 1)
        withValues(of: &curve) { memory, curve in
            let (energies, products) = (memory + energies, memory + products)
            // None is larger than the one at lag 0.
            guard products[0] > 0 else { return }
            let newest = energies[0] + 1e-9
            var lag = 0
            while lag < 8 &* voice.groupCount {
                let similarity = products.eight(at: lag) * factor / (energies.eight(at: lag) + newest)
                curve.set(curve.eight(at: lag) + similarity, at: lag)
                lag &+= 8
            }
        }
    }

    private func energyPlace(_ voice: AutocorrelationChannel) -> Int { voice.energyRow &* Self.capacity &+ position }

    /// Lends the memory and a curve's values.
    @inline(__always)
    private func withValues(
        of curve: inout LagCurve, _ body: (_ memory: UnsafePointer<Float>, _ curve: UnsafeMutablePointer<Float>) -> Void
    ) {
        memory.withUnsafeBufferPointer { memory in
            curve.withMutableValues { curve in
                if let memory = memory.baseAddress, let curve = curve.baseAddress { body(memory, curve) }
            }
        }
    }

    mutating func transfer(_ coder: inout some StateCoder, _ voices: [AutocorrelationChannel]) {
        var newest = position
        coder.code(&newest, in: 0...Self.slack)
        position = newest
        coder.code(&pending, in: 0...Self.pendingLimit)
        for voice in voices {
            for row in voice.firstRow..<voice.rows.upperBound {
                let start = row * Self.capacity + position
                coder.code(floats: &memory, range: start..<(start + Self.kept))
            }
            let oldest = voice.energyRow * Self.capacity + position + Self.kept - 1
            coder.code(floats: &memory, range: oldest..<(oldest + 1))
            remakeEnergies(voice)
        }
        for voice in voices where !voice.isFresh {
            coder.code(floats: &memory, range: productBase(voice)..<(productBase(voice) + Self.lagCount))
        }
    }

    /// Makes a voice's energies from the oldest and the values since then, as they were made before.
    private mutating func remakeEnergies(_ voice: AutocorrelationChannel) {
        let energies = voice.energyRow * Self.capacity + position
        for age in (0..<(Self.kept - 1)).reversed() {
            var square: Float = 0
            for channel in 1...voice.channelCount {
                let value = memory[energies + channel * Self.capacity + age]
                square += value * value
            }
            memory[energies + age] = memory[energies + age + 1] * voice.decay + square
        }
    }
}
