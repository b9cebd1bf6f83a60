import Foundation

/// The certificates of a bus on the network: an authority of its own that phones and boards come to trust, and the
/// server's certificate, renewed before it ends. Or a certificate of the owner's, which is taken over when it changes.
///
/// The authority may vouch for this machine's names and for private addresses only (RFC 5280, section 4.2.1.10), so that
/// who trusts it trusts it with this bus and not with the rest of the web. That extension is not critical, because
/// mbedTLS, which boards use, refuses a critical one that it does not know.
package struct Certificates: Sendable {
    private let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    private static let authorityDays = 3_650
    /// For how long a server's certificate is good, in days: browsers take no more than 398.
    private static let serverDays = 397
    /// The time before its end at which a certificate is renewed, or told where it is not ours to renew, in days.
    package static let renewalDays = 30

    /// The authority's certificate, which phones and boards are given.
    package var authority: String { folder + "/ca.pem" }
    private var authorityKey: String { folder + "/ca.key" }
    /// What the listeners show: the certificate, with those between it and its authority.
    package var server: String { folder + "/server.pem" }
    /// Its key, where HAProxy looks for it.
    package var serverKey: String { server + ".key" }
    private var serverRequest: String { folder + "/server.cnf" }

    /// Makes what is missing, ends soon or does not hold the names any more.
    ///
    /// - Returns: Whether the server's certificate is another one now.
    package func renew(_ names: HostNames) throws(BrokerError) -> Bool {
        try PrivateFile.makeFolder(folder)
        if try !isGoodAuthority() { try makeAuthority(names) }
        let names = try vouched(names)
        let request = Self.serverRequest(names)
        let isRight = try PrivateFile.read(serverRequest) == request && isSigned(server)
        if isRight, (try? isGood(server, key: serverKey)) ?? false { return false }
        let configuration = serverRequest + ".made"
        try PrivateFile.write(request, to: configuration)
        defer { unlink(configuration) }
        try make(
            "server", days: Self.serverDays, configuration: configuration, certificate: server, key: serverKey,
            signing: ["-CA", authority, "-CAkey", authorityKey]
        ) { made throws(BrokerError) in
            guard self.isSigned(made) else {
                throw .wrongCertificate(
                    path: authority,
                    problem:
                        "of this bus may not vouch for \(names.primary): remove it to have another one made, which "
                        + "phones and boards must come to trust, or give --certificate and --key")
            }
        }
        try PrivateFile.write(request, to: serverRequest)
        return true
    }

    /// Takes the owner's certificate and key over, where they are others than the last time.
    ///
    /// - Returns: Whether the server's certificate is another one now.
    package func install(certificate: String, key: String) throws(BrokerError) -> Bool {
        try PrivateFile.makeFolder(folder)
        guard let chain = try PrivateFile.read(certificate), let secret = try PrivateFile.read(key) else {
            throw .wrongCertificate(path: certificate, problem: "or its key \(key) is not there: check both paths")
        }
        let present = (try PrivateFile.read(server), try PrivateFile.read(serverKey))
        guard present != (chain, secret) else { return false }
        try check(certificate, key: key)
        try PrivateFile.write(secret, to: serverKey)
        try PrivateFile.write(chain, to: server)
        // An own one is made anew if the owner's is given up.
        unlink(serverRequest)
        return true
    }

    /// The days until the server's certificate ends; negative where it has ended.
    package func daysLeft(nowSeconds: Double) throws(BrokerError) -> Int {
        Int(((try endSeconds(server) - nowSeconds) / 86_400).rounded(.down))
    }

    /// The names and addresses by which the listeners' certificate lets this machine be reached.
    package func names(_ settings: NetworkSettings) throws(BrokerError) -> HostNames {
        let ofMachine = HostNames.ofThisMachine(owner: settings.hostName, listening: settings.address)
        guard settings.certificate != nil else { return try vouched(ofMachine) }
        let text = try openssl(["x509", "-in", server, "-noout", "-ext", "subjectAltName"])
        let names = text.matches(of: /DNS:([^\s,]+)/).map { $0.output.1.lowercased() }.filter(HostNames.isName)
        let addresses = text.matches(of: /IP Address:([^\s,]+)/).map { String($0.output.1) }
        guard let first = (names + addresses).first else { return ofMachine }
        return HostNames(owner: settings.hostName ?? first, names: names, addresses: addresses)
    }

    /// True if the listeners' certificate is for a name or an address.
    package func isFor(_ name: String) throws(BrokerError) -> Bool {
        try openssl(
            ["x509", "-in", server, "-noout", HostNames.isAddress(name) ? "-checkip" : "-checkhost", name]
        ).contains("does match certificate")
    }

    /// The fingerprint of the authority, as phones show it: SHA-256.
    package func fingerprint() throws(BrokerError) -> String {
        let line = try openssl(["x509", "-in", authority, "-noout", "-fingerprint", "-sha256"])
        return line.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
    }

    /// True if the authority can sign. One that cannot be read is no reason to make another, which nobody trusts yet.
    private func isGoodAuthority() throws(BrokerError) -> Bool {
        do { return try isGood(authority, key: authorityKey) } catch {
            switch error {
            case .programFailed, .wrongCertificate:
                throw .wrongCertificate(
                    path: authority,
                    problem: "of this bus or its key \(authorityKey) cannot be read: bring both back from a backup, or "
                        + "remove both to have others made, which phones and boards must come to trust")
            default: throw error
            }
        }
    }

    /// True if both files are there, fit, and the certificate is good for longer than the time of renewal.
    private func isGood(_ certificate: String, key: String) throws(BrokerError) -> Bool {
        guard try PrivateFile.read(certificate) != nil, try PrivateFile.read(key) != nil else { return false }
        // A power cut between the two files leaves a new certificate with the old key.
        guard try isPair(certificate, key: key) else { return false }
        return try endSeconds(certificate) - Date().timeIntervalSince1970 > Double(Self.renewalDays) * 86_400
    }

    /// Throws, with what to do, for files of the owner's that no listener could show.
    private func check(_ certificate: String, key: String) throws(BrokerError) {
        let end = try endSeconds(certificate)
        guard (try? isPair(certificate, key: key)) ?? false else {
            throw .wrongCertificate(
                path: certificate,
                problem: "does not belong to the key \(key): both are in PEM, the key without a passphrase, and of a "
                    + "chain the server's own comes first")
        }
        guard end > Date().timeIntervalSince1970 else {
            throw .wrongCertificate(path: certificate, problem: "has expired: renew it")
        }
        guard try openssl(["x509", "-in", certificate, "-noout", "-purpose"]).contains("SSL server : Yes") else {
            throw .wrongCertificate(path: certificate, problem: "is not for servers, so nobody would connect")
        }
    }

    /// True if a certificate is that of a key. A key that asks for a passphrase is an error: nobody is there to type it.
    private func isPair(_ certificate: String, key: String) throws(BrokerError) -> Bool {
        try openssl(["x509", "-in", certificate, "-noout", "-pubkey"])
            == openssl(["pkey", "-inform", "PEM", "-in", key, "-pubout", "-passin", "pass:"])
    }

    /// True if the present authority has signed a certificate, and may.
    private func isSigned(_ certificate: String) -> Bool {
        (try? openssl(["verify", "-CAfile", authority, certificate])) != nil
    }

    /// The names without those that the machine got later and the present authority may not vouch for: it is still reached by
    /// the others. The one that the owner names stays: where it may not be vouched for, that is for the owner to decide.
    private func vouched(_ names: HostNames) throws(BrokerError) -> HostNames {
        let constraints = try openssl(["x509", "-in", authority, "-noout", "-ext", "nameConstraints"])
        let permitted = constraints.matches(of: /DNS:([^\s,]+)/).map { String($0.output.1) }
        guard !permitted.isEmpty else { return names }
        return names.vouched { name in permitted.contains { name == $0 || name.hasSuffix("." + $0) } }
    }

    private func makeAuthority(_ names: HostNames) throws(BrokerError) {
        let configuration = folder + "/ca.cnf"
        try PrivateFile.write(Self.authorityRequest(names), to: configuration)
        try make(
            "authority", days: Self.authorityDays, configuration: configuration, certificate: authority,
            key: authorityKey, signing: [])
        unlink(configuration)
    }

    /// Makes a key and its certificate beside the old ones, then lets them take their place.
    private func make(
        _ section: String, days: Int, configuration: String, certificate: String, key: String, signing: [String],
        check: (_ made: String) throws(BrokerError) -> Void = { _ in }
    ) throws(BrokerError) {
        let fresh = [certificate, key].map { $0 + ".made" }
        _ = try openssl(
            [
                "req", "-x509", "-config", configuration, "-extensions", section, "-days", "\(days)", "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-out", fresh[0], "-keyout", fresh[1],
            ] + signing)
        defer { fresh.forEach { unlink($0) } }
        try check(fresh[0])
        for (made, place) in zip(fresh, [certificate, key]) {
            guard let text = try PrivateFile.read(made) else { throw .file(path: made, reason: "openssl made none") }
            try PrivateFile.write(text, to: place)
        }
    }

    private func endSeconds(_ certificate: String) throws(BrokerError) -> Double {
        let text = try PrivateFile.read(certificate) ?? ""
        guard let end = try? Self.endSeconds(of: text) else {
            throw .wrongCertificate(path: certificate, problem: "cannot be read: is it one in PEM, and whole?")
        }
        return end
    }

    /// When a certificate in PEM ends, in seconds since 1970; nil for a text that is none.
    package static func endSeconds(of text: String) throws(BrokerError) -> Double? {
        let line = try SystemProgram.run(
            "openssl", package: "openssl", ["x509", "-noout", "-enddate", "-dateopt", "iso_8601"], input: text)
        let date = line.split(separator: "=").last.map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(of: " ", with: "T")
        }
        return date.flatMap { try? Date($0, strategy: .iso8601) }?.timeIntervalSince1970
    }

    private func openssl(_ arguments: [String]) throws(BrokerError) -> String {
        try SystemProgram.run("openssl", package: "openssl", arguments)
    }

    /// The private addresses: RFC 1918, 6598 (shared), 3927 and 4291 (link-local), 4193, and loopback.
    private static let privateNetworks = [
        "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0", "100.64.0.0/255.192.0.0",
        "169.254.0.0/255.255.0.0", "127.0.0.0/255.0.0.0",
        "fc00::/fe00::", "fe80::/ffc0::", "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]

    private static func authorityRequest(_ names: HostNames) -> String {
        let permitted =
            (["local"] + names.names).map { "permitted;DNS:\($0)" } + privateNetworks.map { "permitted;IP:\($0)" }
            + names.addresses.map {
                "permitted;IP:\($0)/"
                    + ($0.contains(":") ? "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "255.255.255.255")
            }
        return """
            [req]
            distinguished_name = name
            prompt = no
            [name]
            CN = stridebus on \(names.primary) (\(UInt16.random(in: .min ... .max)))
            [authority]
            basicConstraints = critical, CA:TRUE, pathlen:0
            keyUsage = critical, keyCertSign, cRLSign
            subjectKeyIdentifier = hash
            nameConstraints = \(permitted.joined(separator: ", "))

            """
    }

    private static func serverRequest(_ names: HostNames) -> String {
        let all = names.names.map { "DNS:\($0)" } + names.addresses.map { "IP:\($0)" }
        return """
            [req]
            distinguished_name = name
            prompt = no
            [name]
            CN = \(names.primary)
            [server]
            basicConstraints = critical, CA:FALSE
            keyUsage = critical, digitalSignature
            extendedKeyUsage = serverAuth
            subjectAltName = \(all.joined(separator: ", "))

            """
    }
}
