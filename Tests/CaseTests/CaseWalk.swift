import Foundation

/// Somebody who walks evenly with a sensor at 50 Hz, whose clock is worse than its frames.
struct CaseWalk {
    private enum Clock: String {
        case exact, floor, float32, constant, none, uptime, started, iso
    }

    private var seconds = 60.0
    private var samplesAFrame = 50
    private var clock = Clock.exact
    /// The step of a coarse clock, or where an uptime begins and wraps, in seconds.
    private var step = 1.0
    private var uptimeBegin = 0.0
    private var hasSequence = false
    private var firstSequence = 0
    private var isSketch = false
    /// What a sketch counts for 1 m/s²: whole numbers, where it is not 1.
    private var counts = 1.0
    /// What stands in the place of a sample a frame, in turn: `null`, no number, a number that no sensor gives.
    private var holes: [String] = []
    /// By how much the clock is ahead, in seconds.
    private var shift = 0.0
    private let start: Int64

    init(_ json: [String: Any], start: Int64) throws {
        self.start = start
        seconds = json["seconds"] as? Double ?? seconds
        samplesAFrame = json["samples"] as? Int ?? samplesAFrame
        step = json["step"] as? Double ?? step
        uptimeBegin = json["uptime"] as? Double ?? 0
        hasSequence = json["sequence"] != nil
        firstSequence = json["sequence"] as? Int ?? 0
        holes = json["holes"] as? [String] ?? []
        shift = json["shift"] as? Double ?? 0
        counts = json["counts"] as? Double ?? 1
        isSketch = json["sketch"] as? Bool ?? false
        guard let name = json["clock"] as? String else { return }
        guard let clock = Clock(rawValue: name) else { throw Situation.Fault(description: "no clock \(name)") }
        self.clock = clock
    }

    func payloads() -> [[UInt8]] {
        (0..<Int(seconds * 50) / samplesAFrame).map { frame in
            let time = Double(start) / 1e6 + shift + Double(frame * samplesAFrame) / 50
            let rows = (0..<samplesAFrame).map { acceleration(frame * samplesAFrame + $0) }
            return Array((isSketch ? sketch(rows[0], time) : message(rows, time, frame)).utf8)
        }
    }

    private func message(_ rows: [[Double]], _ time: Double, _ frame: Int) -> String {
        var samples = rows.map { "[\($0[0]),\($0[1]),\($0[2])]" }
        if !holes.isEmpty { samples[frame % rows.count] = holes[frame % holes.count] }
        let number = hasSequence ? "\"boot\":1,\"seq\":\(firstSequence + frame)," : ""
        return "{\(number)\(field(time, "t"))\"rate_hz\":50,\"acc\":[\(samples.joined(separator: ","))]}"
    }

    private func sketch(_ row: [Double], _ time: Double) -> String {
        let row = counts == 1 ? row : row.map { ($0 * counts).rounded() }
        return "{\(field(time, "timestamp"))\"ax\":\(row[0]),\"ay\":\(row[1]),\"az\":\(row[2])}"
    }

    private func field(_ time: Double, _ name: String) -> String {
        switch clock {
        case .exact: "\"\(name)\":\(time),"
        case .floor: "\"\(name)\":\((time / step).rounded(.down) * step),"
        case .float32: "\"\(name)\":\(Double(Float(time))),"
        case .constant: "\"\(name)\":\(Double(start) / 1e6),"
        case .none: ""
        case .iso: "\"\(name)\":\"\(Date(timeIntervalSince1970: time.rounded(.down)).formatted(.iso8601))\","
        case .started:
            "\"\(name)\":\(((uptimeBegin + time - Double(start) / 1e6) / step).rounded(.down) * step),"
        case .uptime:
            "\"uptime_ms\":\((uptimeBegin + time - Double(start) / 1e6).truncatingRemainder(dividingBy: step) * 1000),"
        }
    }

    /// A trunk that rises and falls with each step and sways from foot to foot, 1.8 steps a second.
    private func acceleration(_ index: Int) -> [Double] {
        let phase = 2 * Double.pi * 1.8 * Double(index) / 50
        let row = [1.5 * sin(phase / 2), 0.6 * cos(phase), 9.81 + 3 * sin(phase) + 1.2 * sin(2 * phase + 0.5)]
        // No two frames of a sensor are alike.
        return row.enumerated().map { axis, value in
            ((value + Double((index * 7919 + axis * 104_729) % 97) / 2000) * 1000).rounded() / 1000
        }
    }
}
