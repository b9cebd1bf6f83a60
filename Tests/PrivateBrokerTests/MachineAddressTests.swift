import TestBroker
import Testing

@testable import PrivateBroker

@Suite("The addresses of the machine that a bus is on")
struct MachineAddressTests {
    private let folder = TemporaryFolder()

    @Test("A box that is renamed starts also before its network has given it an address")
    func renamedWithoutAddress() throws {
        let certificates = Certificates(folder: folder.path)
        let loopback = ["127.0.0.1", "::1"]
        _ = try certificates.renew(HostNames(owner: nil, names: ["box", "localhost"], addresses: loopback))
        let renamed = HostNames(owner: nil, names: ["gym", "gym.local", "localhost"], addresses: loopback)
        #expect(try certificates.renew(renamed))
        #expect(try certificates.renew(renamed) == false)
        #expect(try certificates.isFor("gym.local") && !certificates.isFor("gym"))
        // What the owner names is for the owner to decide.
        #expect(throws: BrokerError.self) {
            try certificates.renew(HostNames(owner: "gym", names: ["gym"], addresses: loopback))
        }
    }

    @Test("An address that comes after the start is a reason to look, and is printed in place of the name")
    func laterAddress() {
        let before = HostNames(owner: nil, names: ["box"], addresses: ["127.0.0.1"])
        let after = HostNames(owner: nil, names: ["box"], addresses: ["192.168.1.4", "127.0.0.1"])
        #expect(after.hasMore(than: before) && !before.hasMore(than: after) && !after.hasMore(than: after))
        let place = NetworkPlace(
            host: before.primary, name: "box", tlsPort: 8883, plainPort: nil, pageURL: "https://box:8443/?root=gym",
            root: "gym")
        let moved = place.moved(to: after)
        #expect(moved.broker == "mqtts://192.168.1.4:8883" && moved.pageURL == "https://192.168.1.4:8443/?root=gym")
        // An address that is still there stays, and so does what the owner says.
        let another = HostNames(owner: nil, names: ["box"], addresses: ["10.0.0.1", "192.168.1.4"])
        #expect(moved.moved(to: another) == moved)
        #expect(place.moved(to: HostNames(owner: "box", names: [], addresses: ["10.0.0.1"])) == place)
    }
}
