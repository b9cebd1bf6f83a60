/// The autocorrelation of a bike's signals: `R[k] = Σ_c x_c[n]·x_c[n−k]` over the ticks since the last evaluation, at
/// lags up to 3.2 s. The sum over the axes is the trace of the lag covariance, so the mounting of the sensor does not
/// matter. Normalised as in McLeod & Wyvill, "A smarter way to find pitch" (ICMC 2005), it is 1 at a perfect period.
///
/// Products are computed for several ticks at once, so that sums stay in registers. The signal ends at 5 Hz and a
/// product at 10 Hz, whose mean needs only 12.5 values a second: where there is little noise, every other tick is
/// enough.
struct LagProducts {
    /// Lags 0…79 at 25 Hz: 0…3.16 s.
    static let lagCount = 80
    /// The most ticks that may be pending.
    static let pendingLimit = Tick.mostAtOnce
    /// The least energy of ten ticks, as a share of that of the last seconds.
    private static let leastFreshShare: Float = 1e-4
    private static let kept = lagCount + pendingLimit
    /// Places through which the history slides down before it is moved back up.
    private static let slack = 38
    static let capacity = kept + slack
    private static let floatBytes = MemoryLayout<Float>.size
    private static let channelCount = AutocorrelationChannel.all.count
    private static let rowCount = channelCount * AutocorrelationChannel.rowCount

    /// Rows of past values, the newest first, then the products of each channel. One buffer, so that uniqueness is
    /// checked once a write.
    private var memory = [Float](repeating: 0, count: rowCount * capacity + channelCount * lagCount)
    /// The place of the newest value in each row; older ones follow.
    private var position = Self.slack
    /// Ticks without products yet.
    private var pending = 0

    private func productBase(_ channel: AutocorrelationChannel) -> Int {
        Self.rowCount &* Self.capacity &+ channel.number &* Self.lagCount
    }

    mutating func reset() {
        memory.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
        position = Self.slack
        pending = 0
    }

    /// Forgets one channel.
    mutating func reset(_ channel: AutocorrelationChannel) {
        let products = productBase(channel)
        memory.withUnsafeMutableBufferPointer { memory in
            let rows = channel.rows
            memory[(rows.lowerBound * Self.capacity)..<(rows.upperBound * Self.capacity)].update(repeating: 0)
            memory[products..<(products + Self.lagCount)].update(repeating: 0)
        }
    }

    /// Appends up to ``pendingLimit`` ticks, and lets `write` fill each, the oldest first. Rows that it does not write
    /// keep stale values: a channel is written at every tick, or reset.
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

        /// Writes a channel's three axes, and the decaying sum of their squares.
        @inline(__always)
        func write(_ channel: AutocorrelationChannel, _ values: SIMD4<Float>, energy: Float) {
            let rows = newest + channel.energyRow &* LagProducts.capacity
            rows[0] = energy
            rows[LagProducts.capacity] = values.x
            rows[2 &* LagProducts.capacity] = values.y
            rows[3 &* LagProducts.capacity] = values.z
        }
    }

    /// The decaying sum of squares.
    func energy(_ channel: AutocorrelationChannel) -> Float { memory[energyPlace(channel)] }

    /// Computes a channel's products for the pending ticks; ``endWait()`` follows once all channels have theirs.
    /// - Parameter isSparse: Whether every other tick is enough; the sums are scaled.
    mutating func settle(_ channel: AutocorrelationChannel, isSparse: Bool) {
        guard pending > 0 else { return }
        let (newest, count) = isSparse ? ((pending + 1) % 2, (pending + 1) / 2) : (0, pending)
        let ticks = Ticks(
            first: position + newest, count: count, spacing: isSparse ? 2 : 1, weight: Float(pending) / Float(count))
        makeProducts(ticks, channel)
    }

    /// Sets a channel's products to 0, because its signal is noise.
    mutating func pass(_ channel: AutocorrelationChannel) {
        let products = productBase(channel)
        memory.withUnsafeMutableBufferPointer { memory in
            guard memory[products] > 0 else { return }
            memory[products..<(products + Self.lagCount)].update(repeating: 0)
        }
    }

    /// Ends the pending ticks.
    mutating func endWait() {
        pending = 0
    }

    /// Ticks to multiply: the place of the newest, their number and spacing, and the weight of each.
    private struct Ticks {
        let first: Int
        let count: Int
        let spacing: Int
        let weight: Float
    }

    private mutating func makeProducts(_ ticks: Ticks, _ channel: AutocorrelationChannel) {
        let products = productBase(channel)
        memory.withUnsafeMutableBytes { memory in
            guard let rows = memory.baseAddress else { return }
            // Values are weighted and repeated four times beforehand, because both tiles read them so.
            withUnsafeTemporaryAllocation(
                of: SIMD4<Float>.self, capacity: AutocorrelationChannel.axisCount * Self.pendingLimit
            ) { factors in
                guard let factors = factors.baseAddress else { return }
                Self.weigh(ticks, channel, in: rows, into: factors)
                var lag = 0
                while lag < Self.lagCount {
                    Self.makeProducts(ticks, factors, channel, from: lag, in: rows, products)
                    lag &+= LagTile.lagCount
                }
            }
        }
    }

    /// Writes the weighted values, the newest first, axis after axis.
    @inline(__always)
    private static func weigh(
        _ ticks: Ticks, _ channel: AutocorrelationChannel, in rows: UnsafeMutableRawPointer,
        into factors: UnsafeMutablePointer<SIMD4<Float>>
    ) {
        var row = UnsafeRawPointer(rows + (channel.firstRow &* capacity &+ ticks.first) &* floatBytes)
        for axis in 0..<AutocorrelationChannel.axisCount {
            for index in 0..<ticks.count {
                let value = row.load(fromByteOffset: index &* ticks.spacing &* floatBytes, as: Float.self)
                factors[axis &* ticks.count &+ index] = SIMD4(repeating: value * ticks.weight)
            }
            row += capacity &* floatBytes
        }
    }

    /// Computes the products of one tile of lags.
    @inline(__always)
    private static func makeProducts(
        _ ticks: Ticks, _ factors: UnsafeMutablePointer<SIMD4<Float>>, _ channel: AutocorrelationChannel,
        from lag: Int, in rows: UnsafeMutableRawPointer, _ productBase: Int
    ) {
        var sums = LagTile()
        var row = UnsafeRawPointer(rows + (channel.firstRow &* capacity &+ ticks.first &+ lag) &* floatBytes)
        var factor = UnsafePointer(factors)
        for _ in 0..<AutocorrelationChannel.axisCount {
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
        sums.store(at: rows + (productBase &+ lag) &* floatBytes)
    }

    /// Moves the kept values of every row up by the slack, before `count` ticks are appended; the ranges overlap.
    @inline(never)
    private mutating func moveUp(before count: Int) {
        let position = position
        memory.withUnsafeMutableBufferPointer { memory in
            guard let start = memory.baseAddress else { return }
            for row in 0..<Self.rowCount {
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

    /// Reads the values of a channel from an age in ticks on, the oldest first, with those of a second channel, scaled,
    /// in the high half.
    func read(
        _ channel: AutocorrelationChannel, _ second: AutocorrelationChannel?, secondScale: Float, oldestAge: Int,
        into values: UnsafeMutableBufferPointer<EightFloats>
    ) {
        let oldest = position &+ min(max(oldestAge, values.count), Self.kept - 1)
        let first = channel.firstRow &* Self.capacity &+ oldest
        let other = second.map { $0.firstRow &* Self.capacity &+ oldest }
        memory.withUnsafeBufferPointer { memory in
            for index in 0..<values.count {
                let high = other.map { Self.values(memory, at: $0 &- index) * secondScale } ?? .zero
                values.initializeElement(
                    at: index, to: EightFloats(SIMD8(lowHalf: Self.values(memory, at: first &- index), highHalf: high)))
            }
        }
    }

    /// The effective number of axes along which a channel moved, 1…3: the participation ratio `(tr C)² / tr C²` of the
    /// covariance C of its axes, which does not depend on the mounting; 1 without movement.
    func axisCount(_ channel: AutocorrelationChannel) -> Float {
        let first = channel.firstRow * Self.capacity + position
        let sums = memory.withUnsafeBufferPointer { memory in
            memory.baseAddress.map { Covariances($0 + first) } ?? Covariances()
        }
        let own = SIMD3(sums.xx.sum(), sums.yy.sum(), sums.zz.sum())
        let shared = SIMD3(sums.xy.sum(), sums.yz.sum(), sums.zx.sum())
        let squareSum = (own * own).sum() + 2 * (shared * shared).sum()
        return squareSum > 0 ? own.sum() * own.sum() / squareSum : 1
    }

    /// The covariances of three axes, as four partial sums each.
    private struct Covariances {
        var (xx, yy, zz) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        var (xy, yz, zx) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)

        init() {}

        /// Not inlined: the compiler would otherwise sum lane by lane.
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

    /// Adds the normalised autocorrelation of a channel, times a weight, to `curve`. ``settle(_:isSparse:)`` comes
    /// first.
    func addSimilarity(_ channel: AutocorrelationChannel, weight: Float, to curve: inout LagCurve) {
        let faded = AutocorrelationChannel.limitFade
        let (energies, products) = (energyPlace(channel), productBase(channel))
        withValues(of: &curve) { memory, curve in
            let (late, products) = (memory + energies, memory + products)
            let early = late + Self.pendingLimit
            // A floor for the energy: far less than that of the last seconds is no signal.
            let least = Self.leastFreshShare * late[0] + 1e-9
            let fresh = max(late[0] - faded * early[0], 0) + least
            var lag = 0
            while lag < Self.lagCount {
                let past = (late.eight(at: lag) - early.eight(at: lag) * faded).raised(to: .zero)
                let similarity = products.eight(at: lag) * (2 * weight) / (past + fresh)
                curve.set(curve.eight(at: lag) + similarity, at: lag)
                lag &+= 8
            }
        }
    }

    private func energyPlace(_ channel: AutocorrelationChannel) -> Int {
        channel.energyRow &* Self.capacity &+ position
    }

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

    /// Copies the kept values of the axes into a state or out of it, and the energies that cannot be computed from them.
    mutating func copyRows(_ state: inout StateCopy) {
        guard state.isSound else { return }
        for channel in AutocorrelationChannel.all {
            for row in channel.firstRow..<channel.rows.upperBound {
                let start = row * Self.capacity + position
                state.elements(&memory, start..<(start + Self.kept))
            }
            let oldest = channel.energyRow * Self.capacity + position + Self.kept - 1
            state.elements(&memory, oldest..<(oldest + 1))
            if state.isReading { remakeEnergies(channel) }
        }
    }

    /// Whether restored places lie in the memory.
    var isSound: Bool { position <= Self.slack && pending <= Self.pendingLimit }

    /// Computes a channel's energies again, from the oldest one and the values since then, bit for bit.
    private mutating func remakeEnergies(_ channel: AutocorrelationChannel) {
        let energies = channel.energyRow * Self.capacity + position
        for age in (0..<(Self.kept - 1)).reversed() {
            var square: Float = 0
            for axis in 1...AutocorrelationChannel.axisCount {
                let value = memory[energies + axis * Self.capacity + age]
                square += value * value
            }
            memory[energies + age] = memory[energies + age + 1] * AutocorrelationChannel.decay + square
        }
    }
}

/// Sums at forty neighbouring lags, in registers.
///
/// Forty is what the sixteen vector registers of x86-64 hold beside the operands (System V ABI, AMD64 supplement, 3.2).
/// Swift 6.3 works on `SIMD16` and `SIMD32` lane by lane.
struct LagTile {
    static let lagCount = 40

    private static let bytes = MemoryLayout<SIMD8<Float>>.size
    private var (a, b, c, d, e): (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) =
        (.zero, .zero, .zero, .zero, .zero)

    /// Adds the past values at an address, times a value that is repeated four times.
    @inline(__always)
    mutating func add(_ value: SIMD4<Float>, timesPastsAt address: UnsafeRawPointer) {
        let value = SIMD8(lowHalf: value, highHalf: value)
        a += address.loadUnaligned(as: SIMD8<Float>.self) * value
        b += (address + Self.bytes).loadUnaligned(as: SIMD8<Float>.self) * value
        c += (address + 2 * Self.bytes).loadUnaligned(as: SIMD8<Float>.self) * value
        d += (address + 3 * Self.bytes).loadUnaligned(as: SIMD8<Float>.self) * value
        e += (address + 4 * Self.bytes).loadUnaligned(as: SIMD8<Float>.self) * value
    }

    @inline(__always)
    func store(at address: UnsafeMutableRawPointer) {
        address.storeBytes(of: a, as: SIMD8<Float>.self)
        (address + Self.bytes).storeBytes(of: b, as: SIMD8<Float>.self)
        (address + 2 * Self.bytes).storeBytes(of: c, as: SIMD8<Float>.self)
        (address + 3 * Self.bytes).storeBytes(of: d, as: SIMD8<Float>.self)
        (address + 4 * Self.bytes).storeBytes(of: e, as: SIMD8<Float>.self)
    }
}

/// A sensor in ``LagProducts``: its rows, and the decay of its energy.
struct AutocorrelationChannel: Sendable {
    /// The decay of an energy in a tick, exp(−0.04 s / 4 s), and in ``LagProducts/pendingLimit`` ticks.
    static let decay: Float = 0.990_050
    static let limitFade = (0..<LagProducts.pendingLimit).reduce(Float(1)) { fade, _ in fade * decay }
    static let axisCount = 3
    /// A row of energies, and one of each axis.
    static let rowCount = 1 + axisCount

    static let acceleration = Self(number: 0)
    static let turning = Self(number: 1)
    static let field = Self(number: 2)
    static let all = [acceleration, turning, field]

    /// The index of the channel.
    let number: Int

    /// The row of its energies; those of its axes follow.
    var energyRow: Int { number &* Self.rowCount }
    var firstRow: Int { energyRow &+ 1 }
    var rows: Range<Int> { energyRow..<(firstRow + Self.axisCount) }
}
