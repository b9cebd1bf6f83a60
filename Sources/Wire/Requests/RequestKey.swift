/// The secret that a request for a protected verb carries. It is shown nowhere: not when it is printed, not when
/// something that has it is.
public struct RequestKey: Sendable, Hashable {
    private let bytes: [UInt8]

    /// How long a key can be, in bytes: from 16 on nobody finds it by trying.
    public static let lengths = 16...PayloadLimits.maximumTextBytes

    /// A key of any length up to the longest, as somebody sends it.
    ///
    /// - Throws: `WireError.outOfRange` for a longer one.
    public init(_ text: String) throws(WireError) {
        bytes = Array(text.utf8)
        guard bytes.count <= Self.lengths.upperBound else { throw .outOfRange }
    }

    /// Whether it is long enough to be a secret.
    public var isLongEnough: Bool { Self.lengths.contains(bytes.count) }

    /// Whether the other key is the same. How long that takes depends on the length of the other alone, so that nobody
    /// learns from it how much of a guess was right.
    public func matches(_ other: RequestKey) -> Bool {
        guard !bytes.isEmpty else { return other.bytes.isEmpty }
        var difference = bytes.count ^ other.bytes.count
        for index in other.bytes.indices { difference |= Int(bytes[index % bytes.count] ^ other.bytes[index]) }
        return difference == 0
    }

    /// The key as text, for a request.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension RequestKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says that there is a key, and not which.
    public var description: String { "(a key)" }
    /// Says that there is a key, and not which.
    public var debugDescription: String { description }
    /// A mirror without children, so that a dump shows none either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
