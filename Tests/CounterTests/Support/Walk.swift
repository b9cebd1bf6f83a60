import Foundation
import TestBroker
import Wire

/// Somebody who walks evenly with a sensor at 50 Hz, as frames of any length.
struct Walk {
    static let start: Int64 = 1_795_194_000_000_000
    static let periodNanoseconds: UInt32 = 20_000_000
    static let periodMicroseconds: Int64 = 20_000

    var device: DeviceID
    var boot: UInt64 = 1
    var start = Walk.start
    /// Steps a second.
    var rateHz = 1.8
    /// The time before which there is no step, in seconds.
    var stillUntil = 0.0
    /// The time after which there is no step, in seconds.
    var stillFrom = Double.infinity

    init(_ device: DeviceID = "walker-1") { self.device = device }

    /// The acceleration of a sample, in m/s²; a trunk sways from foot to foot by half of what it rises and falls.
    func acceleration(_ index: Int) -> [Float] {
        let time = Double(index) / 50
        let phase = 2 * Double.pi * rateHz * time
        guard time >= stillUntil, time < stillFrom else { return [0.2, 0.1, 9.81] }
        let up = 9.81 + 3 * sin(phase) + 1.2 * sin(2 * phase + 0.5)
        return [Float(1.5 * sin(phase / 2)), Float(0.6 * cos(phase)), Float(up)]
    }

    /// A frame of the samples in a range.
    func frame(_ samples: Range<Int>, sequence: UInt64) -> Frame {
        Frame(
            boot: boot, sequence: sequence,
            startMicroseconds: start + Int64(samples.lowerBound) * Self.periodMicroseconds, sensors: .acceleration,
            rows: samples.map { acceleration($0) })
    }

    /// The record of a frame, arriving as its last sample is taken.
    func record(_ samples: Range<Int>, sequence: UInt64, delay: Int64 = 0) -> MotionRecord {
        MotionRecord(
            device: device, arrivalMicroseconds: start + Int64(samples.upperBound) * Self.periodMicroseconds + delay,
            content: .frame(frame(samples, sequence: sequence)))
    }

    /// Records of frames of a second each.
    func records(seconds: Range<Int>) -> [MotionRecord] {
        seconds.map { record($0 * 50..<($0 + 1) * 50, sequence: UInt64($0)) }
    }
}

extension Frame {
    /// A frame of samples at 50 Hz, a row each.
    init(boot: UInt64, sequence: UInt64, startMicroseconds: Int64, sensors: SensorSet, rows: [[Float]]) {
        self.init()
        identity = .sequenced(boot: BootID(rawValue: boot), sequence: sequence)
        time = .utc(microseconds: startMicroseconds)
        timing = .uniform(periodNanoseconds: Walk.periodNanoseconds)
        self.sensors = sensors
        sampleCount = rows.count
        values = rows.flatMap { $0 }
    }
}

extension MotionRecord {
    /// The same message with its frame changed.
    func changed(_ body: (inout Frame) -> Void) -> MotionRecord {
        guard case .frame(var frame) = content else { return self }
        body(&frame)
        var copy = self
        copy.content = .frame(frame)
        return copy
    }

    /// The same message at another arrival.
    func arriving(at microseconds: Int64) -> MotionRecord {
        var copy = self
        copy.arrivalMicroseconds = microseconds
        return copy
    }
}
