import FIT
import Foundation

/// Writes files of known activities, with what their sessions must say, for readers of other people; and says what ours
/// reads in a file of other people, a line a second. `Tests/fit` calls it.
@main
struct FITSamples {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.dropFirst(2).first) {
        case ("write", let folder?): try write(to: URL(fileURLWithPath: folder))
        case ("read", let path?): try read(URL(fileURLWithPath: path))
        default: print("usage: FITSamples write FOLDER | read FILE")
        }
    }

    private static func write(to folder: URL) throws {
        for sample in Sample.all {
            let activity = sample.activity
            try Data(activity.encoded()).write(to: folder.appendingPathComponent(sample.name + ".fit"))
            try JSONEncoder().encode(Expectation(activity)).write(
                to: folder.appendingPathComponent(sample.name + ".json"))
        }
    }

    private static func read(_ url: URL) throws {
        let recording = try FITRecording(Array(Data(contentsOf: url)))
        print("serial", recording.serial.map(String.init) ?? "-")
        for part in recording.parts {
            for (index, second) in part.seconds.enumerated() {
                let numbers = [second.cadence, second.watts, second.bpm].map { $0.map(String.init) ?? "-" }
                print(
                    part.start + Int64(index), part.isOfSteps ? "steps" : "revolutions", numbers.joined(separator: " "))
            }
        }
    }
}

/// What a reader must find in the session, in its own units; missing where it must not be there.
private struct Expectation: Codable {
    var sport: String
    var sub_sport: String
    var start: Int64
    var utc_offset_s: Int
    var records: Int
    var pauses: [[Int64]]
    var total_elapsed_time: Double
    var total_timer_time: Double
    var total_moving_time: Double?
    var total_distance: Double?
    /// Revolutions or steps.
    var count: Double?
    var total_calories: Double?
    var total_work: Double?
    var cadence: [Double]?
    var speed: [Double]?
    var power: [Double]?
    var heart_rate: [Double]?

    init(_ activity: FITActivity) {
        let totals = activity.totals
        (sport, sub_sport) =
            switch activity.sport {
            case .indoorCycling: ("cycling", "indoor_cycling")
            case .walking: ("walking", "generic")
            case .running: ("running", "generic")
            }
        (start, utc_offset_s, records) = (activity.start, activity.utcOffsetSeconds, activity.timerSeconds)
        pauses = activity.pauses.map { [$0.lowerBound, $0.upperBound] }
        total_elapsed_time = Double(activity.seconds.count)
        total_timer_time = Double(activity.timerSeconds)
        (total_moving_time, total_distance) = (totals.movingSeconds, totals.distanceMetres)
        (count, total_calories, total_work) = (totals.count, totals.kilocalories, totals.workJoules)
        func both(_ range: FITActivity.Range?) -> [Double]? { range.map { [$0.average, $0.maximum] } }
        (cadence, speed) = (both(totals.cadence), both(totals.speedMetresPerSecond))
        (power, heart_rate) = (both(totals.watts), both(totals.bpm))
    }
}

/// An activity made by a rule.
private struct Sample {
    var name: String
    var sport = FITActivity.Sport.indoorCycling
    /// A Sunday at 00:30 UTC, half an hour before the clocks of Berlin are put back.
    var start: Int64 = 1_792_888_200
    var seconds: Int
    var pauses: [Range<Int64>] = []
    /// Seconds of which nothing is known.
    var gap: Range<Int> = 0..<0
    var hasPower = true
    var hasHeart = true
    var utcOffsetSeconds = 7200

    static let all = [
        Sample(name: "three-minutes", seconds: 180),
        Sample(name: "six-hours", seconds: 6 * 3600, pauses: [1_792_892_000..<1_792_892_299]),
        Sample(name: "no-power", seconds: 1800, hasPower: false, utcOffsetSeconds: -34_200),
        Sample(
            name: "pauses-and-gap", seconds: 3600,
            pauses: [1_792_888_800..<1_792_888_900, 1_792_890_000..<1_792_890_120], gap: 2400..<2700),
        Sample(name: "across-a-change", seconds: 2 * 3600),
        Sample(name: "nothing-known", seconds: 300, gap: 0..<300),
        Sample(name: "walk", sport: .walking, seconds: 1234, hasPower: false, utcOffsetSeconds: 0),
        Sample(name: "run", sport: .running, seconds: 1801, gap: 20..<30, hasPower: false),
    ]

    var activity: FITActivity {
        let paused = Set(pauses.flatMap { $0.map { Int($0 - start) } })
        let seconds = (0..<seconds).map { index -> FITActivity.Second in
            guard !gap.contains(index), !paused.contains(index) else { return FITActivity.Second() }
            let cadence = (sport.isOfSteps ? 111 : 83) + index * 7919 % 13
            return FITActivity.Second(
                cadence: cadence, watts: hasPower ? 150 + index % 100 : nil, bpm: hasHeart ? 120 + index / 60 % 40 : nil
            )
        }
        func range(_ values: [Int]) -> FITActivity.Range? {
            guard let maximum = values.max() else { return nil }
            return FITActivity.Range(
                average: Double(values.reduce(0, +)) / Double(values.count), maximum: Double(maximum))
        }
        var totals = FITActivity.Totals()
        let watts = seconds.compactMap(\.watts)
        (totals.cadence, totals.watts) = (range(seconds.compactMap(\.cadence)), range(watts))
        totals.bpm = range(seconds.compactMap(\.bpm))
        totals.workJoules = watts.isEmpty ? nil : Double(watts.reduce(0, +))
        totals.count = (Double(seconds.compactMap(\.cadence).reduce(0, +)) / 60).rounded()
        totals.distanceMetres = totals.count.map { $0 * (sport.isOfSteps ? 0.72 : 5.1) }
        totals.kilocalories = totals.workJoules.map { ($0 / 1000).rounded() }
        totals.movingSeconds = Double(seconds.count { $0.cadence != nil })
        if let distance = totals.distanceMetres, let moving = totals.movingSeconds, moving > 0 {
            totals.speedMetresPerSecond = FITActivity.Range(average: distance / moving, maximum: 9.21)
        }
        return FITActivity(
            sport: sport, serial: 3_000_000_021, deviceName: "bike-07", start: start, seconds: seconds, pauses: pauses,
            utcOffsetSeconds: utcOffsetSeconds, totals: totals)
    }
}
