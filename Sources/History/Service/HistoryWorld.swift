package import Wire

/// The messages that history keeps, as they came together.
package struct HistoryBatch: Sendable {
    package var inputs: [HistoryInput]
    /// Whether they are the first of a connection: what is before them may be missing.
    package var beginsConnection: Bool

    package init(_ inputs: [HistoryInput] = [], beginsConnection: Bool = false) {
        (self.inputs, self.beginsConnection) = (inputs, beginsConnection)
    }
}

/// A message of the bus, as history keeps it.
package enum HistoryInput: Sendable {
    /// Rows of a counter.
    case counts(CountsBatch)
    /// A device's settings; `nil` puts the defaults back.
    case settings(DeviceID, DeviceSettings?)
    /// A user's role; `nil` revokes it.
    case role(DeviceID, UserRole?)
    /// The logins that the private broker refused since it started.
    case loginsRefused(UInt64, from: [String])
    case counterStarted
    /// A message without meaning for history, such as a retained status.
    case nothing
    /// A message that is refused.
    case refused(WireError)

    /// Reads a message.
    package init(topic: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, isRetained: Bool, in topics: TopicTree)
    {
        do throws(WireError) {
            self = try Self.read(try topics.parse(topic), payload, isRetained: isRetained)
        } catch {
            self = .refused(error)
        }
    }

    /// Reads the payload of a topic.
    package static func read(
        _ topic: Topic, _ payload: UnsafeRawBufferPointer, isRetained: Bool
    ) throws(WireError) -> HistoryInput {
        switch topic {
        case .counts:
            guard !isRetained else { throw .retainedData }
            return .counts(try CountsBatch(decoding: payload))
        case .device(let device, .config):
            // The operator removes settings with an empty message.
            guard !payload.isEmpty else { return .settings(device, nil) }
            return .settings(device, DeviceSettings(try DeviceConfig(json: payload)))
        case .userRole(let user):
            guard !payload.isEmpty else { return .role(user, nil) }
            var role = try UserRole(json: payload)
            role.person = role.person.flatMap { PersonName.normal($0) }
            return .role(user, role)
        case .serviceHealth(.network):
            let health = try ServiceHealth(json: payload)
            return health["logins_refused"].map { .loginsRefused($0, from: health.loginsRefusedFrom) } ?? .nothing
        case .serviceStatus(.counter):
            return !isRetained && payload.elementsEqual("online".utf8) ? .counterStarted : .nothing
        default: throw .unknownTopic
        }
    }
}

/// The bus as history uses it to keep counts. An error of its methods ends history as a crash would.
package protocol HistoryBus {
    /// Waits for messages or for the next tick; none may have come. `nil` when no more is read.
    func next() async throws -> HistoryBatch?
    /// The messages of the last `next` are not sent again.
    func acknowledge() async throws
    /// Asks the counters for rows, without waiting for the broker.
    func ask(_ request: CountsResend) async throws
    /// Lets those who read know what is new.
    func publish(_ outcome: CommitOutcome) async throws
    /// Tells operators how many logins the private broker has refused, and from where the last ones came.
    func reportLogins(refused: UInt64, from addresses: [String]) async throws
    /// Tells how the keeping goes, and whether messages of counters are missing.
    func report(_ tally: HistoryCounters, isMissing: Bool) async throws
}

/// The store as history uses it to keep counts.
package protocol CountsStore {
    /// The connections to the database that were lost so far: after each, another server may answer, with less.
    var lostConnections: UInt64 { get }
    /// The position of each counter's chain; `nil` where it cannot be read now.
    func cursors() async throws -> [ChainCursor]?
    /// Keeps changes in one transaction. While the store fails it goes on trying.
    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) async throws -> CommitOutcome
    /// Makes claims of words anew that a commit found to be due, of some days. The outcome says whether there are more.
    func settleClaims(_ watch: CommitWatch) async throws -> CommitOutcome
}
