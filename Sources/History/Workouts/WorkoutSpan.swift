package import Wire

/// What a workout is known by: whose it is, and a second of it. It means the workout that has the second, so that it stays
/// good when late data moves the beginning.
package struct WorkoutID: Sendable, Equatable, CustomStringConvertible {
    package var subject: Subject
    /// Since 1970.
    package var second: Int64

    init(_ subject: Subject, _ second: Int64) { (self.subject, self.second) = (subject, second) }

    /// Reads `d.bike-07.tf6z0w` or `p.Anna.tf6z0w`.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let dot = parts[1].lastIndex(of: ".") else { return nil }
        let (name, digits) = (parts[1][..<dot], parts[1][parts[1].index(after: dot)...])
        guard let second = Int64(digits, radix: Self.radix), (0..<DayCalendar.minutes.upperBound * 60).contains(second)
        else { return nil }
        switch parts[0] {
        case "d":
            guard let device = try? DeviceID(String(name)) else { return nil }
            subject = .device(device)
        case "p":
            guard let person = PersonName.normal(String(name)) else { return nil }
            subject = .person(person)
        default: return nil
        }
        self.second = second
    }

    package var description: String {
        "\(subject.isPerson ? "p" : "d").\(subject.name).\(String(second, radix: Self.radix))"
    }

    private static let radix = 36
}

/// A workout as it follows from movement, marks and notes: from when to when, and with which pauses. What was counted in
/// it is `WorkoutFigures`.
package struct WorkoutSpan: Sendable, Equatable {
    /// Since 1970.
    package var seconds: Range<Int64>
    /// The movement in it, in order.
    package var movements: [Movement]
    package var kind: WorkoutKind?
    package var title: String?
    package var isDeleted = false
    /// The second by which it is known: of those that were told, the first.
    package var idSecond: Int64
    /// Whether its id was told.
    var isTold = false
    /// Whether an end was told of some of its time: it is told no second time.
    var isEndTold = false
    /// Whether it ends where somebody set an edge, so that nothing follows.
    var hasEdgeAtEnd = false

    package init(_ seconds: Range<Int64>, _ movements: [Movement]) {
        (self.seconds, self.movements, idSecond) = (seconds, movements, seconds.lowerBound)
    }

    /// The minutes that have some of it.
    var minutes: Range<Int64> { seconds.lowerBound / 60..<(seconds.upperBound - 1) / 60 + 1 }

    /// Whether a crank was turned for longer than steps were made.
    var isOfCrank: Bool {
        movements.reduce(0) { $0 + ($1.isOfCrank ? $1.seconds.count : -$1.seconds.count) } > 0
    }

    /// The stretches between movement that are no shorter than a pause.
    package var pauses: [Range<Int64>] {
        var pauses: [Range<Int64>] = []
        var last = seconds.lowerBound
        for next in movements.map({ $0.seconds.clamped(to: seconds) }) + [seconds.upperBound..<seconds.upperBound] {
            if next.lowerBound - last >= Movement.shortestPauseSeconds { pauses.append(last..<next.lowerBound) }
            last = max(last, next.upperBound)
        }
        return pauses
    }
}

/// Finds workouts: movement of at least three minutes with pauses of at most five, cut where somebody checks in. A ride is
/// of a crank alone, so that the walk to it is another workout. From a start mark to its stop there is one workout, whatever
/// moved how in it.
package enum Workouts {
    package static let longestPauseSeconds: Int64 = 300
    package static let shortestSeconds: Int64 = 180
    /// The longest that two workouts may be together to be joined.
    package static let longestJoinedSeconds: Int64 = 24 * 3600

    /// - Parameters:
    ///   - movements: In order.
    ///   - cuts: The seconds at which the subject's devices changed hands.
    package static func find(
        _ movements: [Movement], marks: [WorkoutMark] = [], cuts: Set<Int64> = [], notes: [WorkoutNote] = []
    ) -> [WorkoutSpan] {
        let edges = WorkoutMark.edges(marks, movements)
        let windowEdges = edges.windows.flatMap { [$0.lowerBound, $0.upperBound] }
        let all = cuts.union(edges.cuts).union(edges.starts).union(edges.stops).union(windowEdges).sorted()
        var spans: [WorkoutSpan] = []
        var rest = movements[...]
        for (start, end) in zip([.min] + all, all + [.max]) where start < end {
            rest = rest.drop { $0.seconds.upperBound <= start }
            let region = rest.prefix { $0.seconds.lowerBound < end }.map {
                Movement($0.seconds.clamped(to: start..<end), isOfCrank: $0.isOfCrank)
            }
            if let window = edges.windows.first(where: { $0.contains(start) }) {
                let isWhole = window == start..<end
                let isCut = edges.cuts.contains(start) || edges.cuts.contains(end)
                guard isWhole || isCut || end - start >= shortestSeconds else { continue }
                if !region.isEmpty { spans.append(WorkoutSpan(start..<end, region)) }
            } else {
                var found = natural(region, start..<end, edges)
                if let last = found.last, edges.stops.contains(end),
                    end - last.seconds.upperBound <= longestPauseSeconds
                {
                    found[found.count - 1].seconds = last.seconds.lowerBound..<end
                }
                spans += found
            }
        }
        spans = named(joined(spans, edges.joins), notes)
        let ends = Set(all)
        for index in spans.indices { spans[index].hasEdgeAtEnd = ends.contains(spans[index].seconds.upperBound) }
        return spans
    }

    /// Rides, and walks beside them, within a stretch of time.
    private static func natural(_ movements: [Movement], _ bounds: Range<Int64>, _ edges: WorkoutMark.Edges)
        -> [WorkoutSpan]
    {
        func isNear(_ span: WorkoutSpan) -> Bool { span.seconds.lowerBound - bounds.lowerBound <= longestPauseSeconds }
        let (isCutBefore, isCutAfter) = (edges.cuts.contains(bounds.lowerBound), edges.cuts.contains(bounds.upperBound))
        func kept(_ spans: [WorkoutSpan]) -> [WorkoutSpan] {
            spans.filter { span in
                span.seconds.count >= shortestSeconds || isCutBefore && isNear(span)
                    || isCutAfter && bounds.upperBound - span.seconds.upperBound <= longestPauseSeconds
            }
        }
        let rides = kept(stretches(movements.filter(\.isOfCrank)))
        var steps = movements.filter { !$0.isOfCrank }[...]
        var walks: [WorkoutSpan] = []
        for ride in rides {
            walks += stretches(steps.prefix { $0.seconds.lowerBound < ride.seconds.lowerBound })
            steps = steps.drop { $0.seconds.lowerBound < ride.seconds.upperBound }
        }
        walks = kept(walks + stretches(steps))
        var spans = (rides + walks).sorted { $0.seconds.lowerBound < $1.seconds.lowerBound }
        guard edges.starts.contains(bounds.lowerBound) else { return spans }
        // It begins where somebody said, however short it is.
        if let first = spans.first, isNear(first) {
            spans[0].seconds = bounds.lowerBound..<first.seconds.upperBound
        } else if var first = stretches(movements).first, isNear(first) {
            let end = min(first.seconds.upperBound, spans.first?.seconds.lowerBound ?? .max)
            first.seconds = bounds.lowerBound..<end
            spans.insert(first, at: 0)
        }
        return spans
    }

    /// Movement with pauses that are not too long between.
    private static func stretches(_ movements: some Sequence<Movement>) -> [WorkoutSpan] {
        var spans: [WorkoutSpan] = []
        for next in movements {
            if let last = spans.last, next.seconds.lowerBound - last.seconds.upperBound <= longestPauseSeconds {
                spans[spans.count - 1].seconds = last.seconds.lowerBound..<next.seconds.upperBound
                spans[spans.count - 1].movements.append(next)
            } else {
                spans.append(WorkoutSpan(next.seconds, [next]))
            }
        }
        return spans
    }

    /// Makes one of the workouts on both sides of each of some seconds.
    private static func joined(_ spans: [WorkoutSpan], _ joins: [Int64]) -> [WorkoutSpan] {
        var spans = spans
        for second in joins {
            guard let next = spans.firstIndex(where: { $0.seconds.lowerBound > second }), next > 0,
                spans[next - 1].seconds.upperBound <= second + 1,
                spans[next].seconds.upperBound - spans[next - 1].seconds.lowerBound <= longestJoinedSeconds
            else { continue }
            let later = spans.remove(at: next)
            spans[next - 1].seconds = spans[next - 1].seconds.lowerBound..<later.seconds.upperBound
            spans[next - 1].movements += later.movements
        }
        return spans
    }

    /// Gives each what was said of it; of what was said one after the other the last counts.
    private static func named(_ spans: [WorkoutSpan], _ notes: [WorkoutNote]) -> [WorkoutSpan] {
        var spans = spans
        for note in notes.sorted(by: { ($0.saidSecond ?? 0, $0.second) < ($1.saidSecond ?? 0, $1.second) }) {
            guard let index = index(of: note.second, in: spans) else { continue }
            spans[index].title = note.title ?? spans[index].title
            spans[index].kind = note.kind ?? spans[index].kind
            spans[index].isDeleted = note.isDeleted ?? spans[index].isDeleted
            spans[index].idSecond = spans[index].isTold ? min(spans[index].idSecond, note.second) : note.second
            spans[index].isTold = true
        }
        for note in notes {
            guard let end = note.endedSecond, note.second < end else { continue }
            for index in spans.indices where spans[index].seconds.overlaps(note.second..<end) {
                spans[index].isEndTold = true
            }
        }
        return spans
    }

    /// The workout that an id with a second means: that which has it, or begins within a minute after it, because seconds
    /// are known only as long as traces are kept.
    package static func index(of second: Int64, in spans: [WorkoutSpan]) -> Int? {
        spans.firstIndex { $0.seconds.contains(second) }
            ?? spans.firstIndex { ($0.seconds.lowerBound - 60..<$0.seconds.lowerBound).contains(second) }
    }
}
