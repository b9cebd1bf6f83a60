import Wire

/// What a person's devices counted in one minute, as one minute of the person: it is taken from one device, the first in
/// order that covers it, and the next fills a gap. Neither sums nor maxima, which count a person with a phone and a watch
/// twice, or by whichever errs upwards.
///
/// Steps in a minute in which a bike of the person was pedalled for at least half the time are not steps.
///
/// Heart rate and power are those of the device that knows most seconds of them, each second by itself where more than one
/// does.
struct PersonMinute: Equatable {
    var sum = CountSum()
    /// A packed `Trace`.
    var trace: [UInt8] = []

    /// What one device counted.
    struct Source {
        var kind: DeviceKind
        var sum: CountSum
        var trace = Trace()
    }

    /// The values of the columns of a minute.
    var values: [SQLValue] { sum.values + [.bytes(trace.isEmpty ? nil : trace)] }

    /// A minute without anything.
    init() {}

    /// The person's minute.
    /// - Parameter sources: What the devices counted, by their order, without those that counted nothing.
    init(_ sources: [Source]) {
        sum = Self.merged(sources)
        let seconds = Self.seconds(sources)
        trace = seconds.withoutRest.packed
        (sum.heart, sum.power) = (seconds.sum(.heart), seconds.sum(.power))
        // Beyond the time that traces are kept.
        if sum.heart == RateSum() { sum.heart = Self.longest(sources.map(\.sum.heart)) }
        if sum.power == RateSum() { sum.power = Self.longest(sources.map(\.sum.power)) }
    }

    private static func longest(_ sums: [RateSum]) -> RateSum { sums.max { $0.seconds < $1.seconds } ?? RateSum() }

    /// The seconds that any of the devices knows, those of a crank first.
    private static func seconds(_ sources: [Source]) -> Trace {
        let cranks = sources.filter { $0.sum.counts.revolutions > $0.sum.counts.steps }
        let others = sources.filter { $0.sum.counts.revolutions <= $0.sum.counts.steps }
        return (cranks + others).reduce(into: Trace()) { $0.fill($1.trace) }
    }

    /// The part of a minute that a device must cover for the whole minute to be taken from it, in milliseconds.
    static let enoughMilliseconds: Int64 = 30_000

    private static func merged(_ sources: [Source]) -> CountSum {
        let bikes = sources.indices.filter { sources[$0].kind == .bike }
        let others = sources.indices.filter { sources[$0].kind != .bike }
        let isCycling = bikes.contains { index in
            let counts = sources[index].sum.counts
            return counts.revolutions > 0 && counts.activeMilliseconds >= enoughMilliseconds
        }
        let walker = isCycling ? nil : choice(others, of: sources)
        var merged = CountSum()
        if let walker {
            merged = sources[walker].sum
            merged.counts.revolutions = 0
            // Of another one where this one has no barometer.
            if merged.counts.floors == nil {
                merged.counts.floors = others.lazy.compactMap { sources[$0].sum.counts.floors }.first
            }
        }
        var cadence = merged.cadence
        if let crank = choice(bikes + others, of: sources) {
            let sum = sources[crank].sum
            let isMeasured = crank != walker && (sources[crank].kind == .bike || walker == nil)
            add(revolutionsOf: sum, isMeasured: isMeasured, to: &merged)
            if walker == nil || sum.counts.revolutions > merged.counts.steps { cadence = sum.cadence }
        }
        merged.setCadence(cadence)
        merged.unmeasuredMilliseconds = merged.counts.unmeasuredMilliseconds
        return merged
    }

    /// Adds the revolutions, and the activity where none is known by the steps.
    /// - Parameter isMeasured: Whether distance and time are added too: of a device that gives both steps and revolutions
    ///   they are there already.
    private static func add(revolutionsOf sum: CountSum, isMeasured: Bool, to merged: inout CountSum) {
        if ActivitySegmenter.dominant(merged) == nil {
            for kind in Amount.activities { merged.counts[kind] = sum.counts[kind] }
        }
        if isMeasured {
            merged.counts.distanceMillimetres += sum.counts.distanceMillimetres
            merged.counts.activeMilliseconds = max(
                merged.counts.activeMilliseconds, sum.counts.activeMilliseconds)
            merged.counts.coveredMilliseconds = max(
                merged.counts.coveredMilliseconds, sum.counts.coveredMilliseconds)
        }
        merged.counts.revolutions = sum.counts.revolutions
    }

    /// The first that covers enough of the minute, else the one that covers most of it. A device that counts by itself
    /// has no coverage: it covers the minutes in which it has counted.
    private static func choice(_ indices: [Int], of sources: [Source]) -> Int? {
        if let first = indices.first(where: { coverage(sources[$0].sum) >= enoughMilliseconds }) { return first }
        var best: Int?
        for index in indices where coverage(sources[index].sum) > best.map({ coverage(sources[$0].sum) }) ?? 0 {
            best = index
        }
        return best
    }

    private static func coverage(_ sum: CountSum) -> Int64 {
        let counts = sum.counts
        let countsItself = counts.coveredMilliseconds == 0 && (counts.steps > 0 || counts.revolutions > 0)
        return countsItself ? .max : counts.coveredMilliseconds
    }

    /// The place of a device in the order of a person's: what is worn all day comes before what lies in a bag.
    static func rank(of placement: String?) -> Int { placements.firstIndex(of: placement ?? "") ?? placements.count }

    private static let placements = ["wrist", "ankle", "foot", "thigh", "hip", "back", "pocket", "hand", "bag"]
}
