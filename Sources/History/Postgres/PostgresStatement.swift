/// A statement with its parameters.
public struct PostgresStatement: Sendable, Equatable {
    /// The words; the parameters are `$1` and on.
    public var sql: String
    /// The parameters. Each has the type of its value, so `NULL`s need a cast where the server cannot find one.
    public var parameters: [PostgresValue]

    /// A statement from its parts.
    public init(_ sql: String, _ parameters: [PostgresValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}
