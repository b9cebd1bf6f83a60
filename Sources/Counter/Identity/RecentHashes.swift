/// The hashes of the last messages that have no number: a bounded ring, searched from the newest.
struct RecentHashes: Sendable, Equatable {
    /// How many are remembered for a device.
    static let maximumCount = 256

    private var hashes: [UInt64] = []
    private var next: UInt8 = 0

    /// Remembers a hash; false if it is remembered already.
    mutating func insert(_ hash: UInt64) -> Bool {
        guard !hashes.contains(hash) else { return false }
        if hashes.count < Self.maximumCount {
            hashes.append(hash)
        } else {
            hashes[Int(next)] = hash
            next &+= 1
        }
        return true
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &hashes, maximum: Self.maximumCount, empty: 0) { $0.code(&$1) }
        coder.code(&next)
    }
}
