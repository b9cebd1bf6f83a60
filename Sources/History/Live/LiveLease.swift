public import Wire

/// Somebody's wish to be told of every so many steps or revolutions, until it expires.
///
/// It is counted in the transaction that keeps the minute rows, so that no row is counted twice or left out whatever
/// dies when. What is due is a number, not a queue: notices `sent + 1 ... reached` are still to be said, and a
/// correction downward takes none back.
public struct LiveLease: Sendable, Equatable {
    /// Its number in the store; nil before it is there. A lease that takes the place of another has another number.
    public internal(set) var id: Int64?
    /// Whose steps or revolutions.
    public var device: DeviceID
    /// Where notices go; together with the device it is what the lease is known by.
    public var topic: [UInt8]
    /// What goes with every notice as Correlation Data.
    public var correlationData: [UInt8]?
    /// What goes with every notice in its payload.
    public var transaction: Transaction?
    /// What is counted.
    public var counts: CountedKind
    /// There is a notice at every so many.
    public var every: Int64
    /// The first minute that counts.
    public var startMinute: Int64
    /// How many there were so far.
    public var counted: Int64 = 0
    /// The number of the last notice that is due.
    public internal(set) var reached: Int64 = 0
    /// The number of the last notice that the broker has.
    public var sent: Int64 = 0
    /// How long it goes on without a renewal, in seconds.
    public var leaseSeconds: Int64
    /// When it ends, in seconds since 1970.
    public var expiresSeconds: Int64

    /// A lease that begins now.
    /// - Parameters:
    ///   - offer: What is wished.
    ///   - counted: How many there were since `offer.startMinute`; notices of these are not due any more.
    ///   - nowSeconds: The time, in seconds since 1970.
    public init(_ offer: LeaseOffer, counted: Int64, nowSeconds: Int64) {
        device = offer.device
        topic = offer.topic
        correlationData = offer.correlationData
        transaction = offer.transaction
        counts = offer.counts
        every = max(1, offer.every)
        startMinute = offer.startMinute
        leaseSeconds = offer.leaseSeconds
        expiresSeconds = nowSeconds + offer.leaseSeconds
        self.counted = counted
        reached = max(0, counted / every)
        sent = reached
    }

    /// Adds a change of a minute's counts.
    public mutating func add(_ change: Counts, toMinute minute: Int64) {
        guard minute >= startMinute else { return }
        counted &+= change[counts]
        reached = max(reached, counted / every)
    }

    /// Goes on for a while longer, and answers as the asker says now.
    public mutating func renew(_ offer: LeaseOffer, nowSeconds: Int64) {
        correlationData = offer.correlationData
        transaction = offer.transaction
        leaseSeconds = offer.leaseSeconds
        expiresSeconds = nowSeconds + offer.leaseSeconds
    }

    /// Whether a wish is for what this lease gives already.
    public func isRenewed(by offer: LeaseOffer) -> Bool {
        device == offer.device && topic == offer.topic && counts == offer.counts && every == offer.every
            && (!offer.saysStart || startMinute == offer.startMinute)
    }
}

/// What somebody wishes with `live/start`.
public struct LeaseOffer: Sendable, Equatable {
    /// Whose steps or revolutions.
    public var device: DeviceID
    /// Where notices go.
    public var topic: [UInt8]
    /// What goes with every notice as Correlation Data.
    public var correlationData: [UInt8]?
    /// What goes with every notice in its payload.
    public var transaction: Transaction?
    /// What is counted.
    public var counts: CountedKind
    /// There is a notice at every so many.
    public var every: Int64
    /// The first minute that counts.
    public var startMinute: Int64
    /// Whether the asker said so, or it is just now.
    public var saysStart: Bool
    /// How long the lease goes on without a renewal, in seconds.
    public var leaseSeconds: Int64

    /// A wish from its parts.
    public init(
        device: DeviceID, topic: [UInt8], correlationData: [UInt8]? = nil, transaction: Transaction? = nil,
        counts: CountedKind, every: Int64, startMinute: Int64, saysStart: Bool = false,
        leaseSeconds: Int64 = LiveLimits.defaultLeaseSeconds
    ) {
        self.device = device
        self.topic = topic
        self.correlationData = correlationData
        self.transaction = transaction
        self.counts = counts
        self.every = every
        self.startMinute = startMinute
        self.saysStart = saysStart
        self.leaseSeconds = leaseSeconds
    }
}

/// The limits of leases.
public enum LiveLimits {
    /// How long a lease goes on where nobody says how long, in seconds.
    public static let defaultLeaseSeconds: Int64 = 300
    /// The most leases of one device.
    public static let maximumLeasesADevice = 100
    /// The most leases.
    public static let maximumLeases = 10_000
    /// The most notices of one lease that are sent in one round.
    public static let maximumNoticesARound = 256
    /// The most leases that are looked at in one round.
    public static let maximumLeasesARound = 500
}

extension Counts {
    /// What notices count.
    subscript(kind: CountedKind) -> Int64 {
        switch kind {
        case .steps: steps
        case .revolutions: revolutions
        }
    }
}
