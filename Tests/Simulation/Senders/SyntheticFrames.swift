import Foundation
import Wire

/// Signals made once for all runs, because a sine is dear where thousands of runs are to be had.
enum SyntheticFrames {
    static let stillMicroseconds: Int64 = 5_000_000
    static let walkingMicroseconds: Int64 = 2_000_000
    private static let walkingSamples = 50
    /// The walk repeats itself after as many frames, at a whole number of steps.
    private static let walkingPeriod = 5

    private static let walk: [[Float]] = (0..<walkingPeriod).map { frame in
        (0..<walkingSamples).flatMap { sample -> [Float] in
            let time = Double(frame * walkingSamples + sample) * 0.04
            let phase = 2 * Double.pi * 1.8 * time
            return [
                Float(0.8 * sin(phase / 2)), Float(0.6 * cos(phase)),
                Float(9.81 + 3 * sin(phase) + 1.2 * sin(2 * phase + 0.5)),
            ]
        }
    }

    static func content(
        _ kind: SenderKind, number: Int, boot: UInt64, sequence: UInt64, time: Int64
    ) -> MotionContent {
        let identity = FrameIdentity.sequenced(boot: BootID(rawValue: boot), sequence: sequence)
        if kind == .crank {
            return .revolutions(
                RevolutionCount(
                    identity: identity, time: .utc(microseconds: time + stillMicroseconds),
                    cumulative: UInt64(number) * 6, modulus: 0, lastEventTime1024: nil))
        }
        var frame = kind == .still ? stillFrame(at: time, samples: 5) : walkingFrame(number, at: time)
        frame.identity = identity
        return .frame(frame)
    }

    /// A second a sample in which nothing moves.
    static func stillFrame(at time: Int64, samples: Int) -> Frame {
        var frame = Frame()
        frame.time = .utc(microseconds: time)
        frame.sensors = .magneticField
        frame.timing = .uniform(periodNanoseconds: 1_000_000_000)
        frame.values = [Float](repeating: 20, count: 3 * samples)
        frame.sampleCount = samples
        return frame
    }

    /// Two seconds of a walk.
    static func walkingFrame(_ number: Int, at time: Int64) -> Frame {
        var frame = Frame()
        frame.time = .utc(microseconds: time)
        frame.sensors = .acceleration
        frame.timing = .uniform(periodNanoseconds: 40_000_000)
        frame.values = walk[number % walkingPeriod]
        frame.sampleCount = walkingSamples
        return frame
    }

    /// The bytes that the device sends; the record is made to say what they say.
    static func payload(of content: MotionContent) -> [UInt8] {
        switch content {
        case .frame(let frame): frame.encodedJSON()
        case .revolutions(let count): count.encodedJSON()
        default: []
        }
    }
}
