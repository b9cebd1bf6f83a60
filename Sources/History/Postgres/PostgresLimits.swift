/// The limits of a pool of connections.
public struct PostgresLimits: Sendable, Equatable {
    /// How many connections are open at most.
    public var maximumConnections: Int
    /// How long to wait for a connection that is free, in seconds.
    public var waitSeconds: Double
    /// How many may wait for one at the same time.
    public var maximumWaiting: Int
    /// How long a statement may take, in seconds.
    public var statementSeconds: Double
    /// How long connecting may take where the address does not say so, in whole seconds for each host.
    public var connectSeconds: Int
    /// How often a transaction is tried when others are in its way.
    public var maximumTransactionTries: Int
    /// How many statements a connection keeps prepared; one more, and they are all prepared anew.
    public var maximumPreparedStatements: Int

    /// Limits from their parts.
    public init(
        maximumConnections: Int = 8, waitSeconds: Double = 10, maximumWaiting: Int = 1_000,
        statementSeconds: Double = 30, connectSeconds: Int = 5, maximumTransactionTries: Int = 20,
        maximumPreparedStatements: Int = 200
    ) {
        self.maximumConnections = maximumConnections
        self.waitSeconds = waitSeconds
        self.maximumWaiting = maximumWaiting
        self.statementSeconds = statementSeconds
        self.connectSeconds = connectSeconds
        self.maximumTransactionTries = maximumTransactionTries
        self.maximumPreparedStatements = maximumPreparedStatements
    }

    /// How much later than the server we stop waiting for it, in seconds.
    static let graceSeconds = 5.0
}
