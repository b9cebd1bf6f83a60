package import Configuration
import Foundation
package import ServiceKit

/// How the private broker is on the network.
package struct NetworkSettings: Sendable, Hashable {
    /// The only address to listen on; nil for all of them.
    package var address: String?
    /// The name or address that others use; nil for the machine's first address.
    package var hostName: String?
    package var tlsPort: Int
    package var webPort: Int
    /// The port of MQTT without TLS; nil for none.
    package var plainPort: Int?
    /// The owner's certificate and its key; nil for one of our own authority.
    package var certificate: (String, String)? { certificateFile.flatMap { file in keyFile.map { (file, $0) } } }
    private var certificateFile: String?
    private var keyFile: String?

    /// The ports that MQTT over TLS and the page have where none is named.
    private static let usualPorts = (tls: 8_883, web: 8_443)

    /// Reads the settings; nil where the broker stays on loopback.
    package init?(config: ConfigReader) throws(SettingError) {
        let isOn = try config.choice("network", default: "off", among: ["off": false, "on": true])
        address = config.string(forKey: "address")
        hostName = config.string(forKey: "host-name")
        certificateFile = config.string(forKey: "certificate")
        keyFile = config.string(forKey: "certificate-key")
        plainPort = try Self.port("plain-port", config, free: { nil })
        tlsPort = try Self.port("tls-port", config, free: { Self.usualPorts.tls }) ?? Self.usualPorts.tls
        webPort = isOn ? try Self.port("page-port", config, free: { Self.usualPorts.web }) ?? Self.usualPorts.web : 0
        guard isOn else {
            // What would be passed over is told: somebody believes to have asked for it.
            let set = ["address", "host-name", "tls-port", "plain-port", "certificate", "certificate-key"].first {
                config.string(forKey: ConfigKey($0)) != nil
            }
            if let set { throw SettingError(key: set, problem: "is for a bus on the network: write --network too") }
            return nil
        }
        // As a server's configuration writes all of them.
        if address == "0.0.0.0" || address == "::" { address = nil }
        if let address, !HostNames.isAddress(address) {
            throw SettingError(
                key: "address", problem: "is '\(address)'; give an address of this machine, such as 192.168.1.4")
        }
        if let hostName, !HostNames.isName(hostName), !HostNames.isAddress(hostName) {
            throw SettingError(
                key: "host-name", problem: "is '\(hostName)'; give a name in lower case, such as bus.gym.example")
        }
        guard (certificateFile == nil) == (keyFile == nil) else {
            throw SettingError(
                key: certificateFile == nil ? "certificate" : "certificate-key",
                problem: "is missing: a certificate and its key are given together")
        }
    }

    /// Throws where two listeners are to have one port, or another program has it. That on loopback may be the one without
    /// TLS.
    package func checkPorts(loopback: Int, hasPage: Bool) throws {
        var ports = [("tls-port", tlsPort)] + [plainPort].compactMap { $0.map { ("plain-port", $0) } }
        if hasPage { ports.append(("page-port", webPort)) }
        for (index, (key, port)) in ports.enumerated() {
            let isLoopback = port == loopback && key != "plain-port"
            if let other = ports[..<index].first(where: { $0.1 == port })?.0 ?? (isLoopback ? "port" : nil) {
                throw SettingError(key: key, problem: "is \(port), and so is '\(other)': give each one of its own")
            }
            if LoopbackPort.accepts(port: port, address: address) { throw BrokerError.portTaken(port) }
        }
    }

    /// A port; 0 takes a free one.
    private static func port(
        _ key: String, _ config: ConfigReader, free usual: () -> Int?
    ) throws(SettingError) -> Int? {
        guard let port = config.int(forKey: ConfigKey(key)) else { return usual() }
        guard (0...65_535).contains(port) else {
            throw SettingError(key: key, problem: "is '\(port)'; give 0 to 65535; 0 takes any free one")
        }
        guard port == 0 else { return port }
        do { return try LoopbackPort.free() } catch {
            throw SettingError(key: key, problem: "is 0 and no port is free")
        }
    }
}

/// Where a bus on the network is reached: written at each start, read by the commands that print it.
package struct NetworkPlace: Codable, Sendable, Hashable {
    /// The name or address that others use.
    package var host: String
    /// A name in the certificate, for boards whose TLS compares names and not addresses.
    package var name: String
    package var tlsPort: Int
    package var plainPort: Int?
    /// The page's address; nil where there is no page.
    package var pageURL: String?
    /// The file of our own authority's certificate; nil where the certificate is the owner's.
    package var authority: String?
    /// The first levels of every topic.
    package var root: String
    /// Filters beyond the root that the services use, for the access list.
    package var foreignFilters: [String]

    package init(
        host: String, name: String, tlsPort: Int, plainPort: Int?, pageURL: String? = nil, authority: String? = nil,
        root: String,
        foreignFilters: [String] = []
    ) {
        self.host = host
        self.name = name
        self.tlsPort = tlsPort
        self.plainPort = plainPort
        self.pageURL = pageURL
        self.authority = authority
        self.root = root
        self.foreignFilters = foreignFilters
    }

    /// The place that the last `stridebus up --network` wrote into a folder; nil where none has.
    package static func read(folder: String) throws(BrokerError) -> NetworkPlace? {
        guard let text = try PrivateFile.read(folder + "/place.json") else { return nil }
        guard let place = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
            throw .file(path: folder + "/place.json", reason: "it is damaged; 'stridebus up --network' writes it anew")
        }
        return place
    }

    package func write(folder: String) throws(BrokerError) {
        guard let data = try? JSONEncoder().encode(self) else { return }
        try PrivateFile.write(String(decoding: data, as: UTF8.self), to: folder + "/place.json")
    }

    /// The place where the machine is reached by these names now: an address that it still has stays the one that is printed,
    /// and so does the name that the owner says.
    package func moved(to names: HostNames) -> NetworkPlace {
        guard names.owner == nil, !names.addresses.contains(host), host != names.primary else { return self }
        var place = self
        place.host = names.primary
        place.pageURL = pageURL?.replacing("//\(hostInURL):", with: "//\(names.primaryInURL):", maxReplacements: 1)
        return place
    }

    private var hostInURL: String { host.contains(":") ? "[\(host)]" : host }

    /// The broker's address, without a user.
    package var broker: String { "mqtts://\(hostInURL):\(tlsPort)" }

    /// The address of the page that lets a phone trust the authority.
    package var trustURL: String? {
        authority == nil ? nil : pageURL.map { ($0.split(separator: "?").first.map(String.init) ?? $0) + "trust" }
    }

    /// The page's address with a user's name and password in its fragment, which a browser sends to nobody.
    package func login(user: String, password: String) -> String? {
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        return pageURL.map { "\($0)#key/\(escaped(user))/\(escaped(password))" }
    }
}

/// The folder of what the network needs, below the data directory.
package enum NetworkFolder {
    package static func path(data: String) -> String { data + "/network" }

    /// Lets nobody but the owner read its files, as a restore or a `chmod` may have done; the authority's certificate is for
    /// everybody.
    ///
    /// - Returns: The names of those that others could read.
    package static func close(_ folder: String) throws(BrokerError) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let open = names.sorted().filter { name in
            var status = stat()
            return name != "ca.pem" && lstat(folder + "/" + name, &status) == 0
                && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 != 0
        }
        for name in open where chmod(folder + "/" + name, 0o600) != 0 {
            throw .file(path: folder + "/" + name, reason: String(cString: strerror(errno)))
        }
        return open
    }
}
