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
    /// What each source counted in the person's minutes, and what was taken of it.
    private(set) var parts: [(own: CountSum, taken: CountSum)]
    /// The cadence of cranks and that of steps, apart.
    private var (crankCadence, stepCadence) = (CountSum(), CountSum())

    /// A merger of sources, by priority.
    init(_ sources: [PersonSource]) {
        self.sources = sources
        parts = sources.map { _ in (CountSum(), CountSum()) }
    }

    /// Takes what the sources counted in one minute, or in an hour: indices of `sources`, in ascending order, and what
    /// was counted.
    /// - Returns: What is taken of it.
    @discardableResult
    mutating func add(_ minute: [(source: Int, sum: CountSum)], minutes: Int64 = 1) -> CountSum {
        let enough = Self.enoughMilliseconds * minutes
        for (index, sum) in minute { parts[index].own += sum }
        let crank = Self.choose(
            minute.filter { sources[$0.source].kind == .bike } + minute.filter(isNoBike), enough: enough)
        let isCycling = minute.contains { entry in
            sources[entry.source].kind == .bike && entry.sum.counts.revolutions > 0
                && entry.sum.counts.activeMilliseconds >= enough
        }
        let walker = isCycling ? nil : Self.choose(minute.filter(isNoBike), enough: enough)
        var believed = CountSum()
        if let walker { believed = take(steps: walker, among: minute) }
        if let crank { believed += take(revolutions: crank, beside: walker?.source, believed) }
        return believed
    }

    /// Takes a day that is kept.
    mutating func add(_ day: PersonDay, of index: Int) {
        parts[index].own += day.own
        take(day.taken, of: index)
    }

    /// The bucket of all that was added.
    func bucket(start: Double) -> PersonBucket {
        let total = parts.reduce(into: CountSum()) { $0 += $1.taken }
        return PersonBucket { bucket in
            bucket.start = start
            bucket.totals = Totals(total.counts)
            bucket.distanceActiveSeconds = total.distanceActiveMilliseconds.map { Double($0) / 1000 }
            bucket.rpm = DeviceCadence(crankCadence, kind: DeviceKind.bike.rawValue).rpm
            bucket.spm = DeviceCadence(stepCadence, kind: DeviceKind.wearable.rawValue).spm
            bucket.sources = zip(parts, sources).filter { $0.0.own != CountSum() }.map { part, source in
                SourceShare { share in
                    share.device = source.device
                    share.steps = UInt64(clamping: part.own.counts.steps)
                    share.revolutions = UInt64(clamping: part.own.counts.revolutions)
                    share.coveredSeconds = part.own.counts.coveredSeconds
                    share.stepsUsed = UInt64(clamping: part.taken.counts.steps)
                    share.revolutionsUsed = UInt64(clamping: part.taken.counts.revolutions)
                }
            }
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

    /// Takes all but the revolutions; floors of another device where this one has no barometer.
    private mutating func take(
        steps walker: (source: Int, sum: CountSum), among minute: [(source: Int, sum: CountSum)]
    ) -> CountSum {
        var taken = walker.sum
        taken.counts.revolutions = 0
        take(taken, of: walker.source, likeAll: walker.sum)
        guard taken.counts.floors == nil,
            let other = minute.first(where: { isNoBike($0) && $0.sum.counts.floors != nil })
        else { return taken }
        var floors = CountSum()
        floors.counts.floors = other.sum.counts.floors
        take(floors, of: other.source)
        taken += floors
        return taken
    }

    /// Takes the revolutions, and the activity where none is known by the steps. Distance and time of a device that
    /// gives both steps and revolutions are taken once.
    private mutating func take(
        revolutions crank: (source: Int, sum: CountSum), beside walker: Int?, _ believed: CountSum
    ) -> CountSum {
        let counts = crank.sum.counts
        var taken = CountSum()
        taken.counts.revolutions = counts.revolutions
        if ActivitySegmenter.dominant(believed) == nil { taken.activityMilliseconds = crank.sum.activityMilliseconds }
        if crank.source != walker {
            taken.addCadence(of: crank.sum)
            if sources[crank.source].kind == .bike || walker == nil {
                taken.counts.distanceMillimetres = counts.distanceMillimetres
                taken.counts.activeMilliseconds = max(0, counts.activeMilliseconds - believed.counts.activeMilliseconds)
                taken.counts.coveredMilliseconds = max(
                    0, counts.coveredMilliseconds - believed.counts.coveredMilliseconds)
                taken.unmeasuredMilliseconds = max(
                    0, crank.sum.unmeasuredMilliseconds - believed.unmeasuredMilliseconds)
            }
        }
        take(taken, of: crank.source, likeAll: crank.sum)
        return taken
    }

    /// - Parameter sum: What decides whether the cadence is a crank's; what is taken itself where it is not given.
    private mutating func take(_ taken: CountSum, of index: Int, likeAll sum: CountSum? = nil) {
        parts[index].taken += taken
        if DeviceCadence.isCrank(sum ?? taken, kind: sources[index].kind.rawValue) {
            crankCadence.addCadence(of: taken)
        } else {
            stepCadence.addCadence(of: taken)
        }
    }
}

/// One of a person's devices, as far as merging needs it.
struct PersonSource: Sendable, Comparable {
    var device: DeviceID
    var kind: DeviceKind
    /// The minutes that belong to the person.
    var minutes: RangeSet<Int64>
    /// The priority: the smallest first, then by id.
    var rank: Int
    /// The minute before which there are only days.
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

    /// Sources sort by priority.
    static func < (one: PersonSource, other: PersonSource) -> Bool {
        (one.rank, one.device) < (other.rank, other.device)
    }
}
