public import ServiceKit
public import Configuration
import Wire

/// What history needs to know, read once at its start.
public struct HistoryConfiguration: Sendable {
    /// Where the bus is and how to speak to it.
    public var bus: BusSettings
    /// The folder of the database, where it is SQLite's.
    public var dataDirectory: String
    /// The server of the database, where it is PostgreSQL's; nil for SQLite.
    public var server: PostgresAddress?
    /// How far a commit waits for the disk.
    public var synchronous: Synchronous
    /// The IANA name of the zone of devices whose config names none.
    public var defaultZone: String
    /// How many devices are kept.
    public var maximumDevices: Int
    /// How long minutes are kept.
    public var retention: Retention
    /// Which requests need a key.
    public var policy: RequestPolicy
    /// How long a shutdown waits for the broker to take answers, and then what else is due, in seconds.
    public var shutdownSeconds: Double = 5

    /// A configuration from its parts.
    public init(
        bus: BusSettings, dataDirectory: String, server: PostgresAddress? = nil, synchronous: Synchronous = .full,
        defaultZone: String = "UTC", maximumDevices: Int = 100_000, retention: Retention = .usual,
        policy: RequestPolicy = .open
    ) {
        self.bus = bus
        self.dataDirectory = dataDirectory
        self.server = server
        self.synchronous = synchronous
        self.defaultZone = defaultZone
        self.maximumDevices = maximumDevices
        self.retention = retention
        self.policy = policy
    }

    /// Reads the configuration: the keys of `BusSettings`, and
    /// - `data`: folder of `history.sqlite`; default `stridebus-data`.
    /// - `history-store`: another folder for it, or `postgresql://user@host:5432/database` for a PostgreSQL server from
    ///   version 15 on, which several histories may share. A password is better in `PGPASSFILE` or `PGPASSWORD`; it is
    ///   shown nowhere.
    /// - `synchronous`: `full` (default), or `normal` for fewer waits, where a loss of power may undo the last commits,
    ///   which then come again from the counter.
    /// - `zone`: IANA name of the zone of devices whose config names none; default `UTC`.
    /// - `retention-days`: for how many days minutes are kept, at least 7; default 400. Hours and days are kept for ever.
    /// - `protected`: the request verbs that need a key, separated by commas, such as `people/forget,devices/forget`;
    ///   default none.
    /// - `protected-key`: that key, 16 to 256 bytes; it is better in `STRIDEBUS_PROTECTED_KEY` or a file than on the
    ///   command line, where everybody on the machine sees it, and is shown nowhere.
    ///
    /// - Throws: `HistoryError.configuration` with the key and what is wrong.
    public init(config: ConfigReader) throws(HistoryError) {
        do {
            let synchronous = try config.choice(
                "synchronous", default: "full", among: ["full": Synchronous.full, "normal": .normal])
            self.init(
                bus: try BusSettings(config: config),
                dataDirectory: config.string(forKey: "data", default: "stridebus-data"), synchronous: synchronous,
                defaultZone: config.string(forKey: "zone", default: "UTC"))
        } catch {
            throw .configuration(key: error.key, problem: error.problem)
        }
        let days = config.string(forKey: "retention-days", default: "\(Retention.defaultDays)")
        guard let retention = Int(days).flatMap({ Retention(days: $0) }) else {
            throw .configuration(
                key: "retention-days",
                problem: "is '\(days)'; give a number of days from \(Retention.minimumDays) to \(Retention.maximumDays)"
            )
        }
        self.retention = retention
        policy = try Self.policy(config)
        _ = try defaultCalendar()
        if let place = config.string(forKey: "history-store", isSecret: true) { try keep(in: place) }
    }

    private static func policy(_ config: ConfigReader) throws(HistoryError) -> RequestPolicy {
        let names = config.string(forKey: "protected") ?? ""
        let key = config.string(forKey: "protected-key", isSecret: true)
        var verbs: Set<RequestVerb> = []
        for name in names.split(separator: ",").map({ $0.filter { $0 != " " } }) {
            guard let verb = RequestVerb(rawValue: name) else {
                throw .configuration(
                    key: "protected", problem: "names '\(name)', which is no request; there are \(ReplyError.verbs)")
            }
            verbs.insert(verb)
        }
        guard !verbs.isEmpty || key != nil else { return .open }
        guard !verbs.isEmpty else {
            throw .configuration(key: "protected-key", problem: "protects nothing; name the requests in 'protected'")
        }
        guard let key, let secret = try? RequestKey(key),
            let policy = RequestPolicy(protecting: verbs, with: secret)
        else {
            let lengths = RequestKey.lengths
            throw .configuration(
                key: "protected-key",
                problem: "\(key == nil ? "is missing" : "has another length"); give "
                    + "\(lengths.lowerBound) to \(lengths.upperBound) bytes, such as those of 'openssl rand -hex 16'")
        }
        return policy
    }

    /// A URL is a server, anything else a folder; what looks like another kind of URL is a mistake.
    private mutating func keep(in place: String) throws(HistoryError) {
        guard place.contains("://") else {
            dataDirectory = place
            return
        }
        do { server = try PostgresAddress(place) } catch {
            throw .configuration(key: "history-store", problem: "is wrong: \(error)")
        }
    }

    /// The calendar of devices whose config names no zone.
    func defaultCalendar() throws(HistoryError) -> DayCalendar {
        do { return try DayCalendar(zone: defaultZone) } catch {
            throw .configuration(key: "zone", problem: "is wrong: \(error)")
        }
    }
}
