/// Sums at forty neighbouring lags that stay in registers while products are added to them.
///
/// As many as the sixteen vector registers of x86-64 hold beside a factor and a past (System V ABI, AMD64 supplement,
/// 3.2). `SIMD16` and `SIMD32` would say it shorter, but Swift 6.3 works on those lane by lane.
struct LagTile {
    static let lagCount = 40

    private static let bytes = MemoryLayout<SIMD8<Float>>.size
    private var (a, b, c, d, e): (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) =
        (.zero, .zero, .zero, .zero, .zero)

    /// Adds the pasts that lie at an address, each times the value, given four times.
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

/// A sensor whose products with its own past are kept: where they lie, and how its energy is forgotten.
struct AutocorrelationChannel: Sendable {
    /// What is left of an energy after a tick, exp(−0.04 s / 4 s), and after as many as may wait.
    static let decay: Float = 0.990_050
    static let limitFade = (0..<LagProducts.pendingLimit).reduce(Float(1)) { fade, _ in fade * decay }
    static let axisCount = 3
    /// A row of energies, and one of each axis.
    static let rowCount = 1 + axisCount

    /// Which of the channels it is.
    let number: Int

    /// The row of its energies; those of its axes follow.
    var energyRow: Int { number &* Self.rowCount }
    var firstRow: Int { energyRow &+ 1 }
    var rows: Range<Int> { energyRow..<(firstRow + Self.axisCount) }
}
