import ArgumentParser
import Counter
import Foundation
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Feeds many devices, in turn, with frames of 50 samples of six axes, and says what each frame took of a core.
///
/// Under `valgrind --tool=callgrind --toggle-collect='*feed*'` the same run gives instructions and cache misses, which no
/// neighbour on the machine changes.
struct CostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cost", abstract: "Say what a frame costs, in microseconds of user and system time.")

    @Option(help: "How many devices send, in turn.")
    var devices = 1_000

    @Option(help: "Frames of each.")
    var frames = 60

    @Option(help: "Riders and walkers whose frames all devices send; half of each.")
    var bases = 32

    @Option(help: "bikes, people or both.")
    var kind = Kind.both

    @Option(help: "Frames between two states of a device; 0 for none.")
    var framesAState = 0

    @Option(help: "How often to measure; the least and the median are printed.")
    var rounds = 1

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case bikes, people, both
    }

    /// Frames of a base that are made; the same come again after them, later.
    private static let frameLimit = 300

    func validate() throws {
        guard devices > 0, frames > 0, bases > 0, framesAState >= 0, rounds > 0 else {
            throw ValidationError("all numbers must be above 0; --frames-a-state may be 0")
        }
    }

    func run() throws {
        let bases = min(bases, devices)
        var signals = try (0..<bases).map {
            try BaseSignal(number: $0, kind: kind, frames: min(frames, Self.frameLimit))
        }
        let ids = try (0..<devices).map { try DeviceID("dev-\($0)") }
        var (user, system): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            var pipeline = CounterPipeline()
            for (index, id) in ids.enumerated() {
                pipeline.configure(device: id, signals[index % bases].configuration)
            }
            _ = pipeline.takeCommit()
            let before = ProcessTime.now
            feed(&signals, ids, &pipeline)
            let after = ProcessTime.now
            user.append(after.user - before.user)
            system.append(after.system - before.system)
        }
        let count = Double(devices * frames)
        func microseconds(_ seconds: [Double]) -> String {
            let sorted = seconds.sorted().map { String(format: "%.2f", $0 / count * 1e6) }
            return "\(sorted[0]) (median \(sorted[sorted.count / 2]))"
        }
        print(
            "\(devices) devices, \(frames) frames: µs a frame, user \(microseconds(user)), system \(microseconds(system))"
        )
    }

    /// Not inlined, so that a profiler finds it by its name.
    @inline(never)
    private func feed(_ signals: inout [BaseSignal], _ ids: [DeviceID], _ pipeline: inout CounterPipeline) {
        var stored = 0
        for number in 0..<frames {
            for (index, id) in ids.enumerated() {
                pipeline.accept(signals[index % signals.count].record(number, of: id))
                if index % 30 == 29 { _ = pipeline.takeLive() }
            }
            _ = pipeline.takeLive()
            if framesAState > 0, (number + 1) % framesAState == 0 { stored += pipeline.takeCommit().states.count }
        }
        withExtendedLifetime(stored) {}
    }
}

/// The frames of a rider or walker, which several devices send.
private struct BaseSignal {
    let configuration: DeviceConfig
    private let frames: [Frame]
    private let lengthMicroseconds: Int64

    init(number: Int, kind: CostCommand.Kind, frames count: Int) throws {
        let isBike = kind == .both ? number.isMultiple(of: 2) : kind == .bikes
        let signal = try SimulatedSignal(isBike: isBike, seed: 1 + UInt64(number), seconds: count)
        (configuration, frames) = (signal.configuration, signal.frames)
        lengthMicroseconds = Int64(count) * 1_000_000
    }

    /// The record of a device's frame; after the last one the first comes again.
    func record(_ number: Int, of device: DeviceID) -> MotionRecord {
        var frame = frames[number % frames.count]
        let shift = Int64(number / frames.count) * lengthMicroseconds
        var arrival: Int64 = 0
        if case .utc(let start) = frame.time {
            frame.time = .utc(microseconds: start + shift)
            arrival = start + shift + 1_000_000
        }
        if case .sequenced(let boot, _) = frame.identity {
            frame.identity = .sequenced(boot: boot, sequence: UInt64(number))
        }
        return MotionRecord(device: device, arrivalMicroseconds: arrival, content: .frame(frame))
    }
}

/// The time that this process has used the cores, in seconds.
struct ProcessTime {
    let user, system: Double

    static var now: ProcessTime {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessTime(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
    }
}
