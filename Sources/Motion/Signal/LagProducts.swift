/// Recursive products of signals with themselves at every lag up to 3.2 s, with exponential forgetting:
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
    /// The energy of ten ticks is told to this share of that of some seconds.
    private static let leastFreshShare: Float = 1e-4
    private static let kept = lagCount + pendingLimit
    /// The history slides down through this much slack before it is moved back up.
    private static let slack = 38
    static let capacity = kept + slack
    private static let floatBytes = MemoryLayout<Float>.size
    private static let groupBytes = MemoryLayout<SIMD8<Float>>.size
    private static let rowBytes = capacity * floatBytes

    /// A voice's energy and its channels.
    static let rowsPerVoice = 4

    private let rowCount: Int
    /// Rows of past values, newest first, then the products of each voice. One buffer, because a buffer must be asked whether
    /// it is shared before it is written to.
    private var memory: [Float]
    /// Where the newest value is in each row; older ones follow.
    private var position = Self.slack
    /// Ticks whose products are not made yet.
    private var pending = 0

    /// Memory for voices, in the order of their numbers: the last one alone may have fewer than three channels.
    init(_ voices: [LagVoice]) {
        rowCount = voices.last?.rows.upperBound ?? 0
        memory = Array(repeating: 0, count: rowCount * Self.capacity + voices.count * Self.lagCount)
    }

    private func productBase(_ voice: LagVoice) -> Int {
        rowCount &* Self.capacity &+ voice.number &* Self.lagCount
    }

    mutating func reset() {
        memory.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        position = Self.slack
        pending = 0
    }

    /// Forgets one voice.
    mutating func reset(_ voice: LagVoice) {
        let products = productBase(voice)
        memory.withUnsafeMutableBufferPointer { memory in
            let rows = voice.rows
            memory[(rows.lowerBound * Self.capacity)..<(rows.upperBound * Self.capacity)].update(repeating: 0)
            memory[products..<(products + Self.lagCount)].update(repeating: 0)
        }
    }

    /// Begins so many ticks and writes to each, the oldest first. What is not written to one is as it was long ago: a voice
    /// must be written to always, or be forgotten.
    @inline(__always)
    mutating func push(count: Int, _ write: (_ index: Int, _ tick: TickRows) -> Void) {
        var index = 0
        while index < count {
            if position == 0 { moveUp() }
            let run = min(count &- index, position)
            position &-= run
            pending = min(pending &+ run, Self.pendingLimit)
            let oldest = position &+ run &- 1
            memory.withUnsafeMutableBufferPointer { memory in
                guard let start = memory.baseAddress else { return }
                for step in 0..<run { write(index &+ step, TickRows(newest: start + (oldest &- step))) }
            }
            index &+= run
        }
    }

    /// The place of a tick in every row.
    struct TickRows {
        fileprivate let newest: UnsafeMutablePointer<Float>

        /// Writes a voice's three channels, and its energy from the sum of their squares.
        @inline(__always)
        func write(voice: Int, _ values: SIMD4<Float>, square: Float, decay: Float) {
            let rows = newest + voice &* LagProducts.rowsPerVoice &* LagProducts.capacity
            rows[0] = rows[1] * decay + square
            rows[LagProducts.capacity] = values.x
            rows[2 &* LagProducts.capacity] = values.y
            rows[3 &* LagProducts.capacity] = values.z
        }

        /// Writes a voice's only channel, and its energy.
        @inline(__always)
        func write(voice: Int, _ value: Float, decay: Float) {
            let rows = newest + voice &* LagProducts.rowsPerVoice &* LagProducts.capacity
            rows[0] = rows[1] * decay + value * value
            rows[LagProducts.capacity] = value
        }
    }

    /// The forgetting sum of squares: `R[0]`.
    func energy(_ voice: LagVoice) -> Float { memory[voice.energyRow * Self.capacity + position] }

    /// Makes a voice's products of the ticks that wait; ``endWait()`` when all have theirs.
    mutating func settle(_ voice: LagVoice) {
        guard pending > 0 else { return }
        let isSparse = voice.isSparse
        let newest = isSparse ? (pending + 1) % 2 : 0
        let ticks = Ticks(
            first: position + newest, count: isSparse ? (pending + 1) / 2 : pending, spacing: isSparse ? 2 : 1,
            weight: newest == 1 ? voice.decay : 1,
            fade: voice.isFresh ? 1 : isSparse ? voice.decay * voice.decay : voice.decay)
        makeProducts(ticks, voice, faded: voice.fade(after: pending))
    }

    /// Forgets as ``settle(_:)`` does, and makes no products of the ticks that wait: what they hold is of no interest.
    mutating func pass(_ voice: LagVoice) {
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

    private mutating func makeProducts(_ ticks: Ticks, _ voice: LagVoice, faded: Float) {
        let (lagCount, products) = (voice.groupCount * 8, productBase(voice))
        memory.withUnsafeMutableBytes { memory in
            guard let rows = memory.baseAddress else { return }
            var lag = 0
            while lag &+ WideLagTile.lagCount <= lagCount {
                Self.addProducts(ticks, voice, WideLagTile.self, from: lag, in: rows, products, faded)
                lag &+= WideLagTile.lagCount
            }
            if lag < lagCount {
                Self.addProducts(ticks, voice, NarrowLagTile.self, from: lag, in: rows, products, faded)
            }
        }
    }

    /// Adds the products of some lags.
    @inline(__always)
    private static func addProducts<Tile: LagTile>(
        _ ticks: Ticks, _ voice: LagVoice, _ tile: Tile.Type, from lag: Int, in rows: UnsafeMutableRawPointer,
        _ productBase: Int, _ faded: Float
    ) {
        let products = rows + (productBase &+ lag) &* floatBytes
        var sums = Tile(at: products, fadedBy: faded)
        var row = UnsafeRawPointer(rows + (voice.firstRow &* capacity &+ ticks.first) &* floatBytes)
        for _ in 0..<voice.channelCount {
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

    /// Moves the kept values of every row up by the slack; the ranges overlap.
    @inline(never)
    private mutating func moveUp() {
        let rowCount = rowCount
        memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress else { return }
            for row in 0..<rowCount {
                let kept = start + row * Self.capacity
                (kept + Self.slack).update(from: kept, count: Self.kept)
            }
        }
        position = Self.slack
    }

    @inline(__always)
    private static func values(_ memory: UnsafeBufferPointer<Float>, at index: Int) -> SIMD4<Float> {
        SIMD4(memory[index], memory[index &+ capacity], memory[index &+ 2 &* capacity], 0)
    }

    /// The values of a voice (of three channels) so many ticks ago.
    func values(_ voice: LagVoice, age: Int) -> SIMD4<Float> {
        memory.withUnsafeBufferPointer { memory in
            Self.values(memory, at: voice.firstRow &* Self.capacity &+ position &+ min(max(age, 0), Self.kept - 1))
        }
    }

    /// Along how many axes a voice (of three channels) moved in what is remembered, 1…3, however it is turned: the
    /// participation ratio `(tr C)² / tr C²` of the covariance of its channels; 1 where nothing moved.
    func axisCount(_ voice: LagVoice) -> Float {
        let first = voice.firstRow * Self.capacity + position
        var (own, shared) = (SIMD3<Float>.zero, SIMD3<Float>.zero)
        memory.withUnsafeBytes { memory in
            for group in 0..<Self.groupCount {
                let offset = first &* Self.floatBytes &+ group &* Self.groupBytes
                let x = memory.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                let y = memory.loadUnaligned(fromByteOffset: offset &+ Self.rowBytes, as: SIMD8<Float>.self)
                let z = memory.loadUnaligned(fromByteOffset: offset &+ 2 &* Self.rowBytes, as: SIMD8<Float>.self)
                own += SIMD3((x * x).sum(), (y * y).sum(), (z * z).sum())
                shared += SIMD3((x * y).sum(), (y * z).sum(), (z * x).sum())
            }
        }
        let squareSum = (own * own).sum() + 2 * (shared * shared).sum()
        return squareSum > 0 ? own.sum() * own.sum() / squareSum : 1
    }

    /// The same as ``addSimilarity(_:weight:to:)`` of the last ``pendingLimit`` ticks alone, for a fresh voice.
    func addFreshSimilarity(_ voice: LagVoice, weight: Float, to curve: inout LagCurve) {
        let faded = voice.limitFade
        let energies = (voice.energyRow * Self.capacity + position) * Self.floatBytes
        let products = productBase(voice) * Self.floatBytes
        let waited = Self.pendingLimit * Self.floatBytes
        memory.withUnsafeBytes { memory in
            let before = memory.loadUnaligned(fromByteOffset: energies + waited, as: Float.self)
            let newest = memory.loadUnaligned(fromByteOffset: energies, as: Float.self)
            // What is next to nothing beside the last seconds is like nothing.
            let least = Self.leastFreshShare * newest + 1e-9
            let fresh = SIMD8<Float>(repeating: max(newest - faded * before, 0) + least)
            curve.addGroups(count: voice.groupCount) { group in
                let offset = energies &+ group &* Self.groupBytes
                let late = memory.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                let early = memory.loadUnaligned(fromByteOffset: offset &+ waited, as: SIMD8<Float>.self)
                let past = pointwiseMax(late - early * faded, SIMD8<Float>.zero)
                let product = memory.loadUnaligned(
                    fromByteOffset: products &+ group &* Self.groupBytes, as: SIMD8<Float>.self)
                return product * (2 * weight) / (past + fresh)
            }
        }
    }

    /// Adds a voice's normalised similarity at each lag, times a weight, to `curve`; ``settle(_:)`` it first.
    func addSimilarity(_ voice: LagVoice, weight: Float, to curve: inout LagCurve) {
        let newest = energy(voice)
        let energies = (voice.energyRow * Self.capacity + position) * Self.floatBytes
        let products = productBase(voice) * Self.floatBytes
        // A product is that of the older of the two ticks that it stands for.
        let factor = 2 * weight * (voice.isSparse ? (1 + voice.decay) / voice.decay : 1)
        memory.withUnsafeBytes { memory in
            // None is larger than the one at lag 0.
            guard memory.load(fromByteOffset: products, as: Float.self) > 0 else { return }
            curve.addGroups(count: voice.groupCount) { group in
                let offset = group &* Self.groupBytes
                let past = memory.loadUnaligned(fromByteOffset: energies &+ offset, as: SIMD8<Float>.self)
                let product = memory.loadUnaligned(fromByteOffset: products &+ offset, as: SIMD8<Float>.self)
                return product * factor / (past + (newest + 1e-9))
            }
        }
    }

    mutating func transfer(_ coder: inout some StateCoder, _ voices: [LagVoice]) {
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
    private mutating func remakeEnergies(_ voice: LagVoice) {
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
