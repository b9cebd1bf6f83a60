/// Sums at neighbouring lags that stay in registers while products are added to them.
///
/// As many as the sixteen vector registers of x86-64 hold beside a factor and a past (System V ABI, AMD64 supplement,
/// 3.2). `SIMD16` and `SIMD32` would say it shorter, but Swift 6.3 works on those lane by lane.
protocol LagTile {
    static var lagCount: Int { get }

    /// The sums that lie at an address, faded.
    init(at address: UnsafeRawPointer, fadedBy factor: Float)
    /// Adds the pasts that lie at an address, each times the value, given four times.
    mutating func add(_ value: SIMD4<Float>, timesPastsAt address: UnsafeRawPointer)
    func store(at address: UnsafeMutableRawPointer)
}

/// Sixteen lags.
struct NarrowLagTile: LagTile {
    static var lagCount: Int { 16 }

    private static let middle = MemoryLayout<SIMD8<Float>>.size
    private var near: SIMD8<Float>
    private var far: SIMD8<Float>

    @inline(__always)
    init(at address: UnsafeRawPointer, fadedBy factor: Float) {
        near = address.loadUnaligned(as: SIMD8<Float>.self) * factor
        far = (address + Self.middle).loadUnaligned(as: SIMD8<Float>.self) * factor
    }

    @inline(__always)
    mutating func add(_ value: SIMD4<Float>, timesPastsAt address: UnsafeRawPointer) {
        let value = SIMD8(lowHalf: value, highHalf: value)
        near += address.loadUnaligned(as: SIMD8<Float>.self) * value
        far += (address + Self.middle).loadUnaligned(as: SIMD8<Float>.self) * value
    }

    @inline(__always)
    func store(at address: UnsafeMutableRawPointer) {
        address.storeBytes(of: near, as: SIMD8<Float>.self)
        (address + Self.middle).storeBytes(of: far, as: SIMD8<Float>.self)
    }
}

/// Thirty-two lags.
struct WideLagTile: LagTile {
    static var lagCount: Int { 32 }

    private static let middle = 2 * MemoryLayout<SIMD8<Float>>.size
    private var near: NarrowLagTile
    private var far: NarrowLagTile

    @inline(__always)
    init(at address: UnsafeRawPointer, fadedBy factor: Float) {
        near = NarrowLagTile(at: address, fadedBy: factor)
        far = NarrowLagTile(at: address + Self.middle, fadedBy: factor)
    }

    @inline(__always)
    mutating func add(_ value: SIMD4<Float>, timesPastsAt address: UnsafeRawPointer) {
        near.add(value, timesPastsAt: address)
        far.add(value, timesPastsAt: address + Self.middle)
    }

    @inline(__always)
    func store(at address: UnsafeMutableRawPointer) {
        near.store(at: address)
        far.store(at: address + Self.middle)
    }
}

/// Forty lags: half of those of a bike.
struct BroadLagTile: LagTile {
    static var lagCount: Int { 40 }

    private static let last = 4 * MemoryLayout<SIMD8<Float>>.size
    private var near: WideLagTile
    private var far: SIMD8<Float>

    @inline(__always)
    init(at address: UnsafeRawPointer, fadedBy factor: Float) {
        near = WideLagTile(at: address, fadedBy: factor)
        far = (address + Self.last).loadUnaligned(as: SIMD8<Float>.self) * factor
    }

    @inline(__always)
    mutating func add(_ value: SIMD4<Float>, timesPastsAt address: UnsafeRawPointer) {
        near.add(value, timesPastsAt: address)
        far +=
            (address + Self.last).loadUnaligned(as: SIMD8<Float>.self) * SIMD8(lowHalf: value, highHalf: value)
    }

    @inline(__always)
    func store(at address: UnsafeMutableRawPointer) {
        near.store(at: address)
        (address + Self.last).storeBytes(of: far, as: SIMD8<Float>.self)
    }
}

/// The mean products of the parts of a vector: how it moved of late along each axis, and along which together. A
/// symmetric matrix of three rows.
struct AxisProducts {
    /// xx, yy and zz.
    private var squares = SIMD4<Float>.zero
    /// xy, yz and zx.
    private var mixed = SIMD4<Float>.zero

    /// The mean square of the vector.
    var trace: Float { squares.x + squares.y + squares.z }

    /// Takes a vector's x, y and z into the mean, of which the last ones make up as much as `gain`.
    mutating func learn(_ vector: SIMD4<Float>, gain: Float) {
        squares += (vector * vector - squares) * gain
        mixed += (vector * SIMD4(vector.y, vector.z, vector.x, 0) - mixed) * gain
    }

    /// The same, scaled, with as much more movement along every axis.
    func scaled(_ factor: Float, plus more: Float = 0) -> AxisProducts {
        var scaled = self
        scaled.squares = squares * factor + SIMD4(more, more, more, 0)
        scaled.mixed = mixed * factor
        return scaled
    }

    /// The product with a vector.
    func times(_ vector: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            squares.x * vector.x + mixed.x * vector.y + mixed.z * vector.z,
            mixed.x * vector.x + squares.y * vector.y + mixed.y * vector.z,
            mixed.z * vector.x + mixed.y * vector.y + squares.z * vector.z, 0)
    }

    /// The matrix of cofactors: the inverse, times the determinant.
    var adjugate: AxisProducts {
        var adjugate = AxisProducts()
        adjugate.squares = SIMD4(
            squares.y * squares.z - mixed.y * mixed.y, squares.x * squares.z - mixed.z * mixed.z,
            squares.x * squares.y - mixed.x * mixed.x, 0)
        adjugate.mixed = SIMD4(
            mixed.z * mixed.y - mixed.x * squares.z, mixed.x * mixed.z - squares.x * mixed.y,
            mixed.x * mixed.y - mixed.z * squares.y, 0)
        return adjugate
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&squares)
        coder.code(&mixed)
    }
}

/// A signal whose products with its own past are kept: where they lie, and how they are forgotten.
struct AutocorrelationChannel: Sendable {
    /// Which of the voices it is.
    let number: Int
    let channelCount: Int
    /// Groups of eight lags that are followed, a multiple of four or of five (``LagTile``); the others stay zero.
    let groupCount: Int
    /// Forgetting a tick, and as many ticks as may wait.
    let decay: Float
    let limitFade: Float
    /// Whether products are made at every other tick and stand for the one after it as well.
    let isSparse: Bool
    /// Whether products are of the ticks that waited alone, and what was before is forgotten at once.
    let isFresh: Bool

    init(
        number: Int, channelCount: Int, groupCount: Int, decay: Float, isSparse: Bool = false, isFresh: Bool = false
    ) {
        self.number = number
        self.channelCount = channelCount
        self.groupCount = groupCount
        self.decay = decay
        limitFade = (0..<LagProducts.pendingLimit).reduce(1) { fade, _ in fade * decay }
        self.isSparse = isSparse
        self.isFresh = isFresh
    }

    /// The row of its energies; those of its channels follow.
    var energyRow: Int { number * LagProducts.rowsPerVoice }
    var firstRow: Int { energyRow + 1 }
    var rows: Range<Int> { energyRow..<(firstRow + channelCount) }

    /// What is left of the products after so many ticks.
    func fade(after ticks: Int) -> Float {
        if isFresh { return 0 }
        return ticks == LagProducts.pendingLimit ? limitFade : (0..<ticks).reduce(1) { fade, _ in fade * decay }
    }
}
