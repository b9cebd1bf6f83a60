import Foundation
import MQTT
import PrivateBroker
import ServiceKit

/// Whether what this connection carries can be read on the way, and for how long the broker's certificate is good.
extension BusDoctor {
    func encryption() -> [Finding] {
        let endpoint = bus.endpoint
        guard endpoint.tls != nil else {
            guard !HostNames.isLoopback(endpoint.host) else { return [] }
            return [
                .warning(
                    "TLS", "none: who listens in on the network reads this user's password and all messages",
                    "use mqtts:// ('stridebus up --network' listens with TLS; --plain-port is for boards that cannot)")
            ]
        }
        let place =
            endpoint.host.contains(":") ? "[\(endpoint.host)]:\(endpoint.port)" : "\(endpoint.host):\(endpoint.port)"
        let shown = try? SystemProgram.run(
            "openssl", package: "openssl", ["s_client", "-connect", place, "-servername", endpoint.host])
        guard let shown, let end = try? Certificates.endSeconds(of: shown) else { return [] }
        let days = Int(((end - WallClock.seconds()) / 86_400).rounded(.down))
        guard days <= Certificates.renewalDays else {
            return [.good("TLS", "the certificate is good for \(days) days")]
        }
        return [.warning("TLS", "the certificate ends in \(days) days", "renew it: after that nobody connects")]
    }
}
