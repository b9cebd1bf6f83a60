import Wire

/// What the bus tells of an instance that may be there already.
struct RivalView: Sendable {
    private let own: StoreClaim
    private var isOnline = false
    private var lastClaim: StoreClaim?
    /// Whether a rival has spoken just now.
    private(set) var hasSpoken = false
    /// Whether one has spoken that goes first: of two that run already, the smaller number stays.
    private(set) var isToYield = false

    init(own: StoreClaim) {
        self.own = own
    }

    /// Whether a rival may be alive: somebody is said to be online, and it is not known to be this very one before its
    /// restart, or one of other partitions.
    var isDoubtful: Bool { isOnline && (lastClaim.map { $0.isRival(of: own) } ?? true) }

    /// Takes the word of birth or last will.
    mutating func take(status: UnsafeRawBufferPointer) {
        isOnline = status.elementsEqual("online".utf8)
    }

    /// Takes a health; what the broker had kept proves nobody alive.
    mutating func take(health: ServiceHealth, isRetained: Bool) {
        lastClaim = StoreClaim(health)
        guard !isRetained, let lastClaim, lastClaim.isRival(of: own) else { return }
        hasSpoken = true
        if lastClaim.store < own.store { isToYield = true }
    }
}
