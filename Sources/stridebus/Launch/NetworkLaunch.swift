import Configuration
import Foundation
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import Wire

/// The private broker on the network, with what stands around it: certificates, users, and what serves browsers.
struct NetworkLaunch {
    let settings: NetworkSettings
    let topics: TopicTree
    let data: String
    /// What stands in the client ids of the three services.
    let clientKey: String
    /// Filters beyond the root that the services use.
    let foreignFilters: [String]
    let logger: Logger

    /// The operator's user, which a start without any operator makes.
    static let firstOperator = "operator"

    /// - Parameters:
    ///   - port: The broker's port on loopback.
    ///   - page: The folder of the page; nil for none.
    /// - Returns: What was started, and the broker's address for the three services, with their user.
    func start(
        port: Int, page: String?
    ) async throws -> (services: [any Service], brokerURL: String, welcome: Welcome?) {
        let folder = NetworkFolder.path(data: data)
        let lock = try NetworkKeeper.claim(folder)
        try settings.checkPorts(loopback: port, hasPage: page != nil)
        let open = try NetworkFolder.close(folder)
        if !open.isEmpty {
            logger.warning(
                "others on this machine could read \(open.joined(separator: ", ")) in \(folder), and cannot any more: if somebody may have, 'stridebus users rotate' gives new passwords, and without ca.key and ca.pem an authority is made anew"
            )
        }
        let certificates = Certificates(folder: folder)
        _ = try NetworkKeeper.renew(certificates, settings, logger)
        let names = try certificates.names(settings)
        if try !certificates.isFor(names.primary) {
            logger.warning(
                "the certificate is not for '\(names.primary)', so that nobody connects: name one of its names with --host-name"
            )
        }
        let users = BusUsers(folder: folder, topics: topics, foreignFilters: foreignFilters)
        let password = try users.renewServices()
        let loaded = FileState(path: users.list)
        var configuration = BusRun.broker(
            port: port, page: page.map { PageListener(directory: $0) }, folder: "\(data)/broker", logger: logger)
        configuration.network = NetworkListeners(settings, certificates, users)
        let broker = try await EmbeddedBroker.start(configuration)
        var place = NetworkPlace(
            host: names.primary, name: names.names.first ?? names.primary, tlsPort: settings.tlsPort,
            plainPort: settings.plainPort,
            authority: settings.certificate == nil ? URL(fileURLWithPath: certificates.authority).path : nil,
            root: topics.root, foreignFilters: foreignFilters)
        var front: WebFront?
        if let listener = broker.page {
            let url = PageFolder.url("https://\(names.primaryInURL):\(settings.webPort)/", root: topics.root)
            place.pageURL = url
            front = try await WebFront.start(
                settings, brokerPort: listener.port, certificates: certificates, folder: folder, pageURL: url,
                logger: logger)
        }
        try place.write(folder: folder)
        let operatorPassword = try makeOperator(among: users)
        let url = "mqtt://\(BusUsers.services):\(password)@127.0.0.1:\(broker.port)"
        let bus = BusSettings(endpoint: try .init(url), topics: topics, clientKey: clientKey)
        let keeper = NetworkKeeper(
            folder: folder, users: users, certificates: certificates, settings: settings, broker: broker, front: front,
            bus: bus, lock: lock, loaded: loaded, logger: logger)
        if let plainPort = settings.plainPort {
            logger.warning(
                "port \(plainPort) is without TLS, as --plain-port asks: who listens in on the network reads what goes over it, passwords too"
            )
        }
        let welcome = Welcome(
            place: place, names: names, data: data, operatorPassword: operatorPassword,
            fingerprint: settings.certificate == nil ? try certificates.fingerprint() : nil)
        return ([broker] + [front].compactMap(\.self) + [keeper], url, welcome)
    }

    /// The password of an operator who is made where there is none. Devices may have been added before the first start; and a
    /// start that failed before this has shown nobody a password.
    private func makeOperator(among users: BusUsers) throws -> String? {
        let lost = try users.withoutPassword()
        if !lost.isEmpty {
            logger.warning(
                "\(users.passwords) has no password of \(lost.joined(separator: ", ")): 'stridebus users rotate NAME' gives one"
            )
        }
        let present = try users.all()
        guard !present.contains(where: { $0.role == .operator }) else { return nil }
        guard !present.contains(where: { "\($0.name)" == Self.firstOperator }) else {
            logger.warning("there is no operator: make one with 'stridebus users add NAME --operator --data \(data)'")
            return nil
        }
        return try users.add(Self.firstOperator, role: .operator, by: "stridebus up")
    }
}

/// What a start says to the person at the terminal.
package struct Welcome: Sendable {
    let place: NetworkPlace
    let names: HostNames
    let data: String
    /// Made by the first start; shown once, and to a terminal only.
    let operatorPassword: String?
    /// The fingerprint of our own authority; nil where the certificate is the owner's.
    let fingerprint: String?

    /// The lines.
    ///
    /// - Parameter isTerminal: Whether a person reads them; what else does may keep them for everybody.
    package func lines(isTerminal: Bool) -> [String] {
        var lines = ["", "The bus is on the network.", "  boards, programs   \(place.broker)"]
        if let plainPort = place.plainPort {
            lines.append("  without TLS        mqtt://\(place.host):\(plainPort)  (readable by who listens in)")
        }
        lines.append("  page               " + (place.pageURL ?? "none: make one with deploy/page and start again"))
        let others = (names.names + names.addresses).filter { $0 != place.host && !HostNames.isLoopback($0) }
        if !others.isEmpty { lines.append("  also known as      \(others.joined(separator: ", "))") }
        if let fingerprint, let trustURL = place.trustURL {
            lines += ["  a phone's first visit, once: \(trustURL)", "  there compare the fingerprint (SHA-256):"]
            let pairs = fingerprint.split(separator: ":")
            lines += [pairs.prefix(16), pairs.dropFirst(16)].map { "    " + $0.joined(separator: " ") }
        }
        if let operatorPassword {
            if isTerminal {
                lines += [
                    "",
                    "You, the operator, log in as \(NetworkLaunch.firstOperator) with a password that is shown this once:",
                    "  \(operatorPassword)",
                ]
            } else {
                lines += [
                    "",
                    "The operator's password is shown to a terminal only: "
                        + "stridebus users rotate \(NetworkLaunch.firstOperator) --data \(data)",
                ]
            }
            lines += [
                "",
                "Next: 'stridebus users add bike-07 --data \(data)' for a device, --member, --viewer or --operator for others.",
            ]
        }
        if isTerminal, let url = place.trustURL ?? place.pageURL { lines += [""] + QRCode.lines(of: url) }
        return lines
    }
}

/// A code for a phone's camera, by Debian's `qrencode`.
enum QRCode {
    /// The lines; one that says what to install where that is missing.
    static func lines(of text: String) -> [String] {
        do {
            // Not as an argument: a code may hold a password.
            return try SystemProgram.run("qrencode", package: "qrencode", ["-t", "ANSIUTF8"], input: text).split(
                separator: "\n", omittingEmptySubsequences: false
            ).map(String.init)
        } catch {
            return ["(for a code that a phone's camera reads: apt-get install qrencode)"]
        }
    }
}
