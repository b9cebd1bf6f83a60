/// A signal whose products with its own past are kept: where they lie, and how they are forgotten.
struct AutocorrelationChannel: Sendable {
    /// Which of the voices it is.
    let number: Int
    let channelCount: Int
    /// Groups of eight lags that are followed, a multiple of four or of five (``LagTile``); the others stay zero.
    let groupCount: Int
    /// Forgetting a tick, and as many ticks as may wait.
    let decay: Float
    let limitFade: Float
    /// Whether products are made at every other tick and stand for the one after it as well.
    let isSparse: Bool
    /// Whether products are of the ticks that waited alone, and what was before is forgotten at once.
    let isFresh: Bool

    init(
        number: Int, channelCount: Int, groupCount: Int, decay: Float, isSparse: Bool = false, isFresh: Bool = false
    ) {
        self.number = number
        self.channelCount = channelCount
        self.groupCount = groupCount
        self.decay = decay
        limitFade = (0..<LagProducts.pendingLimit).reduce(1) { fade, _ in fade * decay }
        self.isSparse = isSparse
        self.isFresh = isFresh
    }

    /// The row of its energies; those of its channels follow.
    var energyRow: Int { number * LagProducts.rowsPerVoice }
    var firstRow: Int { energyRow + 1 }
    var rows: Range<Int> { energyRow..<(firstRow + channelCount) }

    /// What is left of the products after so many ticks.
    func fade(after ticks: Int) -> Float {
        if isFresh { return 0 }
        return ticks == LagProducts.pendingLimit ? limitFade : (0..<ticks).reduce(1) { fade, _ in fade * decay }
    }
}
