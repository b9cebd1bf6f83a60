import CPostgres
import Foundation
package import ServiceKit

/// One connection of libpq, used by one thread. It never waits longer than its limits: libpq is asked for what it has
/// without blocking, and the waiting is ours.
final class PostgresConnection {
    private let handle: OpaquePointer
    let server: String
    private let statementSeconds: Double
    /// True if the connection is of no use any more.
    private(set) var isLost = false

    /// Connects, within the timeout of the address or of the limits.
    init(_ address: PostgresAddress, applicationName: String, limits: PostgresLimits) throws(HistoryError) {
        server = address.description
        statementSeconds = limits.statementSeconds
        guard let handle = Self.connect(address, applicationName: applicationName, limits: limits) else {
            throw .serverAway(problem: "no memory for a connection to PostgreSQL at \(server)")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
            let problem = Self.oneLine(PQerrorMessage(handle))
            let remedy = "start it, or check address, user and password"
            throw .serverAway(problem: "PostgreSQL at \(server) cannot be reached (\(problem)); \(remedy)")
        }
        // Notices are for a person at a terminal; what matters comes as an error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// The address comes after our defaults, which it thereby overrides, and before what must be so.
    private static func connect(
        _ address: PostgresAddress, applicationName: String, limits: PostgresLimits
    ) -> OpaquePointer? {
        let parameters: KeyValuePairs = [
            "connect_timeout": "\(limits.connectSeconds)", "target_session_attrs": "read-write",
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "\(Int(limits.statementSeconds * 1000))",
            "fallback_application_name": applicationName, "dbname": address.url, "client_encoding": "UTF8",
        ]
        var keywords: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.key)) }
        var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.value)) }
        defer { for pointer in keywords + values { free(UnsafeMutablePointer(mutating: pointer)) } }
        keywords.append(nil)
        values.append(nil)
        return PQconnectdbParams(keywords, values, 1)
    }

    /// Runs statements without parameters.
    func run(_ sql: String) throws(HistoryError) -> PostgresAnswer {
        try check(PQsendQuery(handle, sql))
        return try answer()
    }

    /// Prepares a statement under a name.
    func prepare(_ name: String, _ sql: String, types: [UInt32]) throws(HistoryError) {
        try check(PQsendPrepare(handle, name, sql, Int32(types.count), types))
        _ = try answer()
    }

    /// Executes prepared statements in one round trip, which libpq calls a pipeline. Parameters go and rows come in
    /// binary form.
    func execute(
        _ statements: [(name: String, parameters: [PostgresParameter])]
    ) throws(HistoryError) -> [PostgresAnswer] {
        try check(PQenterPipelineMode(handle))
        for statement in statements { try send(statement.name, statement.parameters) }
        try check(PQpipelineSync(handle))
        let (all, failure) = try answers(isPipeline: true)
        try check(PQexitPipelineMode(handle))
        if let failure { throw failure }
        guard all.count == statements.count else {
            throw .store(.database(path: server, problem: "\(all.count) results for \(statements.count) statements"))
        }
        return all
    }

    private func send(_ name: String, _ parameters: [PostgresParameter]) throws(HistoryError) {
        let encoded = parameters.map(\.bytes)
        // One block for all values, because each pointer must stay valid until libpq has copied them. A byte more,
        // because a value of no bytes is not null: it needs a pointer too.
        let block = Array(encoded.compactMap { $0 }.joined()) + [0]
        let lengths = encoded.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: encoded.count)
        let sent = block.withUnsafeBufferPointer { block in
            block.withMemoryRebound(to: CChar.self) { block -> Int32 in
                var offset = 0
                let pointers: [UnsafePointer<CChar>?] = encoded.map { value in
                    guard let value else { return nil }
                    defer { offset += value.count }
                    return block.baseAddress.map { $0 + offset }
                }
                return PQsendQueryPrepared(handle, name, Int32(encoded.count), pointers, lengths, formats, 1)
            }
        }
        try check(sent)
    }

    private func check(_ accepted: Int32) throws(HistoryError) {
        guard accepted == 1 else { throw lost() }
    }

    /// The result of the statements that were sent; the last of several.
    private func answer() throws(HistoryError) -> PostgresAnswer {
        let (all, failure) = try answers(isPipeline: false)
        if let failure { throw failure }
        guard let last = all.last else { throw lost() }
        return last
    }

    /// The results of the statements that were sent, and what was wrong with the first that failed.
    /// - Parameter isPipeline: Whether an answer to the whole marks the end, and each statement's results end with none.
    private func answers(
        isPipeline: Bool
    ) throws(HistoryError) -> (all: [PostgresAnswer], failure: HistoryError?) {
        let deadline = ContinuousClock.now + .seconds(statementSeconds + PostgresLimits.graceSeconds)
        try flush(until: deadline)
        var (all, failure): ([PostgresAnswer], HistoryError?) = ([], nil)
        var wasEnd = false
        while !isLost {
            guard let result = try nextResult(until: deadline) else {
                guard isPipeline else { break }
                // Where none follows none nothing more comes.
                guard !wasEnd else { throw lost() }
                wasEnd = true
                continue
            }
            wasEnd = false
            let status = PQresultStatus(result)
            if [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY].contains(status) {
                all.append(PostgresAnswer(result))
                continue
            }
            defer { PQclear(result) }
            if status == PGRES_PIPELINE_SYNC { return (all, failure) }
            if status != PGRES_PIPELINE_ABORTED { failure = failure ?? error(of: result) }
        }
        if isPipeline { throw failure ?? lost() }
        return (all, failure)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(HistoryError) {
        while case let rest = PQflush(handle), rest != 0 {
            guard rest == 1 else { throw lost() }
            // The server may want to be read before it reads on.
            let events = try wait(for: Int16(POLLIN | POLLOUT), until: deadline)
            if events & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 { throw lost() }
        }
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws(HistoryError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            _ = try wait(for: Int16(POLLIN), until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw lost() }
        }
        return PQgetResult(handle)
    }

    private func wait(for events: Int16, until deadline: ContinuousClock.Instant) throws(HistoryError) -> Int16 {
        while true {
            let left = deadline - .now
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else {
                throw lost("no answer within \(statementSeconds) s")
            }
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let ready = poll(&descriptor, 1, Int32(clamping: milliseconds))
            if ready > 0 { return descriptor.revents }
            if ready < 0, errno != EINTR { throw lost() }
        }
    }

    private func lost(_ problem: String? = nil) -> HistoryError {
        isLost = true
        return .serverAway(
            problem: "PostgreSQL at \(server) went away (\(problem ?? Self.oneLine(PQerrorMessage(handle))))")
    }

    /// What is wrong with a statement, by its state: PostgreSQL 15, appendix A, "PostgreSQL Error Codes".
    private func error(of result: OpaquePointer) -> HistoryError {
        guard let word = PQresultErrorField(result, 67 /* PG_DIAG_SQLSTATE, 'C' */) else {
            return lost(Self.oneLine(PQresultErrorMessage(result)))
        }
        let problem = Self.oneLine(PQresultErrorField(result, 77 /* PG_DIAG_MESSAGE_PRIMARY, 'M' */))
        let state = String(cString: word)
        if Self.endOfConnection.contains(state) || PQstatus(handle) != CONNECTION_OK { return lost(problem) }
        return switch state {
        case Self.cancelled:
            .serverAway(
                problem:
                    "PostgreSQL at \(server) did not answer within \(statementSeconds) s; see what it is busy with")
        case Self.diskFull: .store(.diskFull(path: server))
        default: .store(.database(path: server, problem: "\(problem) (SQLSTATE \(state))"))
        }
    }

    /// The states after which the connection is of no more use: the server ends it, or has become a standby, so that the next
    /// connection looks for the primary.
    private static let endOfConnection: Set = ["57P01", "57P02", "57P03", "57P05", "25006"]
    /// A statement that took longer than its time-out, or was cancelled.
    private static let cancelled = "57014"
    /// No room left on the server's disk.
    private static let diskFull = "53100"

    private static func oneLine(_ text: UnsafePointer<CChar>?) -> String {
        guard let text else { return "nothing said" }
        let lines = String(cString: text).split(whereSeparator: \.isNewline)
        return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}

/// The address of a database, with how to connect to it:
/// `postgresql://user:password@host:port/database?sslmode=require`, with every parameter that libpq knows (PostgreSQL
/// 15, 34.1.2 "Parameter Key Words"), several hosts included.
///
/// Its description has neither the password nor any other parameter.
package struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// The URL, with the password if there is one in it.
    let url: String
    /// `user@host:port/database`, without the password.
    package let description: String

    /// True if a text begins like such an address.
    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Reads an address.
    /// - Throws: `SettingError`, which repeats nothing of the text: a part of it may be a password.
    package init(_ url: String) throws(SettingError) {
        guard Self.isAddress(url) else {
            throw Self.wrong("must be like postgresql://user@host:5432/database")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw Self.wrong(
                "cannot be read; write special characters of a password as %40 (@), %3A (:), %2F (/), %25 (%)")
        }
        defer { PQconninfoFree(options) }
        let values = Self.values(options)
        if [values["host"], values["user"], values["dbname"]].contains(where: { $0?.contains("@") == true }) {
            throw Self.wrong("has an @ too many; write the one in a user name or password as %40")
        }
        self.url = url
        description = Self.describe(values)
    }

    private static func wrong(_ problem: String) -> SettingError {
        SettingError(key: "history-store", problem: "is wrong: the PostgreSQL address \(problem)")
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    private static func describe(_ values: [String: String]) -> String {
        let hosts = (values["host"] ?? values["hostaddr"] ?? "localhost").split(separator: ",").map(String.init)
        let ports = (values["port"] ?? "").split(separator: ",").map(String.init)
        let places = hosts.enumerated().map { index, host in
            guard let port = ports.count > 1 ? ports.dropFirst(index).first : ports.first else { return host }
            return "\(host):\(port)"
        }
        let user = values["user"].map { "\($0)@" } ?? ""
        return user + places.joined(separator: ",") + (values["dbname"].map { "/\($0)" } ?? "")
    }
}
