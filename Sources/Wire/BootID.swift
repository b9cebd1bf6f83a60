/// One life of a device, from power-on to power-off; with a sequence number it names a frame for ever.
///
/// A device may send a number or up to 32 bytes of text. Either is carried as the 64-bit stable hash of its text, so
/// that identity has a fixed size; `7` and `"7"` are the same boot.
public struct BootID: Hashable, Sendable {
    /// The longest boot name, in bytes.
    public static let maximumBytes = 32

    /// The hash that is carried.
    public let rawValue: UInt64

    /// Takes a boot back from an internal batch or a stored state.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Takes the boot name that a device sent.
    public init(name: some Collection<UInt8>) throws(WireError) {
        guard name.count <= Self.maximumBytes else { throw .outOfRange }
        var hash = StableHash()
        hash.combine(name)
        rawValue = hash.value
    }
}
