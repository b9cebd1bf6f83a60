import History
import PrivatePostgres
import Testing

/// The stores that pass the same tests.
enum StoreKind: String, Sendable, CaseIterable {
    case sqlite
    case postgres

    /// Those that there are on this machine.
    static let available = PrivatePostgres.isInstalled ? allCases : [.sqlite]
}

extension PostgresLimits {
    /// Few connections, because many tests share one server.
    static let few = PostgresLimits(maximumConnections: 3)
}

@Suite("The stores of this machine")
struct StoreKindTests {
    @Test(
        "PostgreSQL is installed, so that its store is tested",
        .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"))
    func postgres() {
        #expect(StoreKind.available == StoreKind.allCases)
    }
}
