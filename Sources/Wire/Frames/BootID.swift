/// One life of a device, from power-on to power-off; with a sequence number it names a frame for ever.
///
/// A device may send a whole number or up to 32 bytes of text. A number is carried as it is, text as its 64-bit stable
/// hash, so that identity has a fixed size; `7` and `"7"` are the same boot.
public struct BootID: Hashable, Sendable {
    /// The longest boot name, in bytes.
    public static let maximumBytes = 32

    /// The number, or the hash of the text, that is carried.
    public let rawValue: UInt64

    /// Takes a boot's number from a device, an internal batch or a stored state.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Takes the boot name that a device sent.
    public init(name: some Collection<UInt8>) throws(WireError) {
        guard name.count <= Self.maximumBytes else { throw .outOfRange }
        if let number = Self.number(name) {
            rawValue = number
            return
        }
        var hash = StableHash()
        hash.combine(name)
        rawValue = hash.value
    }

    /// A name that reads back as this boot: its number in decimal digits.
    public var name: String { String(rawValue) }

    /// The value of decimal digits as `name` writes them: no sign, no leading zero.
    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
