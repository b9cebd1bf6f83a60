#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts floors climbed up and down on foot, from air pressure and steps.
///
/// A floor is three metres, walked or run: so Apple defines `CMPedometerData.floorsAscended` ("does not reflect the
/// floors ascended by elevator"; "a single floor has a height of approximately three meters").
///
/// Pressures become mean altitudes by second. Only changes in seconds with steps count; the others are a lift's. Steps
/// are counted some seconds after they were made, so a second is settled when it is ``delaySeconds`` old. The height
/// gained on foot is one sum that decays slowly, faster than the weather drifts. Each counted floor takes its whole
/// height off the sum, so that noise at the threshold does not count floors up and down.
public struct FloorCounter: Sendable, Equatable {
    /// The height of a floor, in metres.
    public static let floorMetres = 3.0
    /// The height at which a floor is counted, in metres: storeys of 2.5 m count, half a flight does not.
    static let thresholdMetres = 2.25
    /// The age of a second when it is settled: steps are counted up to twelve seconds late.
    static let delaySeconds: Int64 = 16
    /// The longest gap in pressures, in seconds. A longer one starts anew.
    static let maximumGapSeconds: Int64 = 10
    /// The fastest climb, in m/s: people climb stairs at 0.2 to 0.5. Faster changes are a lift, a door or a sensor's start.
    static let maximumSpeed = 1.2
    /// The largest deviation of a second's change from its neighbours', in metres. More is a draught, and is replaced
    /// by their median. A barometer's noise is a quarter of it.
    static let draughtMetres = 0.6
    /// The decay of the height on the level, in m/s: 1.1 hPa in a quarter of an hour, more than a weather front.
    static let ebbSpeed = 0.01
    /// The fastest change of height on the level, in m/s.
    static let levelSpeed = 0.1

    /// Seconds in the ring: the unsettled ones, the one before them, and some for steps that are ahead.
    private static let ringSeconds: Int64 = 32
    /// The most pressures and steps of one second.
    private static let maximumCount: Int64 = 100_000

    private struct Second: Sendable, Equatable {
        var pressureSum = 0.0
        var pressureCount: Int64 = 0
        var stepCount: Int64 = 0
    }

    /// A ring, by second modulo its size; empty before the first pressure.
    private var ring: [Second] = []
    /// The newest second, since 1970, and the newest settled one.
    private var newest: Int64 = -1
    private var settled: Int64 = -1
    /// The newest settled altitude and its second; −1 for none.
    private var altitude = 0.0
    private var altitudeSecond: Int64 = -1
    /// Seconds with steps since then.
    private var walkedSeconds: Int64 = 0
    /// The height since the last floor, in metres; negative downwards.
    private var progress = 0.0

    /// A new counter.
    public init() {}

    /// Whether there has been any pressure.
    public var isActive: Bool { !ring.isEmpty }

    /// Takes a pressure. One outside ``Barometer/pressuresHectopascals`` is ignored.
    ///
    /// A time long before the newest one means that the clock was set back: counting goes on from there.
    public mutating func push(
        timeMicroseconds: Int64, hectopascals: Float, into events: inout [FloorEvent]
    ) {
        guard Barometer.pressuresHectopascals.contains(hectopascals), timeMicroseconds >= 0,
            timeMicroseconds <= SampleGuard.latestMicroseconds
        else { return }
        let second = timeMicroseconds / 1_000_000
        if ring.isEmpty || second <= newest - Self.ringSeconds { begin(at: second, into: &events) }
        advance(to: second, into: &events)
        guard second > settled, ring[Self.place(second)].pressureCount < Self.maximumCount else { return }
        ring[Self.place(second)].pressureSum += Double(hectopascals)
        ring[Self.place(second)].pressureCount += 1
    }

    /// Takes counted steps and the time of the last one. Ignored before the first pressure.
    public mutating func push(steps count: Int, timeMicroseconds: Int64, into events: inout [FloorEvent]) {
        guard isActive, count > 0, timeMicroseconds >= 0, timeMicroseconds <= SampleGuard.latestMicroseconds else {
            return
        }
        let second = timeMicroseconds / 1_000_000
        if second - newest < Self.ringSeconds { advance(to: second, into: &events) }
        guard second > settled, second <= newest else { return }
        let sum = ring[Self.place(second)].stepCount + Int64(min(count, 1000))
        ring[Self.place(second)].stepCount = min(sum, Self.maximumCount)
    }

    /// Settles all seconds at the end of a signal.
    public mutating func flush(into events: inout [FloorEvent]) {
        while settled < newest { settleNext(into: &events) }
    }

    /// Settles all seconds and begins anew with another, without its change of height.
    private mutating func begin(at second: Int64, into events: inout [FloorEvent]) {
        flush(into: &events)
        ring = [Second](repeating: Second(), count: Int(Self.ringSeconds))
        newest = second
        settled = second - 1
        altitudeSecond = -1
        walkedSeconds = 0
    }

    private mutating func advance(to second: Int64, into events: inout [FloorEvent]) {
        guard second > newest else { return }
        if second - newest >= Self.ringSeconds { return begin(at: second, into: &events) }
        while newest < second {
            newest += 1
            ring[Self.place(newest)] = Second()
            while settled < newest - Self.delaySeconds { settleNext(into: &events) }
        }
    }

    private mutating func settleNext(into events: inout [FloorEvent]) {
        settled += 1
        if isWalked(settled) { walkedSeconds += 1 }
        let second = ring[Self.place(settled)]
        guard second.pressureCount > 0 else { return }
        let now = Barometer.altitudeMetres(hectopascals: second.pressureSum / Double(second.pressureCount))
        climb(to: now, into: &events)
        altitude = now
        altitudeSecond = settled
        walkedSeconds = 0
    }

    /// Slow walkers make less than a step a second.
    private func isWalked(_ second: Int64) -> Bool {
        func steps(_ number: Int64) -> Int64 { number > newest ? 0 : ring[Self.place(number)].stepCount }
        return steps(second) > 0 || steps(second - 1) > 0 && steps(second + 1) > 0
    }

    private mutating func climb(to now: Double, into events: inout [FloorEvent]) {
        let gap = settled - altitudeSecond
        let (change, isLevel) = movement(now - altitude, gap: gap)
        guard altitudeSecond >= 0, walkedSeconds > 0, gap <= Self.maximumGapSeconds,
            abs(change) <= Self.maximumSpeed * Double(gap)
        else { return }
        progress += change * Double(min(walkedSeconds, gap)) / Double(gap)
        if isLevel {
            let ebb = Self.ebbSpeed * Double(walkedSeconds)
            progress -= min(max(progress, -ebb), ebb)
        }
        let end = (settled + 1) * 1_000_000
        while progress >= Self.thresholdMetres {
            progress -= Self.floorMetres
            events.append(FloorEvent(.up, timeMicroseconds: end))
        }
        while progress <= -Self.thresholdMetres {
            progress += Self.floorMetres
            events.append(FloorEvent(.down, timeMicroseconds: end))
        }
    }

    /// The change to the newest settled second, or the median of its neighbours where it is an outlier; and whether
    /// these are level.
    private func movement(_ change: Double, gap: Int64) -> (change: Double, isLevel: Bool) {
        let isLevel = abs(change) <= Self.levelSpeed * Double(max(gap, 1))
        guard gap == 1, settled + 2 <= newest else { return (change, isLevel) }
        var changes: [Double] = []
        var before = altitudeMetres(of: settled - 3)
        for second in settled - 2...settled + 2 {
            let now = altitudeMetres(of: second)
            guard let one = before, let other = now else { return (change, isLevel) }
            changes.append(other - one)
            before = now
        }
        let usual = changes.sorted()[changes.count / 2]
        return (
            abs(change - usual) > Self.draughtMetres ? usual : change,
            abs(changes.reduce(0, +)) <= Self.levelSpeed * Double(changes.count)
        )
    }

    private func altitudeMetres(of second: Int64) -> Double? {
        let sum = ring[Self.place(second)]
        guard second > newest - Self.ringSeconds, sum.pressureCount > 0 else { return nil }
        return Barometer.altitudeMetres(hectopascals: sum.pressureSum / Double(sum.pressureCount))
    }

    private static func place(_ second: Int64) -> Int { Int(((second % ringSeconds) + ringSeconds) % ringSeconds) }
}

// MARK: - State

extension FloorCounter {
    /// The most bytes that ``save(into:)`` appends.
    public static let maximumStateBytes = 1024
    private static let layouts = StateLayouts(revision: 2) { state in
        var (counter, events) = (FloorCounter(), [FloorEvent]())
        counter.begin(at: 0, into: &events)
        counter.copy(&state)
    }

    /// Appends the state. A counter restored from it goes on bit for bit.
    public func save(into bytes: inout [UInt8]) {
        var copy = self
        SealedState.append(to: &bytes, Self.layouts) { copy.copy(&$0) }
    }

    /// The counter that ``save(into:)`` wrote.
    public init(restoring bytes: [UInt8]) throws(MotionStateError) {
        self.init()
        try SealedState.read(bytes, Self.layouts, most: Self.maximumStateBytes) { copy(&$0) }
    }

    private mutating func copy(_ state: inout StateCopy) {
        var isActive = isActive
        state.part(&isActive)
        guard state.isSound, isActive else { return }
        if ring.isEmpty { ring = [Second](repeating: Second(), count: Int(Self.ringSeconds)) }
        state.part(&self)
        state.elements(&ring, ring.indices)
        let latest = SampleGuard.latestMicroseconds / 1_000_000
        state.expect((0...latest).contains(newest) && walkedSeconds <= latest)
        guard state.isSound else { return }
        state.expect((newest - Self.ringSeconds...newest).contains(settled) && altitudeSecond <= settled)
        state.expect(progress.magnitude <= Self.floorMetres)
        state.expect(ring.allSatisfy { max($0.pressureCount, $0.stepCount) <= Self.maximumCount })
    }
}

/// A floor climbed on foot.
public struct FloorEvent: Sendable, Hashable {
    /// The direction of a floor.
    public enum Direction: Sendable, Hashable {
        /// Upwards.
        case up
        /// Downwards.
        case down
    }

    /// Up or down.
    public var direction: Direction
    /// When it was complete, UTC in microseconds since 1970.
    public var timeMicroseconds: Int64

    /// An event from its parts.
    public init(_ direction: Direction, timeMicroseconds: Int64) {
        self.direction = direction
        self.timeMicroseconds = timeMicroseconds
    }
}

/// Altitude from air pressure.
public enum Barometer {
    /// The range of barometers in phones and watches, in hPa (Bosch BMP390, data sheet BST-BMP390-DS002-07: 300 to 1,250).
    public static let pressuresHectopascals: ClosedRange<Float> = 300...1250

    /// Metres above the level where the standard atmosphere has 1013.25 hPa, by the international barometric formula
    ///
    ///     44330 (1 − (p / 1013.25)^(1/5.255))
    ///
    /// as Bosch gives it (BMP180, data sheet BST-BMP180-DS000-09, section 3.6) and Android computes it
    /// (`SensorManager.getAltitude`); it is that of the ICAO standard atmosphere (Doc 7488) up to 11 km. Only
    /// differences are of use: the weather moves the level by hundreds of metres.
    public static func altitudeMetres(hectopascals: Double) -> Double {
        44_330 * (1 - pow(max(hectopascals, 0) / 1013.25, 1 / 5.255))
    }
}
