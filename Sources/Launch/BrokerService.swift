public import EmbeddedBroker
public import ServiceLifecycle

/// Keeps a private broker until the services before which it is listed have shut down.
public struct BrokerService: Service {
    private let broker: EmbeddedBroker

    /// A service for a broker that runs already.
    public init(broker: EmbeddedBroker) {
        self.broker = broker
    }

    /// Waits for the graceful shutdown, then ends the broker.
    public func run() async throws {
        try? await gracefulShutdown()
        await broker.stop()
    }
}
