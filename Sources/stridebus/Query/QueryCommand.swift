import ArgumentParser

/// Asks history over the bus.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Ask history over the bus.",
        discussion: """
            Times are local dates (2026-11-20), ISO 8601 instants (2026-11-20T17:00:00Z) or seconds since 1970; \
            'from' is included, 'to' is not.
            """,
        subcommands: [
            QueryToday.self, QueryDays.self, QueryInterval.self, QuerySeries.self, QueryActivity.self,
            QueryDevices.self,
            QueryCapabilities.self, QueryPeople.self, QueryPerson.self,
        ])
}
