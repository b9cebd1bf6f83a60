/// How hard |a| is jolted, traced for seconds: slow steps hardly move a body, but each foot that lands is heard.
///
/// The greatest change of |a| in each 0.16 s is divided by what it usually is, and multiplied with its past at every
/// lag up to 5 s, as ``LagProducts`` does with faster signals.
struct ImpactAutocorrelation {
    static let lagCount = 32
    /// Ticks of one value.
    static let spacingTicks = 4
    static let spacingSeconds = Float(spacingTicks) * Tick.seconds
    /// exp(−0.16 s / 8 s).
    private static let decay: Float = 0.980_199
    /// 1 − exp(−0.16 s / 5 s): of the usual change, and of the mean.
    private static let gain: Float = 0.031_49
    /// The largest value, in usual changes, and the least that is an impact.
    private static let limit: Float = 4
    private static let impact: Float = 1.6

    private var pasts = [Float](repeating: 0, count: lagCount + 1)
    private var products = [Float](repeating: 0, count: lagCount)
    private var greatest: Float = 0
    private var tickCount = 0
    /// The greatest change of a value usually, m/s².
    private(set) var usual: Float = 0
    private var mean: Float = 1
    /// The last three values, in usual changes, newest first.
    private var last = SIMD4<Float>.zero
    /// When impacts were.
    private(set) var trail = ImpactTrail()

    /// Takes the changes of |a| in ticks, of which the newest is given.
    mutating func push(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, newest: Int64) {
        var index = newest - Int64(ticks.count)
        for tick in ticks {
            index += 1
            greatest = max(greatest, tick.squares.vector[SignalEnergies.Lane.normChange.rawValue])
            tickCount += 1
            if tickCount == Self.spacingTicks { take(greatest.squareRoot(), tick: index) }
        }
    }

    private mutating func take(_ change: Float, tick: Int64) {
        (greatest, tickCount) = (0, 0)
        usual += ((usual > 0 ? change : 2 * change) - usual) * (usual > 0 ? Self.gain : 0.5)
        let value = min(change / max(usual, 1e-6), Self.limit)
        last = SIMD4(value, last.x, last.y, 0)
        if last.y > Self.impact, last.y >= last.x, last.y > last.z {
            let change = last.y * usual
            trail.add(
                change: change,
                time: Tick.endMicroseconds(ofTick: tick - Int64(Self.spacingTicks + Self.spacingTicks / 2)))
        }
        // A landing is not on time to the value.
        let smooth = 0.25 * last.x + 0.5 * last.y + 0.25 * last.z
        mean += (smooth - mean) * Self.gain
        remember(smooth - mean)
    }

    private mutating func remember(_ value: Float) {
        pasts.withUnsafeMutableBufferPointer { pasts in
            products.withUnsafeMutableBufferPointer { products in
                guard let pasts = pasts.baseAddress, let products = products.baseAddress else { return }
                (pasts + 1).update(from: pasts, count: Self.lagCount)
                pasts[0] = value
                for lag in stride(from: 0, to: Self.lagCount, by: 8) {
                    products.set(products.eight(at: lag) * Self.decay + pasts.eight(at: lag) * value, at: lag)
                }
            }
        }
    }

    /// How like itself the trace is so many values ago, −1…1.
    func similarity(_ lag: Int) -> Float {
        products[0] > 1e-6 ? products[lag] / products[0] : 0
    }

    /// The first lag in a range that is a peak and nearly as high as any, in seconds, and its height.
    func peak(in lags: ClosedRange<Int>, share: Float) -> (seconds: Float, height: Float)? {
        var highest: Float = 0
        for lag in lags where isPeak(lag) { highest = max(highest, similarity(lag)) }
        guard highest > 0, let lag = lags.first(where: { isPeak($0) && similarity($0) >= share * highest })
        else { return nil }
        return refined(lag)
    }

    /// The lowest similarity at a lag shorter than a time.
    func lowest(before seconds: Float) -> Float {
        let end = min(Int(seconds / Self.spacingSeconds), Self.lagCount - 1)
        return lowest(in: 1...max(end, 1))
    }

    /// The lowest similarity in a range of lags.
    func lowest(in lags: ClosedRange<Int>) -> Float { lags.reduce(1) { min($0, similarity($1)) } }

    /// The mean similarity in a range of lags.
    func mean(in lags: ClosedRange<Int>) -> Float { lags.reduce(0) { $0 + similarity($1) } / Float(lags.count) }

    /// The lag of the highest peak in a range; nil where none is.
    func highestPeak(in lags: ClosedRange<Int>) -> Int? {
        var highest: (lag: Int, height: Float)?
        for lag in lags where isPeak(lag) {
            let height = similarity(lag)
            if height > highest?.height ?? -.infinity { highest = (lag, height) }
        }
        return highest?.lag
    }

    private func isPeak(_ lag: Int) -> Bool {
        products[lag] > products[lag - 1] && products[lag] >= products[lag + 1]
    }

    /// The top of the parabola, and where two periods are remembered too, of that at twice the lag.
    private func refined(_ lag: Int) -> (seconds: Float, height: Float) {
        let place = top(lag)
        let height = similarity(lag)
        let twice = Int((2 * place).rounded())
        guard twice + 2 < Self.lagCount, let second = ((twice - 1)...(twice + 1)).first(where: isPeak) else {
            return (place * Self.spacingSeconds, height)
        }
        return ((place + 2 * top(second)) / 5 * Self.spacingSeconds, height)
    }

    private func top(_ lag: Int) -> Float {
        Float(lag) + Parabola.shift(products[lag - 1], products[lag], products[lag + 1])
    }

    mutating func reset() {
        self = ImpactAutocorrelation()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(floats: &pasts, range: 0..<(Self.lagCount + 1))
        coder.code(floats: &products, range: 0..<Self.lagCount)
        coder.code(&greatest)
        coder.code(&tickCount, in: 0...Self.spacingTicks)
        coder.code(&usual)
        coder.code(&mean)
        coder.code(&last)
        trail.transfer(&coder)
    }
}

/// When the last impacts were, and how hard.
struct ImpactTrail {
    static let capacity = 24

    private var times = [Int64](repeating: 0, count: capacity)
    /// The changes of |a|, m/s².
    private var changes = [Float](repeating: 0, count: capacity)
    private var count = 0

    mutating func add(change: Float, time: Int64) {
        if count == Self.capacity {
            count -= 1
            times.moveDown(by: 1, count: count)
            changes.moveDown(by: 1, count: count)
        }
        times[count] = time
        changes[count] = change
        count += 1
    }

    /// The first and the last of the newest impacts that are harder than `least` and follow one another, each so many
    /// microseconds after the one before; nil without two. What the body does when the feet stand is softer.
    func bout(gaps: ClosedRange<Int64>, least: Float) -> ClosedRange<Int64>? {
        var bout: ClosedRange<Int64>?
        var next: Int64?
        for index in stride(from: count - 1, through: 0, by: -1) where changes[index] > least {
            let time = times[index]
            if let after = next, gaps.contains(after - time) {
                bout = time...(bout?.upperBound ?? after)
            } else if bout != nil {
                return bout
            }
            next = time
        }
        return bout
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity { coder.code(time: &times[index]) }
        coder.code(floats: &changes, range: 0..<Self.capacity)
        coder.code(&count, in: 0...Self.capacity)
    }
}
