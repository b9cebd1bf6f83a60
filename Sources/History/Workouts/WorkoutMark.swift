package import Wire

/// An edge that somebody has set: at a second there is one.
package struct WorkoutMark: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case start, stop, toggle
        /// A workout is cut in two here.
        case cut
        /// The workouts before and after are one.
        case join
    }

    /// Since 1970.
    package var second: Int64
    package var kind: Kind

    package init(_ second: Int64, _ kind: Kind) { (self.second, self.kind) = (second, kind) }
}

extension WorkoutMark {
    /// A button that is pressed again within this bounced, or its message came twice.
    static let bounceSeconds: Int64 = 3
    /// A stop that comes later than this belongs to no start.
    static let longestWindowSeconds: Int64 = 12 * 3600
    /// A toggle so long after the last movement begins something new: the one before was never ended.
    static let forgottenSeconds: Int64 = 1800

    /// What the marks of somebody say together.
    struct Edges {
        /// From a start to its stop.
        var windows: [Range<Int64>] = []
        /// Starts without a stop, and stops without a start.
        var (starts, stops): (Set<Int64>, Set<Int64>) = ([], [])
        var (cuts, joins): (Set<Int64>, [Int64]) = ([], [])
    }

    /// Pairs marks of some seconds, in whatever order they came.
    static func edges(_ marks: [WorkoutMark], _ movements: [Movement]) -> Edges {
        var edges = Edges()
        var (open, last): (Int64?, [Kind: Int64]) = (nil, [:])
        func close() { if let start = open { edges.starts.insert(start) } }
        var next = 0
        for mark in marks.sorted(by: { ($0.second, $0.kind.rawValue) < ($1.second, $1.kind.rawValue) }) {
            defer { last[mark.kind] = mark.second }
            while next < movements.count, movements[next].seconds.lowerBound < mark.second { next += 1 }
            if let before = last[mark.kind], mark.second - before < bounceSeconds { continue }
            let isOpen = open.map { mark.second - $0 <= longestWindowSeconds } ?? false
            let moved = max(open ?? .min, next > 0 ? movements[next - 1].seconds.upperBound : .min)
            let isStill = moved < mark.second - forgottenSeconds
            switch mark.kind {
            case .cut: edges.cuts.insert(mark.second)
            case .join: edges.joins.append(mark.second)
            case .stop, .toggle:
                if isOpen, mark.kind == .stop || !isStill, let start = open, start < mark.second {
                    edges.windows.append(start..<mark.second)
                    open = nil
                } else if mark.kind == .stop {
                    edges.stops.insert(mark.second)
                } else {
                    fallthrough
                }
            case .start:
                close()
                open = mark.second
            }
        }
        close()
        return edges
    }
}

/// What was said of the workouts of some time.
struct WorkoutWords: Sendable, Equatable {
    var marks: [WorkoutMark]
    var notes: [WorkoutNote]
    /// The seconds at which somebody checked in or out.
    var cuts: Set<Int64>
}

/// What somebody has said of a workout, by a second of it.
package struct WorkoutNote: Sendable, Equatable {
    /// Where the workout began when its id was first told.
    package var second: Int64
    package var title: String?
    package var kind: WorkoutKind?
    package var isDeleted: Bool?
    /// When it was said last, in seconds since 1970.
    var saidSecond: Int64?
    /// The end, in seconds since 1970, if that was told.
    var endedSecond: Int64?

    package init(_ second: Int64, title: String? = nil, kind: WorkoutKind? = nil, isDeleted: Bool? = nil) {
        (self.second, self.title, self.kind, self.isDeleted) = (second, title, kind, isDeleted)
    }
}
