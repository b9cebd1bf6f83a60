/// A ride, a walk or a run, second by second, as a FIT file of the kind Activity has it.
package struct FITActivity: Sendable, Equatable {
    package enum Sport: Sendable, Equatable, CaseIterable {
        case indoorCycling, walking, running

        /// Whether the cadence of this sport is of steps. FIT counts strides then: two steps each.
        package var isOfSteps: Bool { self != .indoorCycling }
    }

    /// Cadence in revolutions or steps a minute, power in W and heart rate in bpm of one second; nil where not known.
    package struct Second: Sendable, Equatable {
        package var cadence: Int?
        package var watts: Int?
        package var bpm: Int?

        package init(cadence: Int? = nil, watts: Int? = nil, bpm: Int? = nil) {
            (self.cadence, self.watts, self.bpm) = (cadence, watts, bpm)
        }
    }

    /// An average and the highest value.
    package struct Range: Sendable, Equatable {
        package var average: Double
        package var maximum: Double

        package init(average: Double, maximum: Double) { (self.average, self.maximum) = (average, maximum) }
    }

    /// The sums and means of the whole activity. They are written as they are given, not counted anew from the seconds.
    package struct Totals: Sendable, Equatable {
        package var distanceMetres: Double?
        /// Revolutions or steps.
        package var count: Double?
        package var movingSeconds: Double?
        package var kilocalories: Double?
        package var workJoules: Double?
        package var cadence: Range?
        package var speedMetresPerSecond: Range?
        package var watts: Range?
        package var bpm: Range?

        package init() {}
    }

    package var sport: Sport
    /// The number of the device that recorded it; 0 is none.
    package var serial: UInt32
    /// The name of that device.
    package var deviceName: String
    /// In seconds since 1970.
    package var start: Int64
    /// The numbers of every second from the start to the end, pauses too.
    package var seconds: [Second]
    /// When the timer stood, in seconds since 1970.
    package private(set) var pauses: [Swift.Range<Int64>]
    /// Local time at the start minus UTC, in seconds.
    package var utcOffsetSeconds: Int
    package var totals: Totals

    package var end: Int64 { start + Int64(seconds.count) }

    /// The seconds in which the timer ran: all but the pauses.
    package var timerSeconds: Int { seconds.count - pauses.reduce(0) { $0 + $1.count } }

    /// An activity. Pauses are put in order, joined where they touch, and held within it.
    package init(
        sport: Sport, serial: UInt32, deviceName: String, start: Int64, seconds: [Second],
        pauses: [Swift.Range<Int64>] = [], utcOffsetSeconds: Int = 0, totals: Totals = Totals()
    ) {
        // A start so late that its end could not be a number of seconds is held within the times of FIT.
        let start = start.clamped(to: 0...FITFormat.times.upperBound + FITFormat.epochSeconds)
        (self.sport, self.serial, self.deviceName, self.start) = (sport, serial, deviceName, start)
        (self.seconds, self.utcOffsetSeconds, self.totals) = (seconds, utcOffsetSeconds, totals)
        let whole = start..<start + Int64(seconds.count)
        self.pauses = pauses.map { $0.clamped(to: whole) }.filter { !$0.isEmpty }
            .sorted { $0.lowerBound < $1.lowerBound }
            .reduce(into: []) { joined, pause in
                guard let last = joined.last, pause.lowerBound <= last.upperBound else { return joined.append(pause) }
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, pause.upperBound)
            }
    }
}

extension FITActivity {
    /// A second while the timer ran, with the way at its end.
    package struct Record: Sendable, Equatable {
        /// In seconds since 1970.
        package var time: Int64
        package var second: Second
        package var distanceMetres: Double?
        package var speedMetresPerSecond: Double?
    }

    /// The seconds while the timer ran. The distance of the whole goes to them by their cadence, which is what it was
    /// counted from; where none is known, in equal parts.
    package var records: [Record] {
        var pauses = pauses[...]
        var records: [Record] = []
        records.reserveCapacity(timerSeconds)
        for (index, second) in seconds.enumerated() {
            let time = start + Int64(index)
            if let pause = pauses.first, pause.upperBound <= time { pauses.removeFirst() }
            if pauses.first?.contains(time) != true { records.append(Record(time: time, second: second)) }
        }
        guard let distance = totals.distanceMetres, distance.isFinite else { return records }
        let cadences = records.map { Double(max($0.second.cadence ?? 0, 0)) }
        let whole = cadences.reduce(0, +)
        var sum = 0.0
        for index in records.indices {
            let share = whole > 0 ? cadences[index] / whole : 1 / Double(records.count)
            sum += share
            records[index].distanceMetres = distance * min(sum, 1)
            records[index].speedMetresPerSecond = distance * share
        }
        return records
    }
}

extension Comparable {
    func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
