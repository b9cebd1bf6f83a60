/// A momentary number of a sensor beside its motion.
package struct Reading: Sendable, Equatable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Beats a minute.
        case heart = 1
        /// Watts.
        case power = 2

        /// What is taken. A heart beats no slower than the slowest that was measured of a person awake, and no faster than
        /// 250 a minute (IEC 60601-2-27 asks monitors for 30 to 250); the best sprinters reach 2,500 W for a second. Power
        /// meters tell a little less than 0 where nobody pedals.
        package var range: ClosedRange<Float> {
            switch self {
            case .heart: 20...250
            case .power: -100...2_500
            }
        }
    }

    package var kind: Kind
    package var value: Float
    package var identity: FrameIdentity
    package var time: FrameTime

    package init(_ kind: Kind, _ value: Float, identity: FrameIdentity, time: FrameTime) {
        (self.kind, self.value, self.identity, self.time) = (kind, value, identity, time)
    }
}
