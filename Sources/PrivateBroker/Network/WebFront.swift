import Foundation
package import Logging
import ServiceLifecycle

/// The settings of what browsers reach by https: page, bus and the certificate of the authority.
struct WebFrontConfiguration: Sendable {
    /// The only address to listen on; nil for all of them.
    var address: String?
    /// The port of the page and of the bus over WebSocket.
    var webPort: Int
    /// Whether the certificate is of our own authority, which phones must come to trust.
    var hasAuthority: Bool
    /// The port of the broker's listener for WebSocket on loopback.
    var brokerPort: Int
    var certificates: Certificates
    /// The folder of its configuration, its log and the page of trust.
    var folder: String
    /// Where the page is, as it is printed.
    var pageURL: String

    var logFile: String { folder + "/haproxy.log" }
    var file: String { folder + "/haproxy.cfg" }
    var trustPage: String { folder + "/trust.html" }

    /// The most connections at a time, and the most from one address in ten seconds: a gym behind one address has fewer.
    private static let maximumConnections = 4_000
    private static let maximumConnectionsOfAnAddress = 300

    /// The text of `haproxy.cfg`. Mosquitto serves files without their type, and a browser takes a service worker only with
    /// one; and it takes a WebSocket from any site, so the Origin is checked here (RFC 6455, section 10.2).
    func text(hasIPv6: Bool) -> String {
        func bind(_ port: Int, _ options: String = "") -> String {
            let addresses =
                address.map { [$0.contains(":") ? "[\($0)]" : $0] } ?? (hasIPv6 ? ["0.0.0.0", "[::]"] : ["0.0.0.0"])
            return addresses.map { "    bind \($0):\(port)\($0 == "[::]" ? " v6only" : "") \(options)" }.joined(
                separator: "\n")
        }
        let limit = """
                stick-table type ipv6 size 10k expire 30s store conn_rate(10s)
                tcp-request connection track-sc0 src
                tcp-request connection reject if { sc_conn_rate(0) gt \(Self.maximumConnectionsOfAnAddress) }
            """
        let parts = [
            """
            global
                log stderr format raw daemon notice
                maxconn \(Self.maximumConnections)
            defaults
                mode http
                log global
                timeout connect 5s
                timeout client 30s
                timeout server 30s
                timeout tunnel 5m
                timeout http-request 10s
            frontend page
            """,
            bind(webPort, "ssl crt \(Self.quoted(certificates.server)) ssl-min-ver TLSv1.2 alpn http/1.1"),
            limit,
            """
                http-request deny if !{ method GET HEAD }
                http-request set-var(txn.host) req.hdr(Host)
                http-request set-var(txn.site) str(https://),concat(,txn.host)
                http-request set-var(txn.origin) req.hdr(Origin)
                http-request deny if { req.hdr(Upgrade) -i websocket } { var(txn.origin) -m found } !{ var(txn.origin),strcmp(txn.site) eq 0 }
            \(hasAuthority ? trustRules : "")
                http-request set-var(txn.path) path
                http-response set-header Content-Type "text/html; charset=utf-8" if { var(txn.path) -m end / .html }
                http-response set-header Content-Type "text/javascript; charset=utf-8" if { var(txn.path) -m end .js }
                http-response set-header Content-Type "text/css; charset=utf-8" if { var(txn.path) -m end .css }
                http-response set-header Content-Type application/manifest+json if { var(txn.path) -m end .webmanifest }
                http-response set-header Content-Type image/svg+xml if { var(txn.path) -m end .svg }
                http-after-response set-header X-Content-Type-Options nosniff
                http-after-response set-header X-Frame-Options DENY
                http-after-response set-header Content-Security-Policy "frame-ancestors 'none'"
                http-response set-header Cache-Control no-cache
                default_backend broker
            backend broker
                server broker 127.0.0.1:\(brokerPort)
            """,
        ]
        return parts.joined(separator: "\n") + "\n"
    }

    /// A word of `haproxy.cfg`, in strong quotes: nothing in them means anything. Source: HAProxy 2.6 configuration manual,
    /// section 2.2.
    static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    private var trustRules: String {
        """
            http-request return status 200 content-type application/x-x509-ca-cert file \(Self.quoted(certificates.authority)) if { path /stridebus-ca.crt }
            http-request return status 200 content-type "text/html; charset=utf-8" file \(Self.quoted(trustPage)) if { path /trust }
        """
    }

    /// The page that gives a phone the authority's certificate. Nobody vouches for it yet, so it asks its reader to compare.
    func trustText(fingerprint: String) -> String {
        let pairs = fingerprint.split(separator: ":")
        // By whichever address the phone has come.
        let page = "/" + (pageURL.firstIndex(of: "?").map { String(pageURL[$0...]) } ?? "")
        let lines = stride(from: 0, to: pairs.count, by: 8).map {
            pairs[$0..<min($0 + 8, pairs.count)].joined(separator: " ")
        }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Let this phone trust stridebus</title>
            <style>body{font:17px/1.5 system-ui,sans-serif;max-width:38rem;margin:0 auto;padding:1rem}code{font-size:1.05rem}
            a.go{display:inline-block;padding:.7rem 1.2rem;background:#0b5cad;color:#fff;border-radius:.5rem;text-decoration:none}</style>
            </head><body>
            <h1>Let this phone trust stridebus</h1>
            <p>Browsers give a page the motion sensors only over https, and this bus has a certificate that no authority of the
            web has signed. Its own authority may vouch for this machine and for private addresses, for no other site.</p>
            <p><a class="go" href="/stridebus-ca.crt">1. Get the certificate</a></p>
            <h2>2. iPhone and iPad</h2>
            <ol><li>Allow the download, in Safari.</li>
            <li>Settings → General → VPN &amp; Device Management → the profile “stridebus” → compare the fingerprint (More Details) → Install.</li>
            <li>Settings → General → About → Certificate Trust Settings → switch “stridebus” on.</li></ol>
            <h2>2. Android</h2>
            <ol><li>Settings → Security → More security settings → Encryption &amp; credentials → Install a certificate →
            CA certificate → Install anyway → the file “stridebus-ca.crt”.</li>
            <li>Settings → Encryption &amp; credentials → Trusted credentials → User: compare the fingerprint.</li></ol>
            <h2>The fingerprint (SHA-256)</h2>
            <p>It must be the one that the person who runs the bus sees on their own screen. If it is another one, do not install it.</p>
            <p><code>\(lines.joined(separator: "<br>"))</code></p>
            <p><a class="go" href="\(page)">3. Open the page</a></p>
            </body></html>

            """
    }
}

/// HAProxy beside the broker; as a service it is started again when it ends by itself.
package final class WebFront: Service {
    private let program: SupervisedProgram

    private init(_ configuration: WebFrontConfiguration, logger: Logger) {
        program = SupervisedProgram(
            "haproxy", logFile: configuration.logFile, ports: [configuration.webPort],
            note: { logger.warning("\($0)") }
        ) { () throws(BrokerError) in
            let hasIPv6 = FileManager.default.contents(atPath: "/proc/self/net/if_inet6")?.isEmpty == false
            try PrivateFile.write(configuration.text(hasIPv6: hasIPv6), to: configuration.file)
            if configuration.hasAuthority {
                let fingerprint = try configuration.certificates.fingerprint()
                try PrivateFile.write(configuration.trustText(fingerprint: fingerprint), to: configuration.trustPage)
            }
            return ["-db", "-f", configuration.file]
        }
    }

    /// Starts it and returns when it listens.
    package static func start(
        _ settings: NetworkSettings, brokerPort: Int, certificates: Certificates, folder: String, pageURL: String,
        logger: Logger
    ) async throws(BrokerError) -> WebFront {
        let configuration = WebFrontConfiguration(
            address: settings.address, webPort: settings.webPort, hasAuthority: settings.certificate == nil,
            brokerPort: brokerPort, certificates: certificates, folder: folder, pageURL: pageURL)
        guard !LoopbackPort.accepts(port: configuration.webPort, address: configuration.address) else {
            throw .portTaken(configuration.webPort)
        }
        let front = WebFront(configuration, logger: logger)
        try await front.program.start()
        return front
    }

    /// Takes a new certificate: connections of browsers end and come back by themselves.
    package func restart() { program.signal(SIGTERM) }

    /// Watches over it until the graceful shutdown, then ends it.
    package func run() async { await program.run() }
}
