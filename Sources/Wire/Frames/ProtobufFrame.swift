/// The fields of `stridebus.Frame` in `schemas/stridebus.proto`, and what its payloads start with.
enum ProtobufFrame {
    /// What `magic` holds: "SBF1" in the order of its bytes.
    static let magic: UInt32 = 0x3146_4253
    /// The first bytes of every payload: the key of field 1 (fixed 32 bits) and the magic. No JSON starts so.
    static let prefix: [UInt8] = [0x0D, 0x53, 0x42, 0x46, 0x31]

    /// The numbers of the fields.
    enum Field: UInt64 {
        case magic = 1
        case boot = 2
        case sequence = 3
        case utcMicroseconds = 4
        case uptimeMicroseconds = 5
        case periodNanoseconds = 6
        case intervalsMicroseconds = 7
        case accelerationScale = 8
        case acceleration = 9
        case angularVelocityScale = 10
        case angularVelocity = 11
        case magneticFieldScale = 12
        case magneticField = 13
        case gravityRemoved = 14
        case pressures = 15
    }

    /// The unit of a number where a frame does not say one: mm/s², mrad/s, 0.1 µT.
    static let defaultScales: [Float] = [0.001, 0.001, 0.1]
    /// How many of a pressure's numbers are one hPa: they are tenths of a pascal.
    static let pressureUnits: Float = 1000
    /// The columns in the order of the bits of `SensorSet`.
    static let sensors: [SensorSet] = [.acceleration, .angularVelocity, .magneticField]
    static let scaleFields: [Field] = [.accelerationScale, .angularVelocityScale, .magneticFieldScale]
    static let valueFields: [Field] = [.acceleration, .angularVelocity, .magneticField]
}
