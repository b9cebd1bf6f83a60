import Wire

/// Merges what several devices counted of one person, minute by minute: each minute is taken from one device, the first
/// in order that covers it, and the next fills its gaps. Neither sums nor maxima, which count a person with a phone and
/// a watch twice, or by whichever errs upwards.
///
/// Steps in a minute in which a bike of the person was pedalled for at least half the time are not steps.
struct SourceMerger: Sendable {
    /// The part of a minute that a device must cover for the whole minute to be taken from it, in milliseconds.
    static let enoughMilliseconds: Int64 = 30_000

    private let sources: [PersonSource]
    private var total = CountSum()
    /// The cadence of cranks and that of steps, apart.
    private var (crankCadence, stepCadence) = (CountSum(), CountSum())
    private var shares: [SourceShare]

    /// A merger of sources, by priority.
    init(_ sources: [PersonSource]) {
        self.sources = sources
        shares = sources.map(Self.nothing)
    }

    private static func nothing(of source: PersonSource) -> SourceShare {
        SourceShare { $0.device = source.device }
    }

    /// Takes what the sources counted in one minute, or of an hour where there are only hours: indices of `sources`, in
    /// ascending order, and what was counted.
    /// - Returns: What is taken of it, without its cadence.
    @discardableResult
    mutating func add(_ minute: [(source: Int, sum: CountSum)], minutes: Int64 = 1) -> CountSum {
        let enough = Self.enoughMilliseconds * minutes
        for (index, sum) in minute { note(sum, of: index) }
        let crank = Self.choose(
            minute.filter { sources[$0.source].kind == .bike } + minute.filter(isNoBike), enough: enough)
        let isCycling = minute.contains { entry in
            sources[entry.source].kind == .bike && entry.sum.counts.revolutions > 0
                && entry.sum.counts.activeMilliseconds >= enough
        }
        let walker = isCycling ? nil : Self.choose(minute.filter(isNoBike), enough: enough)
        var believed = take(steps: walker, revolutions: crank)
        if walker != nil, believed.counts.floors == nil {
            // The device whose steps are taken may have no barometer.
            believed.counts.floors = minute.lazy.filter(isNoBike).compactMap(\.sum.counts.floors).first
        }
        total += believed
        return believed
    }

    /// The bucket of all that was added.
    func bucket(start: Double) -> PersonBucket {
        PersonBucket { bucket in
            bucket.start = start
            bucket.totals = Totals(total.counts)
            bucket.distanceActiveSeconds = total.distanceActiveMilliseconds.map { Double($0) / 1000 }
            bucket.rpm = DeviceCadence(crankCadence, kind: DeviceKind.bike.rawValue).rpm
            bucket.spm = DeviceCadence(stepCadence, kind: DeviceKind.wearable.rawValue).spm
            bucket.sources = zip(shares, sources).filter { $0 != Self.nothing(of: $1) }.map(\.0)
        }
    }

    private func isNoBike(_ entry: (source: Int, sum: CountSum)) -> Bool { sources[entry.source].kind != .bike }

    /// The first that covers enough of the minute, else the one that covers most of it. A device that counts by itself
    /// has no coverage: it covers the minutes in which it has counted.
    private static func choose(
        _ minute: [(source: Int, sum: CountSum)], enough: Int64
    ) -> (source: Int, sum: CountSum)? {
        if let first = minute.first(where: { coverage($0.sum) >= enough }) { return first }
        var best: (source: Int, sum: CountSum)?
        for entry in minute where coverage(entry.sum) > best.map({ coverage($0.sum) }) ?? 0 { best = entry }
        return best
    }

    private static func coverage(_ sum: CountSum) -> Int64 {
        let counts = sum.counts
        let countsItself = counts.coveredMilliseconds == 0 && (counts.steps > 0 || counts.revolutions > 0)
        return countsItself ? 3_600_000 : counts.coveredMilliseconds
    }

    private mutating func note(_ sum: CountSum, of index: Int) {
        shares[index].steps += UInt64(clamping: sum.counts.steps)
        shares[index].revolutions += UInt64(clamping: sum.counts.revolutions)
        shares[index].coveredSeconds += sum.counts.coveredSeconds
    }

    /// Distance and time of a device that gives both steps and revolutions are taken once. The activity is that of the
    /// device whose steps are taken, where it has one.
    private mutating func take(
        steps walker: (source: Int, sum: CountSum)?, revolutions crank: (source: Int, sum: CountSum)?
    ) -> CountSum {
        var minute = CountSum()
        if let walker {
            minute.counts = walker.sum.counts
            minute.counts.revolutions = 0
            minute.unmeasuredMilliseconds = walker.sum.unmeasuredMilliseconds
            minute.activityMilliseconds = walker.sum.activityMilliseconds
            addCadence(of: walker)
            shares[walker.source].stepsUsed += UInt64(clamping: walker.sum.counts.steps)
        }
        if let crank {
            let counts = crank.sum.counts
            minute.counts.revolutions = counts.revolutions
            if ActivitySegmenter.dominant(minute) == nil {
                minute.activityMilliseconds = crank.sum.activityMilliseconds
            }
            shares[crank.source].revolutionsUsed += UInt64(clamping: counts.revolutions)
            if crank.source != walker?.source { addCadence(of: crank) }
            if crank.source != walker?.source, sources[crank.source].kind == .bike || walker == nil {
                minute.counts.distanceMillimetres += counts.distanceMillimetres
                minute.counts.activeMilliseconds = max(minute.counts.activeMilliseconds, counts.activeMilliseconds)
                minute.counts.coveredMilliseconds = max(
                    minute.counts.coveredMilliseconds, counts.coveredMilliseconds)
                minute.unmeasuredMilliseconds = max(
                    minute.unmeasuredMilliseconds, crank.sum.unmeasuredMilliseconds)
            }
        }
        return minute
    }

    private mutating func addCadence(of entry: (source: Int, sum: CountSum)) {
        if DeviceCadence.isCrank(entry.sum, kind: sources[entry.source].kind.rawValue) {
            crankCadence.addCadence(of: entry.sum)
        } else {
            stepCadence.addCadence(of: entry.sum)
        }
    }
}

/// One of a person's devices, as far as merging needs it.
struct PersonSource: Sendable, Equatable {
    var device: DeviceID
    var kind: DeviceKind
    /// The minutes that belong to the person.
    var minutes: RangeSet<Int64>
    /// The priority: the smallest first, then by id.
    var rank: Int
    /// The minute before which there are only hours.
    var compactedMinute: Int64

    /// The source that a device is for a person; nil if it is the person's at no time.
    init?(_ record: DeviceRecord, person: String, assignments: [Assignment]) {
        minutes = DeviceOwnership.minutes(of: person, in: assignments)
        guard !minutes.isEmpty else { return nil }
        device = record.device
        compactedMinute = record.compactedMinute
        kind = DeviceKind(rawValue: record.settings.kind) ?? .unknown
        let said = assignments.filter { $0.person == person }.compactMap(\.priority).min()
        let placement = Self.placements.firstIndex(of: record.settings.placement ?? "") ?? Self.placements.count
        rank = said ?? HistoryRequest.priorities.upperBound + 1 + placement
    }

    /// The order of devices without a priority: what is worn all day comes before what lies in a bag.
    private static let placements = ["wrist", "ankle", "foot", "thigh", "hip", "back", "pocket", "hand", "bag"]

    /// The sources by priority.
    static func ordered(_ sources: [PersonSource]) -> [PersonSource] {
        sources.sorted { ($0.rank, $0.device) < ($1.rank, $1.device) }
    }
}
