import Foundation

/// The names and addresses at which this machine is reached, for its certificate and for what is printed.
package struct HostNames: Sendable, Hashable {
    /// Names, the one to print first where the owner has named one.
    package var names: [String]
    /// Addresses, those of the network first.
    package var addresses: [String]
    /// The name or address to print: the owner's, or the first address, because not every network knows `.local`.
    package var primary: String
    /// The name or address that the owner says others use; nil where they say none.
    let owner: String?

    /// The most names and addresses in a certificate.
    private static let maximumCount = 32

    /// Asks the system; of the addresses for the only one that is listened on, where it is one.
    package static func ofThisMachine(owner: String?, listening: String?) -> HostNames {
        let host = ProcessInfo.processInfo.hostName.lowercased()
        let short = host.split(separator: ".").first.map(String.init) ?? host
        let own = [host, short, short + ".local", "localhost"].filter(isName)
        let addresses = listening.map { [$0] } ?? networkAddresses()
        return HostNames(
            owner: owner, names: own, addresses: addresses + ["127.0.0.1", "::1"], listened: listening)
    }

    init(owner: String?, names: [String], addresses: [String], listened: String? = nil) {
        let isAddress = owner.map(Self.isAddress) ?? false
        self.owner = owner
        primary = owner ?? addresses.first { !Self.isLoopback($0) } ?? listened ?? names.first ?? "localhost"
        self.names = Self.distinct((isAddress ? [] : [owner].compactMap(\.self)) + names)
        self.addresses = Self.distinct((isAddress ? [owner].compactMap(\.self) : []) + addresses)
    }

    /// Those of the names that `isVouched` lets pass, and the one that the owner names in any case. Where the first one is
    /// left out, another one is printed.
    func vouched(_ isVouched: (String) -> Bool) -> HostNames {
        let left = names.filter { $0 == owner || isVouched($0) }
        var vouched = HostNames(owner: owner, names: left, addresses: addresses)
        vouched.primary =
            [primary].first { left.contains($0) || addresses.contains($0) }
            ?? (addresses + left).first { !Self.isLoopback($0) } ?? "localhost"
        return vouched
    }

    /// True if there is a name or an address that others have not: a certificate for those lacks it.
    func hasMore(than others: HostNames) -> Bool {
        !Set(names + addresses).isSubset(of: others.names + others.addresses)
    }

    package var primaryInURL: String { primary.contains(":") ? "[\(primary)]" : primary }

    private static func distinct(_ texts: [String]) -> [String] {
        var known: Set<String> = []
        return Array(texts.filter { known.insert($0).inserted }.prefix(maximumCount))
    }

    /// A name that a certificate can hold.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.count <= 63 && label.first != "-"
                    && label.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 48 && $0 <= 57) || $0 == 45 }
            }
    }

    package static func isAddress(_ text: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    /// True for names and addresses that only this machine itself reaches itself by.
    package static func isLoopback(_ text: String) -> Bool {
        text == "localhost" || text == "::1" || text.hasPrefix("127.") && isAddress(text)
    }

    /// The private IPv4 addresses of the interfaces that are up. Those of IPv6 come and go, and a public one is for its
    /// owner to name: the certificate would be another one every few days.
    private static func networkAddresses() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [String] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                let address = entry.ifa_addr, Int32(address.pointee.sa_family) == AF_INET
            else { continue }
            let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
            }
            if isPrivate(bytes) { addresses.append(bytes.map { "\($0)" }.joined(separator: ".")) }
        }
        return addresses
    }

    /// RFC 1918, and RFC 6598's shared addresses.
    private static func isPrivate(_ bytes: [UInt8]) -> Bool {
        switch (bytes[0], bytes[1]) {
        case (10, _), (192, 168), (172, 16...31), (100, 64...127): return true
        default: return false
        }
    }
}
