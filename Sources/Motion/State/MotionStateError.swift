/// Why saved bytes are not a pipeline's state.
public enum MotionStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes are of another layout: count from a fresh pipeline instead.
    case unknownVersion(UInt8)
    /// There are fewer or more bytes than the layout has.
    case wrongLength(Int)
    /// The checksum does not fit: the bytes were changed.
    case wrongChecksum
    /// A field holds a value that it cannot have.
    case invalidField

    /// What to do, in a line.
    public var description: String {
        switch self {
        case .unknownVersion(let version): "state has layout \(version): start a fresh pipeline"
        case .wrongLength(let count): "state of \(count) bytes is cut or padded: start a fresh pipeline"
        case .wrongChecksum: "state bytes were changed after saving: start a fresh pipeline"
        case .invalidField: "state holds an impossible value: start a fresh pipeline"
        }
    }
}
