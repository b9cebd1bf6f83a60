import Wire

/// A class as it is kept: what it was to be, and when it ended. Everything else of it follows from the time and from what
/// riders' devices counted.
struct ClassRecord: Sendable, Equatable {
    var id: Int64 = 0
    /// Its title, length, steps and ranking.
    var plan: ClassReport
    /// From the beginning to the end, which is the planned one until it is stopped, in seconds since 1970.
    var seconds: Range<Int64>
    /// The devices that take part; nil for every bike that moves or is checked in meanwhile.
    var devices: Set<DeviceID>?
    /// Whether the results are kept and no longer made from seconds.
    var isSettled = false

    /// The minutes that have some of it.
    var minutes: Range<Int64> {
        let first = seconds.lowerBound / 60
        return first..<max(first, (seconds.upperBound + 59) / 60)
    }

    /// The steps one after the other, as far as they go.
    var stepRanges: [(step: ClassStep, seconds: Range<Int64>)] {
        var start = seconds.lowerBound
        return plan.steps.compactMap { step in
            let range = start..<start + Int64(step.lengthSeconds)
            start = range.upperBound
            let part = range.clamped(to: seconds)
            return part.isEmpty ? nil : (step, part)
        }
    }

    /// The present step, and when it ends.
    func step(at second: Int64) -> (index: Int, end: Int64)? {
        let ranges = stepRanges
        return ranges.firstIndex { $0.seconds.contains(second) }.map { ($0, ranges[$0].seconds.upperBound) }
    }

    /// When the summary goes.
    var summaryEndSeconds: Double { Double(seconds.upperBound) + ClassLimits.summarySeconds }
}

extension ClassStep {
    var hasTarget: Bool {
        [cadenceMinimumRPM, cadenceMaximumRPM, powerMinimumWatts, powerMaximumWatts].contains { $0 != nil }
    }

    /// Whether a minimum of the step is above its maximum, so that no rider can keep to it.
    var isImpossible: Bool {
        cadenceMinimumRPM ?? 0 > cadenceMaximumRPM ?? .max || powerMinimumWatts ?? 0 > powerMaximumWatts ?? .max
    }

    /// Whether a second keeps to the target. Who does not move, or of whom it is not known, does not.
    func isKept(cadenceRPM: Int?, watts: Int?) -> Bool {
        hasTarget && Self.isWithin(cadenceRPM, cadenceMinimumRPM, cadenceMaximumRPM)
            && Self.isWithin(watts, powerMinimumWatts, powerMaximumWatts)
    }

    private static func isWithin(_ value: Int?, _ minimum: Int?, _ maximum: Int?) -> Bool {
        guard minimum != nil || maximum != nil else { return true }
        guard let value, value > 0 else { return false }
        return value >= minimum ?? 0 && value <= maximum ?? .max
    }
}

/// What a rider did in a class.
struct ClassScore: Sendable, Equatable {
    var revolutions: Int64 = 0
    var timeInTargetSeconds: Int64 = 0
    var distanceMillimetres: Int64 = 0
    /// Nil where no power is known.
    var workJoules: Int64?

    /// Adds one minute of a device, as far as it lies in a stretch of the class. Of a minute that is cut the counts are
    /// shared by the seconds' cadence.
    mutating func add(_ minute: TracedMinute, within seconds: Range<Int64>, of record: ClassRecord) {
        guard record.minutes.contains(minute.minute) else { return }
        let start = minute.minute * 60
        let inside = (start..<start + 60).clamped(to: seconds)
        guard !inside.isEmpty else { return }
        let (trace, counts) = (minute.trace ?? Trace(), minute.sum.counts)
        let places = Int(inside.lowerBound - start)..<Int(inside.upperBound - start)
        let share = Self.share(of: places, in: trace)
        revolutions &+= Self.part(share, of: counts.revolutions)
        distanceMillimetres &+= Self.part(share, of: counts.distanceMillimetres)
        for place in places {
            guard let watts = trace[.power, place] else { continue }
            workJoules = (workJoules ?? 0) &+ Int64(watts)
        }
        for (step, range) in record.stepRanges where step.hasTarget {
            let part = range.clamped(to: inside)
            guard !part.isEmpty else { continue }
            for place in Int(part.lowerBound - start)..<Int(part.upperBound - start) {
                let rpm = trace.isOfSteps ? nil : trace[.cadence, place]
                if step.isKept(cadenceRPM: rpm, watts: trace[.power, place]) { timeInTargetSeconds &+= 1 }
            }
        }
    }

    /// The part of a minute's turns that lies in some of its seconds.
    private static func share(of places: Range<Int>, in trace: Trace) -> Double {
        func turns(_ places: Range<Int>) -> Int { places.reduce(0) { $0 + (trace[.cadence, $1] ?? 0) } }
        let all = turns(0..<Trace.seconds)
        return all > 0 ? Double(turns(places)) / Double(all) : Double(places.count) / Double(Trace.seconds)
    }

    private static func part(_ share: Double, of whole: Int64) -> Int64 {
        share == 1 ? whole : Int64(exactly: (share * Double(whole)).rounded()) ?? 0
    }
}
