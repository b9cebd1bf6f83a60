import Wire

/// Who asks: where the answer goes, and what it is known by there.
struct Asker: Sendable, Equatable {
    /// Where the answer goes.
    var address: ReplyAddress
    /// What goes back as Correlation Data.
    var correlationData: [UInt8]?
}
