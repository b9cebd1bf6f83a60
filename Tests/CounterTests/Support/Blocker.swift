import GRDB

@testable import Counter

/// Another program that holds the counter's database for writing.
struct Blocker {
    private let queue: DatabaseQueue

    init(directory: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: directory + "/" + CounterStore.fileName, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    }

    func release() throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    }
}
