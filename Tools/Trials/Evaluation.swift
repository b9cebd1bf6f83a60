import ArgumentParser
import Foundation
import Lab
import Wire

struct EvaluateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Count a folder of recordings with truth, and say how well, a group at a time.",
        discussion: """
            The folder holds an index.csv (file, subject, activity, placement, duration_s, true_steps) and the CSV files of \
            'stridebus count'. Groups are folder × placement × activity and are never pooled. It is the counter's own \
            pipeline, so the services count the same.
            """)

    @Argument(help: "The folder.", completion: .directory)
    var folder: String

    @Flag(help: "Print a JSON object a recording instead of the table of the groups.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "The counter is told what each device is and where it sits.")
    var config = true

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let results = try RecordingIndex(folder: folder).entries.map {
            try RecordingResult(counting: $0, in: folder, isConfigured: config)
        }
        guard !json else { return results.forEach { Output.json($0.encodedJSON()) } }
        TextTable(evaluating: results).lines.forEach(Output.line)
    }
}

/// The counts of a recording beside the truth.
struct RecordingResult: Sendable {
    /// The file, relative to the folder.
    let file: String
    /// The subject of the recording, or its capture date.
    let subject: String
    let key: GroupKey
    /// Time for which samples exist, in minutes.
    let minutes: Double
    /// Steps made; nil where it is unknown.
    let trueSteps: Int?
    let steps: Int
    let revolutions: Int
    /// The seconds that were told to be of each activity, in the order of `ActivityKind`.
    let activitySeconds: [Int]

    /// |counted − true| / true in percent; nil where no step was made or the truth is unknown.
    var absolutePercentageError: Double? {
        guard let trueSteps, trueSteps > 0 else { return nil }
        return 100 * abs(Double(steps) - Double(trueSteps)) / Double(trueSteps)
    }

    /// The result as one JSON line; what is not known is left out.
    func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("file", file)
            writer.field("subject", subject)
            for (name, word) in zip(GroupKey.headings, key.cells) { writer.field(name, word) }
            writer.field("minutes", minutes, decimals: 3)
            writer.field("true_steps", trueSteps)
            writer.field("steps", steps)
            writer.field("revolutions", revolutions)
            writer.field("ape", absolutePercentageError, decimals: 3)
            for (kind, seconds) in zip(ActivityKind.allCases, activitySeconds) {
                writer.field("\(kind.name)_s", seconds)
            }
        }
    }
}

extension RecordingResult {
    /// Counts a recording of a folder as the services would; the counter knows what the device is and where it sits, or
    /// nothing.
    ///
    /// - Throws: `RecordingError`, or `WireError` where the counter refuses the device.
    init(counting entry: RecordingIndex.Entry, in folder: URL, isConfigured: Bool) throws {
        let recording = try RecordingFile(contentsOf: folder.appendingPathComponent(entry.file))
        var configuration = DeviceConfig()
        if isConfigured {
            // A sensor on a frame or crank is a bike's; elsewhere it is a person's.
            let placement = entry.placementKeyword
            configuration.kind = placement == .frame || placement == .crank ? .bike : .wearable
            configuration.placement = placement
        }
        var count = OfflineCount(device: try DeviceID("recording"), configuration: configuration)
        count.accept(recording.frames(frameSeconds: 0.5))
        let summary = count.finish()
        let kinds = count.seconds().map(\.activity)
        self.init(
            file: entry.file, subject: entry.subject, key: GroupKey(entry), minutes: summary.durationSeconds / 60,
            trueSteps: entry.trueSteps, steps: Int(clamping: summary.steps),
            revolutions: Int(clamping: summary.revolutions),
            activitySeconds: ActivityKind.allCases.map { kind in kinds.count { $0 == kind } })
    }
}

/// The recordings whose results belong together: of one source, one place on the body and one kind of activity.
///
/// Sources differ in how their truth came about, and placements in how hard they are, so nothing is pooled over them.
struct GroupKey: Sendable, Hashable, Comparable {
    /// The folder that the recordings lie in.
    let folder: String
    let placement: SensorPlacement
    let activity: ActivityClass

    /// By folder, then activity, then placement.
    static func < (left: GroupKey, right: GroupKey) -> Bool {
        (left.folder, left.activity.rawValue, left.placement.rawValue)
            < (right.folder, right.activity.rawValue, right.placement.rawValue)
    }
}

extension GroupKey {
    static let headings = ["folder", "placement", "activity"]

    var cells: [String] { [folder, placement.rawValue, activity.rawValue] }

    init(_ entry: RecordingIndex.Entry) {
        self.init(
            folder: entry.group, placement: entry.placementKeyword,
            activity: ActivityClass(activity: entry.activity, trueSteps: entry.trueSteps))
    }
}

/// The class of a recording's activity, as far as counting is concerned.
enum ActivityClass: String, Sendable, Hashable, CaseIterable {
    case walk
    case run
    /// Pedalling: revolutions, and no steps.
    case bike
    /// In a vehicle: no steps, nor any of what follows.
    case vehicle
    /// At rest, but for what a hand does in between.
    case still
    /// A movement that is repeated, of an arm or in place.
    case gesture
    /// Anything else.
    case other

    private static let words: [(String, ActivityClass)] = [
        ("non-walk", .other), ("cycling", .bike), ("bike", .bike), ("biking", .bike), ("pedal", .bike),
        ("ergometer", .bike), ("run", .run), ("jog", .run), ("sprint", .run), ("walk", .walk), ("stairs", .walk),
        ("gait", .walk), ("hik", .walk), ("daily activities", .walk), ("driv", .vehicle), ("vehicle", .vehicle),
        ("by car", .vehicle), ("by bus", .vehicle), ("by train", .vehicle), ("tram", .vehicle), ("still", .still),
        ("stationary", .still), ("sitting", .still), ("standing", .still), ("lying", .still), ("gesture", .gesture),
        ("exercise", .gesture), ("shaking", .gesture), ("squat", .gesture), ("clap", .gesture), ("typing", .gesture),
        ("drinking", .gesture),
    ]

    /// The class whose word an index's free text contains; the first of a list that goes from particular to general.
    /// What is called a gait but made no step was none.
    init(activity: String, trueSteps: Int?) {
        let text = activity.lowercased()
        let named = Self.words.first { text.contains($0.0) }?.1 ?? .other
        self = trueSteps == 0 && (named == .walk || named == .run) ? .other : named
    }
}

/// The figures of one group of recordings, a line of the table of an evaluation.
struct GroupResult: Sendable {
    let key: GroupKey
    let count: Int
    /// Absolute percentage errors of the recordings in which steps were made.
    let stepErrors: ErrorDistribution?
    /// All steps counted in those over all that were made.
    let totalRatio: Double?
    /// Steps counted a minute where none was made.
    let falseStepsPerMinute: Double?

    init(key: GroupKey, results: [RecordingResult]) {
        self.key = key
        count = results.count
        stepErrors = ErrorDistribution(results.compactMap(\.absolutePercentageError))
        func ratio(_ results: [RecordingResult], _ whole: (RecordingResult) -> Double) -> Double? {
            let sum = results.reduce(0) { $0 + whole($1) }
            return sum > 0 ? Double(results.reduce(0) { $0 + $1.steps }) / sum : nil
        }
        totalRatio = ratio(results.filter { $0.trueSteps ?? 0 > 0 }) { Double($0.trueSteps ?? 0) }
        falseStepsPerMinute = ratio(results.filter { $0.trueSteps == 0 }, \.minutes)
    }

    /// The groups of recordings whose steps are known, in order.
    static func all(of results: [RecordingResult]) -> [GroupResult] {
        Dictionary(grouping: results.filter { $0.trueSteps != nil }, by: \.key)
            .map { GroupResult(key: $0.key, results: $0.value) }
            .sorted { $0.key < $1.key }
    }
}

extension TextTable {
    /// How well recordings were counted, a line a group.
    init(evaluating results: [RecordingResult]) {
        let numbers = ["n", "median %", "mean %", "p90 %", "total", "false/min"]
        self.init(columns: GroupKey.headings.map { .words($0) } + numbers.map { .numbers($0) })
        for group in GroupResult.all(of: results) {
            append(
                group.key.cells + [
                    "\(group.count)", DecimalText.text(group.stepErrors?.median, decimals: 1),
                    DecimalText.text(group.stepErrors?.mean, decimals: 1),
                    DecimalText.text(group.stepErrors?.ninetiethPercentile, decimals: 1),
                    DecimalText.text(group.totalRatio, decimals: 3),
                    DecimalText.text(group.falseStepsPerMinute, decimals: 2),
                ])
        }
    }
}

/// The distribution of errors.
struct ErrorDistribution: Sendable {
    let count: Int
    /// The middle one; the mean of the two in the middle of an even count.
    let median: Double
    let mean: Double
    /// The least error that nine in ten do not exceed (nearest rank).
    let ninetiethPercentile: Double

    /// Nil where there are no errors.
    init?(_ errors: [Double]) {
        guard !errors.isEmpty else { return nil }
        let sorted = errors.sorted()
        count = sorted.count
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
        mean = sorted.reduce(0, +) / Double(count)
        ninetiethPercentile = sorted[(count * 9 + 9) / 10 - 1]
    }
}
