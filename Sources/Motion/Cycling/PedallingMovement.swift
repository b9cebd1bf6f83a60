/// How much a bike moves while someone pedals: what moves far less is likelier something else that turns, such as a
/// flywheel that runs on.
struct PedallingMovement {
    /// By what share the typical movement follows that of now while someone pedals, and by which it falls at rest, an
    /// evaluation: to half within half a minute.
    private static let following: Float = 0.03
    private static let forgetting: Float = 0.01
    /// A movement less than this share of the typical one is doubted, with so much of a logarithm of odds.
    private static let fallenShare: Float = 0.3
    private static let fallenDoubt: Float = 6

    /// m/s², rad/s or µT; 0 before anyone has pedalled.
    private var typical: Float = 0

    mutating func learn(_ now: Float, isPedalling: Bool) {
        if isPedalling {
            typical = typical > 0 ? typical + (now - typical) * Self.following : now
        } else {
            typical *= 1 - Self.forgetting
        }
    }

    /// What speaks against pedalling.
    func doubt(_ now: Float) -> Float {
        now < Self.fallenShare * typical ? Self.fallenDoubt : 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&typical)
    }
}
