import FIT
import Foundation
import Wire

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
            try JSONEncoder().encode(
                Expectation(activity, utcOffsetSeconds: sample.utcOffsetSeconds)
            ).write(
                to: folder.appendingPathComponent(sample.name + ".json"))
        }
    }

    private static func read(_ url: URL) throws {
        let recording = try FITRecording(Array(Data(contentsOf: url)))
        print("serial", recording.serial.map(String.init) ?? "-")
        for part in recording.parts {
            for index in 0..<part.count {
                let numbers = [part.cadence, part.watts, part.bpm].map { $0[index].map(String.init) ?? "-" }
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

    var title: String?

    init(_ activity: FITActivity, utcOffsetSeconds: Int) {
        let workout = activity.workout
        (sport, sub_sport) =
            switch workout.kind {
            case .ride: ("cycling", "indoor_cycling")
            case .walk: ("walking", "generic")
            case .run: ("running", "generic")
            }
        (start, utc_offset_s, records) = (activity.start, utcOffsetSeconds, activity.timerSeconds)
        pauses = activity.pauses.map { [$0.lowerBound, $0.upperBound] }
        total_elapsed_time = Double(activity.end - activity.start)
        total_timer_time = Double(activity.timerSeconds)
        (total_moving_time, total_distance) = (workout.movingSeconds, workout.distanceMetres)
        let cycles = activity.isOfSteps ? workout.steps : workout.revolutions
        (count, total_calories) = (cycles > 0 ? Double(cycles) : nil, workout.energy?.kilocalories)
        total_work = workout.power.map { $0.workKilojoules * 1000 }
        cadence = (activity.isOfSteps ? workout.spm : workout.rpm).map { [$0.average, $0.maximum] }
        speed = workout.speedAverageMetresPerSecond.map { [$0, workout.speedMaximumMetresPerSecond ?? $0] }
        func both(_ figures: ReadingFigures?) -> [Double]? { figures.map { [$0.average, $0.maximum] } }
        (power, heart_rate, title) = (both(workout.power), both(workout.heart), workout.title)
    }
}

/// An activity made by a rule.
private struct Sample {
    var name: String
    var kind = WorkoutKind.ride
    var title: String?
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
        Sample(name: "three-minutes", title: "Hügel", seconds: 180),
        Sample(name: "six-hours", seconds: 6 * 3600, pauses: [1_792_892_000..<1_792_892_299]),
        Sample(name: "no-power", seconds: 1800, hasPower: false, utcOffsetSeconds: -34_200),
        Sample(
            name: "pauses-and-gap", seconds: 3600,
            pauses: [1_792_888_800..<1_792_888_900, 1_792_890_000..<1_792_890_120], gap: 2400..<2700),
        Sample(name: "across-a-change", seconds: 2 * 3600),
        Sample(name: "nothing-known", seconds: 300, gap: 0..<300),
        Sample(name: "walk", kind: .walk, seconds: 1234, hasPower: false, utcOffsetSeconds: 0),
        Sample(name: "run", kind: .run, seconds: 1801, gap: 20..<30, hasPower: false),
    ]

    var activity: FITActivity {
        let paused = RangeSet(pauses)
        func numbers(_ number: (Int) -> Int?) -> [Int?] {
            (0..<seconds).map { gap.contains($0) || paused.contains(start + Int64($0)) ? nil : number($0) }
        }
        let isOfSteps = kind != .ride
        let cadence = numbers { (isOfSteps ? 111 : 83) + $0 * 7919 % 13 }
        let watts = numbers { hasPower ? 150 + $0 % 100 : nil }
        let bpm = numbers { hasHeart ? 120 + $0 / 60 % 40 : nil }
        func sum(_ numbers: [Int?]) -> RateSum {
            numbers.reduce(into: RateSum()) { sum, number in
                guard let number = number.map(Double.init) else { return }
                sum += RateSum(integral: number, seconds: 1, minimum: number, maximum: number)
            }
        }
        let cycles = (sum(cadence).integral / 60).rounded()
        let workout = Workout {
            ($0.kind, $0.title, $0.devices) = (kind, title, [try? DeviceID("bike-07")].compactMap(\.self))
            ($0.start, $0.end) = (Double(start), Double(start) + Double(seconds))
            $0.pauses = pauses.map { Double($0.lowerBound)..<Double($0.upperBound) }
            $0.movingSeconds = Double(sum(cadence).seconds)
            if isOfSteps { $0.steps = UInt64(cycles) } else { $0.revolutions = UInt64(cycles) }
            let rate = sum(cadence)
            let figures = rate.mean.map { CadenceFigures(average: $0, minimum: rate.minimum, maximum: rate.maximum) }
            if isOfSteps { $0.spm = figures } else { $0.rpm = figures }
            ($0.power, $0.heart) = (ReadingFigures(sum(watts)), ReadingFigures(sum(bpm)))
            $0.energy = $0.power.map {
                WorkoutEnergy(kilocalories: $0.workKilojoules.rounded(), source: .power, formula: "")
            }
            if cycles > 0 {
                let metres = cycles * (isOfSteps ? 0.72 : 5.1)
                $0.distanceMetres = metres
                $0.speedAverageMetresPerSecond = metres / $0.movingSeconds
                $0.speedMaximumMetresPerSecond = 9.21
            }
        }
        return FITActivity(
            workout, WorkoutData { ($0.cadence, $0.watts, $0.bpm) = (cadence, watts, bpm) },
            utcOffsetSeconds: Int64(utcOffsetSeconds))
    }
}
