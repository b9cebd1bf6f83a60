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
