#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts floors gone up and down on foot, from the pressure of the air and the steps of the same time.
///
/// A floor is three metres, walked or run: so Apple defines `CMPedometerData.floorsAscended` ("does not reflect the
/// floors ascended by elevator"; "a single floor has a height of approximately three meters").
///
/// Pressures become mean altitudes of seconds. A second counts in which there were steps; what height changes in the
/// others is a lift's. Steps are told up to some seconds after they were made, so a second is settled when it is
/// ``delaySeconds`` old. The height gained on foot is one number, the way towards the next floor, that ebbs slowly: the
/// weather moves it less than it ebbs. It goes back by a whole floor at each that is counted, so that the noise of a
/// barometer on the threshold counts none up and down again.
public struct FloorCounter: Sendable, Equatable {
    /// The height of a floor, in metres.
    public static let floorMetres = 3.0
    /// A floor is counted when this much of it is done, in metres: storeys of 2.5 m are floors, half a flight is none.
    static let thresholdMetres = 2.25
    /// How old a second is when it is settled: at ordinary rates steps are credited up to twelve seconds after the
    /// fact.
    static let delaySeconds: Int64 = 16
    /// A barometer that is silent for longer starts anew, in seconds.
    static let maximumGapSeconds: Int64 = 10
    /// What changes faster is a lift, a door or a sensor's start, in m/s: on stairs people climb 0.2 to 0.5 m/s.
    static let maximumSpeed = 1.2
    /// A second that rises or falls so much more than those around it does so by a draught, in metres: it is taken for
    /// one like them. A barometer's own noise is a quarter of it.
    static let draughtMetres = 0.6
    /// How fast the way towards the next floor ebbs while somebody walks on the level, in m/s: 1.1 hPa in a quarter of
    /// an hour, more than the passage of a front.
    static let ebbSpeed = 0.01
    /// Who rises or falls no faster walks on the level, in m/s.
    static let levelSpeed = 0.1

    /// Seconds that are kept: those that wait, the one before them, and some that steps may be ahead.
    private static let ringSeconds: Int64 = 32
    /// The most pressures and steps of one second.
    private static let maximumCount: Int64 = 100_000

    private struct Second: Sendable, Equatable {
        var pressureSum = 0.0
        var pressureCount: Int64 = 0
        var stepCount: Int64 = 0
    }

    /// By their number modulo the size; empty until the first pressure.
    private var ring: [Second] = []
    /// The number of the newest second, since 1970, and of the newest that is settled.
    private var newest: Int64 = -1
    private var settled: Int64 = -1
    /// The newest settled altitude and its second; −1 for none.
    private var altitude = 0.0
    private var altitudeSecond: Int64 = -1
    /// Seconds with steps since then.
    private var walkedSeconds: Int64 = 0
    /// The way towards the next floor, in metres; negative downwards.
    private var progress = 0.0

    /// A counter that has seen nothing.
    public init() {}

    /// Whether there was ever a pressure.
    public var isActive: Bool { !ring.isEmpty }

    /// Takes the pressure at a time. One beyond ``Barometer/pressuresHectopascals`` is ignored.
    ///
    /// A time long before the newest one is that of a clock that was set back: counting goes on from there.
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

    /// Takes steps that were counted, the last of them at a time. Without a barometer nothing is kept.
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

    /// Settles what waits: the signal ends here.
    public mutating func flush(into events: inout [FloorEvent]) {
        while settled < newest { settleNext(into: &events) }
    }

    /// Begins with a second; what waits is settled, and no height is carried over.
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

    /// The change to the newest settled second, or that of most seconds around it where it stands out; and whether
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
    private static let stateVersion: UInt8 = 1

    /// Appends the state: version, then fields, little-endian. A counter restored from it goes on bit for bit.
    public func save(into bytes: inout [UInt8]) {
        var writer = StateWriter(bytes: bytes)
        bytes = []
        var version = UInt64(Self.stateVersion)
        writer.code(bits: &version, byteCount: 1)
        var copy = self
        copy.transfer(&writer)
        bytes = writer.bytes
    }

    /// The counter that ``save(into:)`` wrote.
    public init(restoring bytes: [UInt8]) throws(MotionStateError) {
        guard let version = bytes.first, bytes.count <= Self.maximumStateBytes else {
            throw .wrongLength(bytes.count)
        }
        guard version == Self.stateVersion else { throw .unknownVersion(version) }
        var reader = StateReader(bytes: bytes, range: 1..<bytes.count)
        transfer(&reader)
        guard !reader.isInvalid else { throw .invalidField }
        guard reader.position == bytes.count else { throw .wrongLength(bytes.count) }
    }

    private mutating func transfer(_ coder: inout some StateCoder) {
        var isActive = isActive
        coder.code(&isActive)
        guard isActive else { return }
        if ring.isEmpty { ring = [Second](repeating: Second(), count: Int(Self.ringSeconds)) }
        let latest = SampleGuard.latestMicroseconds / 1_000_000
        coder.code(&newest, in: -1...latest)
        coder.code(&settled, in: -1...latest)
        coder.code(&altitude, in: -10_000...20_000)
        coder.code(&altitudeSecond, in: -1...latest)
        coder.code(&walkedSeconds, in: 0...latest)
        coder.code(&progress, in: -Self.floorMetres...Self.floorMetres)
        for place in ring.indices {
            coder.code(&ring[place].pressureSum, in: 0...1e9)
            coder.code(&ring[place].pressureCount, in: 0...Self.maximumCount)
            coder.code(&ring[place].stepCount, in: 0...Self.maximumCount)
        }
        let isOrdered = newest >= 0 && (newest - Self.ringSeconds...newest).contains(settled)
        if !isOrdered || altitudeSecond > settled { coder.reject() }
    }
}

/// A floor that was gone on foot.
public struct FloorEvent: Sendable, Hashable {
    /// The way of it.
    public enum Direction: Sendable, Hashable {
        /// Upwards.
        case up
        /// Downwards.
        case down
    }

    /// The way of it.
    public var direction: Direction
    /// When it was complete, UTC in microseconds since 1970.
    public var timeMicroseconds: Int64

    /// An event from its parts.
    public init(_ direction: Direction, timeMicroseconds: Int64) {
        self.direction = direction
        self.timeMicroseconds = timeMicroseconds
    }
}

/// What a pressure of the air says about height.
public enum Barometer {
    /// Pressures that are believed, in hPa: what the barometers of phones and watches measure (Bosch BMP390, data sheet
    /// BST-BMP390-DS002-07: 300 to 1,250 hPa).
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
