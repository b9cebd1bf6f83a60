/// A foot that touched the ground, or a crank that came round.
package struct TrueEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case step, revolution
    }

    package var kind: Kind
    /// The time: microseconds since 1970, UTC, by a perfect clock.
    package var microseconds: Int64

    package init(_ kind: Kind, microseconds: Int64) {
        (self.kind, self.microseconds) = (kind, microseconds)
    }
}

/// What truly happened, counted.
package struct MotionTruth: Sendable, Hashable {
    /// Feet that touched the ground.
    package private(set) var steps = 0
    /// Revolutions that the crank completed.
    package private(set) var revolutions = 0
    /// The work of a rider whose power is measured.
    package private(set) var joules = 0.0

    /// Nothing happened yet.
    package init() {}

    package mutating func add(joules: Double) { self.joules += joules }

    package mutating func add(_ kind: TrueEvent.Kind) {
        switch kind {
        case .step: steps += 1
        case .revolution: revolutions += 1
        }
    }
}
