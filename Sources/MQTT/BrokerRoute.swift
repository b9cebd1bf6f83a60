/// What libmosquitto is told to connect to.
struct BrokerRoute: Equatable {
    /// A numeric address, or with TLS the name that the certificate is checked against.
    let host: String
    /// Where to connect from, if that matters.
    let bindAddress: String?

    init(host: String) {
        self.host = host
        bindAddress = nil
    }

    /// A name, with addresses of the same family as this one only: libmosquitto skips those that it cannot bind for,
    /// and would otherwise stay with the first address, which it does not wait for.
    init(_ host: String, like address: String) {
        self.host = host
        bindAddress = address.contains(":") ? "::" : "0.0.0.0"
    }
}
