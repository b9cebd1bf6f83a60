import Bodies
import Lab
import Wire

/// A table of trials with a line for each of their conditions, in the order of their first trial.
struct TrialTable {
    /// A column of numbers: its heading, and its cell for the trials of one line.
    private typealias Column = (heading: String, cell: ([SimulatedTrial]) -> String)

    /// The headings of the cells of the conditions.
    private let conditions: [TextTable.Column]
    private let columns: [Column]
    private let trials: [SimulatedTrial]

    /// Walks, a line for each of their conditions.
    init(walks: [SimulatedTrial]) {
        trials = walks
        conditions = [.words("steps a minute")]
        columns = [
            ("walks", { "\($0.count)" }), Self.mean("mean %", \.stepError), Self.worst("worst %", \.stepError),
            (
                "total ratio",
                { walks in
                    let truth = walks.reduce(0) { $0 + $1.truth.steps }
                    let steps = walks.reduce(0) { $0 + $1.counted.steps }
                    return DecimalText.text(truth > 0 ? Double(steps) / Double(truth) : nil, decimals: 3)
                }
            ),
            Self.share("silent %", \.silentSeconds, of: \.movingSeconds),
            Self.share("told at rest %", \.falseSeconds, of: \.restSeconds),
            (
                "false steps/min",
                { $0.contains { $0.truth.steps > 0 } ? "" : Self.perMinute($0, \.counted.steps) }
            ),
            ("revolutions/min", { Self.perMinute($0, \.counted.revolutions) }),
        ]
    }

    /// The share of a ride's seconds from which on the ride is called wrong by an octave.
    private static let octaveRideShare = 0.1

    /// Rides at one placement, or on bikes that vary, a line for each of their conditions.
    init(rides: [SimulatedTrial], on placement: SimulatedPlacement, isVaried: Bool = false) {
        trials = rides
        let headings = placement == .frame ? ["signal/noise", isVaried ? "bikes" : "2x/1x"] : ["worn", "rpm"]
        conditions = headings.map { .numbers($0) }
        columns = [
            ("rides", { "\($0.count)" }), Self.mean("revolutions mean %", \.revolutionError),
            Self.worst("worst %", \.revolutionError),
            (
                "rpm MAE",
                { DecimalText.text(ErrorDistribution($0.flatMap(\.cadence.absoluteErrors))?.mean, decimals: 2) }
            ),
            Self.share("within 5 rpm %", \.rightSeconds, of: \.movingSeconds),
            Self.share("silent %", \.silentSeconds, of: \.movingSeconds),
            Self.share("octave %", \.octaveSeconds, of: \.movingSeconds),
            (
                "octave rides",
                { rides in
                    let wrong = rides.map(\.cadence).count {
                        Double($0.octaveSeconds) > Self.octaveRideShare * Double($0.movingSeconds)
                    }
                    return "\(wrong)"
                }
            ),
            Self.share("false at rest %", \.falseSeconds, of: \.restSeconds),
            ("steps/min", { Self.perMinute($0, \.counted.steps) }),
        ]
    }

    /// A number of the trials' cadence as a share of another, in percent.
    private static func share(
        _ heading: String, _ part: @escaping (CadenceTally) -> Int, of whole: @escaping (CadenceTally) -> Int
    ) -> Column {
        (
            heading,
            { trials in
                let sum = trials.reduce(0) { $0 + whole($1.cadence) }
                let parts = trials.reduce(0) { $0 + part($1.cadence) }
                return DecimalText.text(sum > 0 ? 100 * Double(parts) / Double(sum) : nil, decimals: 1)
            }
        )
    }

    /// The mean of an error that not every trial has.
    private static func mean(_ heading: String, _ error: @escaping (SimulatedTrial) -> Double?) -> Column {
        (heading, { DecimalText.text(ErrorDistribution($0.compactMap(error))?.mean, decimals: 1) })
    }

    /// The greatest error of any trial.
    private static func worst(_ heading: String, _ error: @escaping (SimulatedTrial) -> Double?) -> Column {
        (heading, { DecimalText.text($0.compactMap(error).max(), decimals: 1) })
    }

    /// A count a minute.
    private static func perMinute(_ trials: [SimulatedTrial], _ count: (SimulatedTrial) -> Int) -> String {
        let minutes = Double(trials.reduce(0) { $0 + $1.seconds }) / 60
        return DecimalText.text(Double(trials.reduce(0) { $0 + count($1) }) / minutes, decimals: 1)
    }

    /// The table, a line each under a heading.
    var table: TextTable {
        var table = TextTable(columns: conditions + columns.map { .numbers($0.heading) })
        var seen: Set<[String]> = []
        for cells in trials.map(\.conditions.cells) where seen.insert(cells).inserted {
            let group = trials.filter { $0.conditions.cells == cells }
            table.append(cells + columns.map { $0.cell(group) })
        }
        return table
    }

    /// The share of right cadences at each confidence, a line each; tenths without a report are left out.
    var confidence: TextTable {
        var table = TextTable(columns: [.numbers("confidence"), .numbers("right"), .numbers("seconds")])
        let tally = trials.reduce(into: ConfidenceTally()) { $0.add($1.cadence.confidence) }
        for bin in tally.bins where bin.seconds > 0 {
            let shares = [bin.meanConfidence, bin.rightShare].map { DecimalText.fixed($0, decimals: 2) }
            table.append(shares + ["\(bin.seconds)"])
        }
        return table
    }

    /// Both tables as one JSON object, `{"rows":[…], "confidence":[…]}`: of each row its cells by their headings.
    func encodedJSON() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, table) in [("rows", table), ("confidence", confidence)] {
            writer.key(name)
            writer.beginArray()
            for row in table.rows {
                writer.beginObject()
                for (column, cell) in zip(table.columns, row) { writer.field(column.title, cell) }
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        return writer.bytes
    }
}
