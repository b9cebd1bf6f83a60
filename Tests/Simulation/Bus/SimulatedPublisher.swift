/// A connection that publishes: what the client still has to repeat after a break, in order.
struct SimulatedPublisher {
    /// Published, and not yet known to be taken by the broker.
    private(set) var outgoing: [BusMessage] = []
    /// Whether a message that the broker has no subscriber for is published again.
    private let needsSubscriber: Bool
    /// How many of these the broker has taken, whose PUBACK is on its way.
    private(set) var taken = 0

    init(needsSubscriber: Bool = false) {
        self.needsSubscriber = needsSubscriber
    }

    var isIdle: Bool { outgoing.isEmpty }
    var hasUntaken: Bool { taken < outgoing.count }

    mutating func publish(_ message: BusMessage) {
        outgoing.append(message)
    }

    /// The broker takes the next message.
    mutating func advance(_ bus: inout SimulatedBus, copies: Int) {
        guard hasUntaken, !waitsForSubscriber(bus) else { return }
        bus.accept(outgoing[taken], copies: copies)
        taken += 1
    }

    /// Whether the next message is one that the broker has no subscriber for.
    func waitsForSubscriber(_ bus: SimulatedBus) -> Bool {
        needsSubscriber && hasUntaken && !bus.hasSubscriber(of: outgoing[taken])
    }

    /// A PUBACK arrives; answers for which message.
    mutating func confirm() -> Int? {
        guard taken > 0 else { return nil }
        taken -= 1
        return outgoing.removeFirst().id
    }

    /// The connection breaks: everything without a PUBACK is published again over the next one.
    mutating func reconnect() {
        taken = 0
    }
}
