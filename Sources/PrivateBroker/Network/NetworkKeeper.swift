import Foundation
package import Logging
import MQTT
package import ServiceKit
import ServiceLifecycle
import Wire

/// Keeps a bus on the network in step with its folder: users that a command changed take force on the running broker at
/// once and their roles are told on the bus; certificates are renewed before they end.
package final class NetworkKeeper: Service {
    private let folder: String
    private let users: BusUsers
    private let certificates: Certificates
    private let settings: NetworkSettings
    private let broker: EmbeddedBroker
    private let front: WebFront?
    private let bus: BusSettings
    private let logger: Logger
    private let lock: FileLock
    /// The list of users with which the broker was started.
    private let loaded: FileState?

    /// The interval at which the list of users is looked at, in milliseconds: with the broker's own 0.1 s a revoked
    /// session is dead well within a second.
    private static let lookMilliseconds = 100
    /// The interval at which certificates are looked at, in seconds; at once where the machine has got another address, such
    /// as that which its network gives it some time after it was switched on.
    private static let certificateSeconds = 3_600.0
    /// The interval of reports on `service/network/health`, in seconds.
    private static let healthSeconds = 10.0

    /// Takes the folder.
    package init(
        folder: String, users: BusUsers, certificates: Certificates, settings: NetworkSettings, broker: EmbeddedBroker,
        front: WebFront?, bus: BusSettings, lock: FileLock, loaded: FileState?, logger: Logger
    ) {
        self.folder = folder
        self.users = users
        self.certificates = certificates
        self.settings = settings
        self.broker = broker
        self.front = front
        self.bus = bus
        self.logger = logger
        self.lock = lock
        self.loaded = loaded
    }

    /// Claims a folder, before anything in it is changed: a second bus would change the first one's passwords.
    ///
    /// - Throws: `BrokerError` when another process has it.
    package static func claim(_ folder: String) throws(BrokerError) -> FileLock {
        try PrivateFile.makeFolder(folder)
        do { return try FileLock(path: lockFile(folder)) } catch {
            throw .file(path: folder, reason: "another 'stridebus up --network' uses it: end one of the two")
        }
    }

    package func run() async throws {
        let producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(
                endpoint: bus.endpoint, clientID: bus.clientID(of: "users"), version: bus.version))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.keep(producer) }
            try? await gracefulShutdown()
            group.cancelAll()
        }
        await producer.stop()
    }

    private func keep(_ producer: MQTTProducer) async {
        var told = toldBefore()
        var seen: FileState?
        var refused = RefusedLogins()
        var daysLeft: Int?
        var isTold = true
        var names = Self.names(settings)
        let clock = SteadyClock()
        var (certificatesLookedAt, reportedAt) = (-Double.infinity, -Double.infinity)
        while !Task.isCancelled {
            // Intervals are measured by a clock that nobody sets.
            let now = Double(clock.microseconds) / 1e6
            let isDue = now - reportedAt > Self.healthSeconds
            let state = FileState(path: users.list)
            // Mosquitto 2.0 then drops what comes for stored sessions that are not back yet, such as the services' at a start.
            if state != seen, seen != nil || state != loaded { broker.reload() }
            // Roles that could not be told, as on a full disk, are told again.
            if state != seen || isDue && !isTold {
                let isChange = seen != nil && state != seen
                seen = state
                isTold = await tell(&told, saysEverything: !isChange, producer)
                if isTold { confirm(state) }
            }
            let isElsewhere = isDue && settings.certificate == nil && Self.names(settings).hasMore(than: names)
            if isElsewhere || now - certificatesLookedAt > Self.certificateSeconds {
                certificatesLookedAt = now
                names = Self.names(settings)
                daysLeft = lookAtCertificates(nowSeconds: WallClock.seconds())
            }
            if isDue {
                reportedAt = now
                let before = refused.count
                refused.read(broker.logFile)
                let addresses = refused.takeAddresses()
                if refused.count > before {
                    logger.warning(
                        "\(refused.count - before) logins were refused",
                        metadata: ["from": "\(addresses.joined(separator: ", "))"])
                }
                var counters = [("users", UInt64(told.count)), ("logins_refused", refused.count)]
                if let daysLeft { counters.append(("certificate_days_left", UInt64(max(0, daysLeft)))) }
                var health = ServiceHealth(t: WallClock.seconds(), service: .network, counters: counters)
                health.loginsRefusedFrom = addresses
                report(health, producer)
            }
            try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
        }
    }

    private func report(_ health: ServiceHealth, _ producer: MQTTProducer) {
        producer.offer(
            MQTTPublication(
                topic: bus.topics.bytes(.serviceHealth(.network)), payload: health.encodedJSON(), qos: .atMostOnce,
                retain: true))
    }

    /// Says on the bus who may do what since the last time, or all of it. Returns whether that is done.
    private func tell(
        _ told: inout [DeviceID: BusUser], saysEverything: Bool, _ producer: MQTTProducer
    ) async -> Bool {
        do {
            let entries = Dictionary(uniqueKeysWithValues: try users.all().map { ($0.name, $0) })
            var publications: [MQTTPublication] = []
            func say(_ role: UserRole?, of user: DeviceID, retain: Bool = true) {
                publications.append(
                    MQTTPublication(
                        topic: bus.topics.bytes(.userRole(user)), payload: role?.encodedJSON() ?? [], retain: retain))
            }
            for (name, entry) in entries where saysEverything || told[name] != entry {
                if let before = told[name], before.passwordCount != entry.passwordCount {
                    var role = entry.said
                    role.change = .rotated
                    say(role, of: name, retain: false)
                }
                say(entry.said, of: name)
            }
            for (name, entry) in told where entries[name] == nil {
                var role = entry.said
                (role.by, role.change) = (users.revoker(of: "\(name)"), .revoked)
                say(role, of: name, retain: false)
                say(nil, of: name)
            }
            try await producer.publish(publications)
            logger.info("users", metadata: ["count": "\(entries.count)", "changed": "\(publications.count)"])
            told = entries
            let bytes = try JSONEncoder().encode(entries.values.sorted { $0.name < $1.name })
            try PrivateFile.write(String(decoding: bytes, as: UTF8.self), to: toldFile)
            return true
        } catch {
            logger.error("the roles of users are not told on the bus: \(error)")
            return false
        }
    }

    private var toldFile: String { folder + "/told" }

    /// The users of whom the bus still has a role since the last start: who was revoked meanwhile is taken away there.
    private func toldBefore() -> [DeviceID: BusUser] {
        let bytes = Data(((try? PrivateFile.read(toldFile)) ?? "").utf8)
        let entries = (try? JSONDecoder().decode([BusUser].self, from: bytes)) ?? []
        return Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    }

    /// Renews what ends soon. Returns the days until the end; nil where they are not known.
    private func lookAtCertificates(nowSeconds: Double) -> Int? {
        do {
            if try Self.renew(certificates, settings, logger) {
                broker.reload()
                front?.restart()
                logger.notice("the listeners show a new certificate")
                try move()
            }
            let days = try certificates.daysLeft(nowSeconds: nowSeconds)
            if days <= Certificates.renewalDays {
                logger.warning("the certificate of the listeners ends in \(days) days: renew it")
            }
            return days
        } catch {
            logger.error("the certificate of the listeners is not renewed: \(error)")
            return try? certificates.daysLeft(nowSeconds: nowSeconds)
        }
    }

    /// Writes where the bus is reached now, for the commands that print it.
    private func move() throws(BrokerError) {
        guard let before = try NetworkPlace.read(folder: folder) else { return }
        let place = before.moved(to: try certificates.names(settings))
        guard place != before else { return }
        try place.write(folder: folder)
        logger.notice("the bus is reached at \(place.broker)\(place.pageURL.map { " and \($0)" } ?? "")")
    }

    private static func names(_ settings: NetworkSettings) -> HostNames {
        .ofThisMachine(owner: settings.hostName, listening: settings.address)
    }

    /// Brings the listeners' certificate up to date. Returns whether it is another one.
    package static func renew(
        _ certificates: Certificates, _ settings: NetworkSettings, _ logger: Logger
    ) throws(BrokerError) -> Bool {
        let before = try? certificates.fingerprint()
        defer {
            if let before, let now = try? certificates.fingerprint(), now != before {
                logger.warning(
                    "the authority of this bus is another one now, because the one before ends soon or its key was lost: phones and boards must come to trust it"
                )
            }
        }
        if let (certificate, key) = settings.certificate {
            return try certificates.install(certificate: certificate, key: key)
        }
        return try certificates.renew(names(settings))
    }

    // MARK: What the commands are told

    private static func lockFile(_ folder: String) -> String { folder + "/running.lock" }
    private static func confirmationFile(_ folder: String) -> String { folder + "/applied" }

    private func confirm(_ state: FileState?) {
        do { try PrivateFile.write(state?.text ?? "", to: Self.confirmationFile(folder)) } catch {
            logger.warning("\(error)")
        }
    }

    /// Waits until the running bus has taken the present list of users.
    ///
    /// - Returns: False at once where no bus runs from this folder, and where it does not take the list in time.
    package static func isApplied(_ users: BusUsers, folder: String, patienceSeconds: Double = 5) async -> Bool {
        if (try? FileLock(path: lockFile(folder))) != nil { return false }
        let wanted = FileState(path: users.list)?.text
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while ContinuousClock.now < deadline {
            if (try? PrivateFile.read(confirmationFile(folder))) == wanted { return true }
            guard (try? await Task.sleep(for: .milliseconds(lookMilliseconds))) != nil else { break }
        }
        return false
    }
}

/// Which file stands at a path: another one after each change, because files are replaced as a whole.
package struct FileState: Equatable, Sendable {
    let text: String

    package init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        text = "\(status.st_ino) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec) \(status.st_size)"
    }
}
