/// How long a batch that is not full is kept open, so that batches are some time apart while messages keep coming.
struct BatchSpacing {
    /// The least time from the beginning of one batch's hand-over to that of the next, in seconds.
    let seconds: Double
    private var lastSeconds = -Double.infinity

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// A batch is handed over.
    mutating func began(atSeconds nowSeconds: Double) {
        lastSeconds = nowSeconds
    }

    /// How long to wait until the next may be handed over, in seconds; 0 for not at all.
    func remainingSeconds(atSeconds nowSeconds: Double) -> Double {
        max(0, lastSeconds + seconds - nowSeconds)
    }
}
