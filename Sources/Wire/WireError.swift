/// The reason why a message from the bus was refused.
///
/// Refusals are counted on `stride/service/…/health` and on the device's `health`, each under the word in `reason`.
public enum WireError: UInt8, Error, Sendable, Hashable, CaseIterable {
    /// A topic that is not one of stridebus.
    case unknownTopic = 1
    /// A device id outside `[a-z0-9][a-z0-9-]{0,62}`, or a reserved word.
    case invalidDeviceID = 2
    /// An empty payload where content is required.
    case emptyPayload = 3
    /// More bytes than the limit for this topic.
    case payloadTooLarge = 4
    /// Not JSON, not protobuf and not any other form known on this topic, or cut short.
    case malformed = 5
    /// Well-formed, but a field is missing or has the wrong type.
    case wrongType = 6
    /// A number that is NaN, infinite, or outside the range of its field.
    case outOfRange = 7
    /// Neither a sampling rate nor sampling intervals between 1 and 1,000 Hz.
    case absurdRate = 8
    /// A time that no clock shows: before 2001 where UTC is claimed, negative, or not finite.
    case absurdTime = 9
    /// More samples in a frame than `FrameLimits.maximumSamples`.
    case tooManySamples = 10
    /// Bytes that are not UTF-8 where text is needed.
    case notUTF8 = 11
    /// A frame without any sample.
    case noSamples = 12
    /// Sensors in one frame with different numbers of samples.
    case unevenSensors = 13
    /// An internal batch with a layout version that is not supported.
    case unsupportedVersion = 14
    /// A retained message on a topic that must not have one.
    case retainedData = 15
    /// More devices than the limit; this one is new.
    case tooManyDevices = 16
    /// The same field twice, or two fields that exclude each other (`rate_hz` and `dt_ms`).
    case contradiction = 17
    /// Another machine than before under the same name.
    case twoMachines = 18
    /// More messages or bytes of one device than its limit.
    case tooFast = 19
    /// A number of steps with a fraction.
    case fractionalCount = 20
    /// A heart rate that nobody has: 0, 255.
    case absurdHeartRate = 21
    /// A power that nobody has: −32,768 W, 4,000 W.
    case absurdPower = 22
    /// A message that only who has its key can read.
    case encrypted = 23

    /// The word under which this refusal is counted.
    public var reason: String { Self.reasons[Int(rawValue) - 1] }

    private static let reasons = [
        "unknown_topic", "invalid_device_id", "empty_payload", "payload_too_large", "malformed", "wrong_type",
        "out_of_range", "absurd_rate", "absurd_time", "too_many_samples", "not_utf8", "no_samples", "uneven_sensors",
        "unsupported_version", "retained_data", "too_many_devices", "contradiction", "two_machines",
        "too_fast", "fractional_count", "absurd_heart_rate", "absurd_power", "encrypted",
    ]
}

extension WireError: CustomStringConvertible {
    /// The mistake and its remedy, in one line.
    public var description: String {
        switch self {
        case .unknownTopic: "no such topic below this root: publish on {root}/{device}/imu, rev, csc, ftms, hr or count"
        case .invalidDeviceID:
            "not a device id: use 1 to 63 of a-z, 0-9 and '-', and not service, request, reply, user, person, wall or class"
        case .emptyPayload: "the payload is empty: send at least one value"
        case .payloadTooLarge: "the payload is too large: send less in one message"
        case .malformed: "the payload is no form known here, or cut short: check its syntax"
        case .wrongType: "a field is missing or of another type: compare with the schema of this topic"
        case .outOfRange: "a number or word is outside what its field allows: check its unit"
        case .absurdRate: "no sampling rate between 1 and 1,000 Hz: send rate_hz or dt_ms"
        case .absurdTime:
            "a time that no clock shows, or a stretch of none or over 31 days: send UTC since 1970, or uptime_ms without a clock"
        case .tooManySamples: "more than \(FrameLimits.maximumSamples) samples in a frame: send several frames"
        case .notUTF8: "the text is not UTF-8: encode it so"
        case .noSamples: "no samples: send acc, gyro or mag as rows of three numbers"
        case .unevenSensors: "sensors or intervals that differ in number: send as many rows of each"
        case .unsupportedVersion: "written by another version of the services: run one version of all of them"
        case .retainedData: "retained where nothing may be: publish without the retain flag"
        case .tooManyDevices: "more devices than the limit: raise it, or remove devices"
        case .contradiction: "a field twice, or two that exclude each other: send one of them"
        case .twoMachines: "two machines send under one name: give each an id of its own"
        case .tooFast: "more messages or bytes than one device may send: send several samples in a frame"
        case .fractionalCount: "steps with a fraction: send a whole number, without a separator of thousands"
        case .absurdHeartRate: "a heart rate that nobody has: send nothing while the strap finds none"
        case .absurdPower: "a power that nobody has: check its unit, watts"
        case .encrypted: "encrypted: turn that off, or send what its gateway has decoded"
        }
    }
}
