/// What the riders of a class are ranked by.
package enum ClassRanking: String, Sendable, Hashable, CaseIterable {
    /// Seconds in which the target was kept.
    case timeInTarget = "time_in_target"
    case distance
    /// Work by the power.
    case work
}

package enum ClassLimits {
    package static let lengthSeconds = 60...14_400
    package static let stepSeconds = 5...14_400
    /// As many as a request has room for.
    package static let maximumSteps = 30
    /// The cadence of a target, in turns a minute.
    package static let cadenceRPM = 0...250
    package static let powerWatts = 0...2_500
    /// The most devices that are named for a class, and the most riders that are shown of one.
    package static let maximumRiders = 100
    /// The time that the summary of a class that is over stays, in seconds.
    package static let summarySeconds = 60.0
}

/// A part of a class, with what is to be kept to in it; without a target it is free.
package struct ClassStep: FieldPayload, Hashable {
    package var lengthSeconds = 0
    package var cadenceMinimumRPM: Int?
    package var cadenceMaximumRPM: Int?
    package var powerMinimumWatts: Int?
    package var powerMaximumWatts: Int?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("length_s", &lengthSeconds, .whole(in: ClassLimits.stepSeconds))
        try list.field("cadence_min_rpm", &cadenceMinimumRPM, .whole(in: ClassLimits.cadenceRPM))
        try list.field("cadence_max_rpm", &cadenceMaximumRPM, .whole(in: ClassLimits.cadenceRPM))
        try list.field("power_min_w", &powerMinimumWatts, .whole(in: ClassLimits.powerWatts))
        try list.field("power_max_w", &powerMaximumWatts, .whole(in: ClassLimits.powerWatts))
    }
}

/// `class`: the class that runs, retained until a minute after its end; and an entry of `history/classes`.
package struct ClassReport: FieldPayload, Hashable {
    /// The time of the report, in seconds since 1970.
    package var t = 0.0
    package var id = ""
    package var title = ""
    /// The beginning, in seconds since 1970.
    package var start = 0.0
    /// How long it was to be, in seconds.
    package var lengthSeconds = 0
    /// The place of the present step among the steps, from 0 on; nil where there is none, and after the end.
    package var step: Int?
    /// The end of the present step, in seconds since 1970.
    package var stepEnd: Double?
    package var steps: [ClassStep] = []
    package var ranking = ClassRanking.timeInTarget
    /// Who rides, by their ranks.
    package var riders: [ClassRider] = []
    /// The teams, by their ranks.
    package var teams: [ClassTeam] = []
    /// The end, in seconds since 1970; nil while it runs.
    package var ended: Double?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("id", &id, .text)
        try list.field("title", &title, .text)
        try list.field("start", &start, .time)
        try list.field("length_s", &lengthSeconds, .whole(in: ClassLimits.lengthSeconds))
        try list.field("step", &step, .whole(in: 0...ClassLimits.maximumSteps - 1))
        try list.field("step_end", &stepEnd, .time)
        try list.field("steps", &steps, .list())
        try list.field("ranking", &ranking, .word)
        try list.field("riders", &riders, .list())
        try list.field("teams", &teams, .list())
        try list.field("ended", &ended, .time)
    }

    package static let maximumBytes = 65_536
}

/// What a rider did in a class, or the riders of a team on average.
package struct ClassFigures: Hashable, Sendable {
    package var timeInTargetSeconds = 0.0
    /// In metres; nil where the length of a turn is not known.
    package var distanceMetres: Double?
    /// In kilojoules; nil where no power is known.
    package var workKilojoules: Double?

    package init() {}

    /// What counts in a ranking.
    package subscript(ranking: ClassRanking) -> Double {
        switch ranking {
        case .timeInTarget: timeInTargetSeconds
        case .distance: distanceMetres ?? 0
        case .work: workKilojoules ?? 0
        }
    }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("time_in_target_s", &timeInTargetSeconds, .number(in: 0...14_400, decimals: 1))
        try list.field("distance_m", &distanceMetres, .metres)
        try list.field("work_kj", &workKilojoules, .number(in: 0...1e6, decimals: 3))
    }
}

/// A rider of a class: who had a bike in it, or the bike alone.
package struct ClassRider: FieldPayload, Hashable {
    package var device = DeviceID()
    /// The alias of who had it, or the bike's id.
    package var name = ""
    package var team: String?
    /// 1 for the first; those who did the same share one.
    package var rank = 1
    package var figures = ClassFigures()

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("name", &name, .text)
        try list.field("team", &team, .text)
        try list.field("rank", &rank, .whole(in: 1...ClassLimits.maximumRiders))
        try figures.fields(&list)
    }
}

/// A team of a class, of its riders who turned a crank.
package struct ClassTeam: FieldPayload, Hashable {
    package var team = ""
    package var rank = 1
    /// How many there are.
    package var riders = 0
    package var figures = ClassFigures()

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("team", &team, .text)
        try list.field("rank", &rank, .whole(in: 1...ClassLimits.maximumRiders))
        try list.field("riders", &riders, .whole(in: 0...ClassLimits.maximumRiders))
        try figures.fields(&list)
    }
}

/// `wall`: what a screen on the wall shows, retained. It is all that a viewer reads of people.
package struct WallReport: FieldPayload, Hashable {
    /// The most entries: those that counted last.
    package static let maximumEntries = 200

    /// The time of the report, in seconds since 1970. An old one is not shown as now.
    package var t = 0.0
    /// The devices that have counted today, by their ids.
    package var entries: [WallEntry] = []

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("t", &t, .time)
        try list.field("entries", &entries, .list())
    }
}

/// A device on the wall: one whose person has an alias, or a bike.
package struct WallEntry: FieldPayload, Hashable {
    package var device = DeviceID()
    package var kind = DeviceKind.unknown
    /// The alias of the person who has the device now; nil for a bike of nobody, or of somebody without an alias.
    package var alias: String?
    /// Steps of today: the person's, or the bike's.
    package var steps: UInt64 = 0
    /// Crank revolutions of today: the person's, or the bike's.
    package var revolutions: UInt64 = 0
    /// The first instant after that day, in seconds since 1970.
    package var end = 0.0

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("device", &device, .device)
        try list.field("kind", &kind, .word)
        try list.field("alias", &alias, .text)
        try list.field("steps", &steps, .count)
        try list.field("revolutions", &revolutions, .count)
        try list.field("end", &end, .time)
    }
}
