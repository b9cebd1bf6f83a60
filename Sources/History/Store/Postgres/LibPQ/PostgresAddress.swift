import CPostgres

/// The address of a database, with how to connect to it: `postgresql://user:password@host:port/database?sslmode=require`, with
/// every parameter that libpq knows (PostgreSQL 15, 34.1.2 "Parameter Key Words"), several hosts included.
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
    /// - Throws: `PostgresError.address`, which repeats nothing of the text: a part of it may be a password.
    package init(_ url: String) throws(PostgresError) {
        guard Self.isAddress(url) else {
            throw .address(problem: "must be like postgresql://user@host:5432/database")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw .address(
                problem: "cannot be read; write special characters of a password as %40 (@), %3A (:), %2F (/), %25 (%)")
        }
        defer { PQconninfoFree(options) }
        let values = Self.values(options)
        if [values["host"], values["user"], values["dbname"]].contains(where: { $0?.contains("@") == true }) {
            throw .address(problem: "has an @ too many; write the one in a user name or password as %40")
        }
        self.url = url
        description = Self.describe(values)
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
