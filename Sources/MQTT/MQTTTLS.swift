/// How an `mqtts://` connection is secured.
public struct MQTTTLS: Sendable, Hashable {
    /// A PEM file with the certificates to trust; `nil` trusts those of the system (`/etc/ssl/certs`).
    public var caFile: String?
    /// Our own certificate (PEM), together with `keyFile`.
    public var certificateFile: String?
    /// The unencrypted private key of `certificateFile` (PEM).
    public var keyFile: String?
    /// Takes a certificate whose name is not the host's. For trying things out only.
    public var allowsInsecureHostname: Bool

    /// TLS with these files.
    public init(
        caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        allowsInsecureHostname: Bool = false
    ) {
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.allowsInsecureHostname = allowsInsecureHostname
    }
}
