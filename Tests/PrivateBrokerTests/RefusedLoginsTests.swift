import Testing

@testable import PrivateBroker

@Suite("Refused logins in the broker's log")
struct RefusedLoginsTests {
    private func read(_ lines: [String]) -> (count: UInt64, from: [String]) {
        var logins = RefusedLogins()
        for line in lines { logins.take("1795774398: " + line) }
        return (logins.count, logins.takeAddresses())
    }

    @Test("One that nobody else connects beside has its address, of IPv6 too", arguments: ["192.168.1.7", "fe80::1"])
    func alone(address: String) {
        let (count, from) = read([
            "New connection from 192.168.1.5:40000 on port 8883.",
            "New client connected from 192.168.1.5:40000 as bike-1 (p2, c1, k60, u'bike-1').",
            "New connection from \(address):40212 on port 8883.",
            "Client <unknown> disconnected, not authorised.",
        ])
        #expect(count == 1)
        #expect(from == [address])
    }

    @Test("Who is let in, who says nothing and whose session ends is none")
    func others() {
        let (count, from) = read([
            "New connection from 192.168.1.5:40000 on port 8883.",
            "New connection from 192.168.1.6:40000 on port 8883.",
            "Client <unknown> closed its connection.",
            "New client connected from 192.168.1.5:40000 as bike-1 (p2, c1, k60, u'bike-1').",
            "Client bike-1 disconnected, not authorised.",
            "mosquitto version 2.0.11 running",
            "",
        ])
        #expect(count == 0)
        #expect(from.isEmpty)
    }

    @Test("Where several try at once each is named that can have been it, and the next one alone")
    func several() {
        let both = [
            "New connection from 192.168.1.5:40000 on port 8883.",
            "New connection from 192.168.1.6:40000 on port 8883.",
            "Client <unknown> disconnected, not authorised.",
        ]
        #expect(read(both) == (1, ["192.168.1.5", "192.168.1.6"]))
        let then = [
            "New client connected from 192.168.1.6:40000 as bike-1 (p2, c1, k60, u'bike-1').",
            "New connection from 192.168.1.9:40000 on port 8883.",
            "Client <unknown> disconnected, not authorised.",
        ]
        var logins = RefusedLogins()
        for line in both { logins.take("1: " + line) }
        _ = logins.takeAddresses()
        for line in then { logins.take("1: " + line) }
        #expect(logins.takeAddresses() == ["192.168.1.9"])
    }

    @Test("A browser's is none of the connections that Mosquitto announces")
    func browser() {
        #expect(read(["Client <unknown> closed its connection."]) == (1, [RefusedLogins.browsers]))
    }

    @Test("A storm from many addresses has a line of bounded length")
    func storm() {
        let lines = (0..<2_500).flatMap { number in
            [
                "New connection from 10.0.\(number / 256).\(number % 256):40000 on port 8883.",
                "Client <unknown> disconnected, not authorised.",
            ]
        }
        let (count, from) = read(lines)
        #expect(count == 2_500)
        #expect(from == ["10.0.0.0", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "2495 more"])
    }
}
