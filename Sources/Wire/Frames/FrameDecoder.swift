/// Decodes the frames of devices. Each of the three stridebus forms is recognised by its content.
///
/// It owns a JSON parser, so it belongs to one thread. Decoding into a reused frame allocates nothing once the frame
/// has held its largest message.
package final class FrameDecoder {
    private let parser = SimdJSONParser(maximumBytes: FrameLimits.maximumPayloadBytes)

    package init() {}

    /// Decodes the payload of an `imu` topic.
    ///
    /// A payload that starts with `ProtobufFrame.prefix` is taken as protobuf, anything else as JSON. On an error
    /// the frame is left empty.
    package func decode(_ payload: UnsafeRawBufferPointer, into frame: inout Frame) throws(WireError) {
        frame.removeAll()
        do throws(WireError) {
            guard payload.count > 0 else { throw .emptyPayload }
            guard payload.count <= FrameLimits.maximumPayloadBytes else { throw .payloadTooLarge }
            if payload.starts(with: ProtobufFrame.prefix) {
                try frame.decodeProtobuf(payload)
            } else {
                try decodeJSON(payload, into: &frame)
            }
            try frame.checkTiming()
            try frame.checkValues()
            if case .unsequenced = frame.identity { frame.identity = .unsequenced(contentHash: StableHash.of(payload)) }
        } catch {
            frame.removeAll()
            throw error
        }
    }

    private func decodeJSON(_ payload: UnsafeRawBufferPointer, into frame: inout Frame) throws(WireError) {
        do throws(WireError) { try frame.decodeJSON(payload, with: parser) } catch {
            guard error == .malformed, let text = TextRepair.repaired(payload) else { throw error }
            frame.removeAll()
            try text.withRawBytes { bytes throws(WireError) in try frame.decodeJSON(bytes, with: parser) }
        }
    }
}

package enum FrameLimits {
    /// The most samples in a frame: 10 s at 400 Hz.
    package static let maximumSamples = 4096
    package static let maximumPayloadBytes = 262_144
    /// The highest number of a frame: the last that no double takes for another one.
    static let maximumSequence: UInt64 = 1 << 53 - 1
    /// The lowest accepted sampling rate, in Hz.
    package static let minimumRateHz = 1.0
    /// The highest accepted sampling rate, in Hz.
    package static let maximumRateHz = 1000.0
    /// The longest interval between two samples of one frame, in microseconds: a longer gap starts a new frame.
    package static let maximumIntervalMicroseconds: UInt32 = 10_000_000
    /// The largest magnitudes, in m/s², rad/s and µT: twice the range of a ±200 g part, and beyond parts for
    /// ±4,000 °/s and ±100 G.
    static let magnitudes: [(sensor: SensorSet, limit: Float)] = [
        (.acceleration, 4_000), (.angularVelocity, 80), (.magneticField, 10_000),
    ]
    /// Pressures, in hPa: the greatest is beyond any barometer of a wearable.
    static let pressures: ClosedRange<Float> = 0...2_000
    /// The periods of `minimumRateHz ... maximumRateHz`.
    static let periodNanoseconds: ClosedRange<UInt32> = 1_000_000...1_000_000_000
    /// The earliest time that a clock may claim: 2001-01-01, in microseconds since 1970.
    static let minimumTimeMicroseconds: Int64 = 978_307_200_000_000
    /// The latest time that a clock may claim: 2100-01-01, in microseconds since 1970.
    static let maximumTimeMicroseconds: Int64 = 4_102_444_800_000_000
    /// The longest uptime, in microseconds. A larger number is a UTC time.
    static let maximumUptimeMicroseconds: Int64 = 978_307_199_999_999
}

/// The checks for frames of every form.
extension Frame {
    /// Checks the number and the spacing of the samples against `FrameLimits`.
    func checkTiming() throws(WireError) {
        if case .sequenced(_, let sequence) = identity, sequence > FrameLimits.maximumSequence { throw .outOfRange }
        switch timing {
        case .uniform(let period):
            if period == 0 && sampleCount == 1 { return }
            guard FrameLimits.periodNanoseconds.contains(period) else { throw .absurdRate }
        case .intervals:
            guard intervalsMicroseconds.count == sampleCount - 1 else { throw .unevenSensors }
            var sum: UInt64 = 0
            for interval in intervalsMicroseconds {
                guard interval <= FrameLimits.maximumIntervalMicroseconds else { throw .absurdRate }
                sum += UInt64(interval)
            }
            guard sampleCount > 1 else { return }
            let mean = sum * 1000 / UInt64(sampleCount - 1)
            guard FrameLimits.periodNanoseconds.contains(UInt32(clamping: mean)) else { throw .absurdRate }
        }
    }

    /// Checks every value against the largest magnitude of its sensor. NaN is a sample that is missing; what lies beyond, as
    /// infinity does, is left out as if it were. A frame of which nothing is whole then is refused.
    mutating func checkValues() throws(WireError) {
        let width = sensors.valuesPerSample
        guard sampleCount > 0, width > 0 || !pressuresHectopascals.isEmpty else { throw .noSamples }
        guard max(sampleCount, pressuresHectopascals.count) <= FrameLimits.maximumSamples else { throw .tooManySamples }
        guard values.count == sampleCount * width else { throw .malformed }
        checkPressures()
        var offset = 0
        var hasMissing = false
        for (sensor, limit) in FrameLimits.magnitudes where sensors.contains(sensor) {
            let isInside = values.withUnsafeBufferPointer { values in
                var isInside = true
                for place in stride(from: offset, to: values.count - 2, by: width) {
                    isInside = !(abs(values[place]) > limit) && isInside
                    isInside = !(abs(values[place + 1]) > limit) && isInside
                    isInside = !(abs(values[place + 2]) > limit) && isInside
                    hasMissing = (values[place] + values[place + 1] + values[place + 2]).isNaN || hasMissing
                }
                return isInside
            }
            if !isInside {
                for place in values.indices where offset..<offset + 3 ~= place % width && abs(values[place]) > limit {
                    values[place] = .nan
                }
                (hasMissing, hasLeftOut) = (true, true)
            }
            offset += 3
        }
        let hasWhole =
            width == 0
            ? pressuresHectopascals.contains { $0 > 0 }
            : !hasMissing
                || (0..<sampleCount).contains { row in
                    values[row * width..<(row + 1) * width].allSatisfy { !$0.isNaN }
                }
        guard hasWhole else { throw hasLeftOut ? .outOfRange : .noSamples }
    }

    /// Puts 0, which is no pressure of the air, in the place of what no barometer says.
    private mutating func checkPressures() {
        for (index, pressure) in pressuresHectopascals.enumerated()
        where !FrameLimits.pressures.contains(pressure) {
            pressuresHectopascals[index] = 0
            if !pressure.isNaN { hasLeftOut = true }
        }
    }
}

extension FrameTime {
    /// A UTC time from microseconds since 1970; throws `.absurdTime` outside the limits. A clock that was not set since its
    /// start shows 1970 or 2000, which the counter tells, where what it says is also known by its arrival.
    static func checkedUTC(
        microseconds: Int64, earliest: Int64 = FrameLimits.minimumTimeMicroseconds
    ) throws(WireError) -> FrameTime {
        guard (earliest..<FrameLimits.maximumTimeMicroseconds).contains(microseconds) else { throw .absurdTime }
        return .utc(microseconds: microseconds)
    }

    /// An uptime; throws `.absurdTime` outside the limits.
    static func checkedUptime(microseconds: Int64) throws(WireError) -> FrameTime {
        guard (0...FrameLimits.maximumUptimeMicroseconds).contains(microseconds) else { throw .absurdTime }
        return .uptime(microseconds: microseconds)
    }
}

extension StableHash {
    package static func of(_ payload: UnsafeRawBufferPointer) -> UInt64 {
        var hash = StableHash()
        hash.combine(payload)
        return hash.value
    }
}

/// Reads the times of devices. The unit follows from the magnitude.
///
/// Today is 1.8e9 s, 1.8e12 ms, 1.8e15 µs, 1.8e18 ns: the bounds between the units lie far from any current time.
enum DeviceTime {
    /// Microseconds since 1970 from a whole number of s, ms, µs or ns.
    static func microseconds(_ time: Int64) throws(WireError) -> Int64 {
        switch time {
        case 0..<100_000_000_000: return time * 1_000_000
        case 100_000_000_000..<100_000_000_000_000: return time * 1_000
        case 100_000_000_000_000..<100_000_000_000_000_000: return time
        case 100_000_000_000_000_000...: return time / 1_000
        default: throw .absurdTime
        }
    }

    /// Microseconds since 1970 from a number of s, ms, µs or ns.
    static func microseconds(_ time: Double) throws(WireError) -> Int64 {
        let scaled =
            switch time {
            case 0..<1e11: time * 1e6
            case 1e11..<1e14: time * 1e3
            case 1e14..<1e17: time
            default: time / 1e3
            }
        guard time >= 0, let microseconds = Int64(exactly: scaled.rounded()) else { throw .absurdTime }
        return microseconds
    }

    static func microseconds(milliseconds: Double) throws(WireError) -> Int64 {
        guard let microseconds = Int64(exactly: (milliseconds * 1e3).rounded()) else { throw .absurdTime }
        return microseconds
    }
}
