import Foundation
import TestBroker
import Testing

@testable import PrivateBroker

@Suite("The page's listener on loopback", .timeLimit(.minutes(5)))
struct PageListenerTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }
    private let page: PageListener

    init() throws {
        let hashes = files.path + "/page-hashes"
        _ = try BusUsers.keptPassword(of: "operator", file: files.path + "/page-password", hashes: hashes)
        page = PageListener(directory: files.path, passwordFile: hashes)
    }

    @Test("It alone asks for a user, whose password stays the same and stands in files of their owner's alone")
    func asksForAUser() async throws {
        let lines = EmbeddedBrokerConfiguration(port: 1_883, page: page).text(isRoot: false).split(separator: "\n")
        let plain = try #require(lines.firstIndex(of: "listener 1883 127.0.0.1"))
        let browsers = try #require(lines.firstIndex(of: "protocol websockets"))
        #expect(lines.contains("per_listener_settings true"))
        #expect(lines[plain + 1] == "allow_anonymous true")
        #expect(lines[browsers...].contains("allow_anonymous false"))
        let password = try BusUsers.keptPassword(
            of: "operator", file: folder + "/password", hashes: folder + "/hashes")
        #expect(
            try BusUsers.keptPassword(of: "operator", file: folder + "/password", hashes: folder + "/hashes")
                == password)
        for file in ["password", "hashes"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("Nothing of it listens beyond loopback")
    func loopbackAlone() async throws {
        let broker = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration(page: page))
        for port in [broker.port, try #require(broker.page?.port)] {
            let addresses = try Self.listening(on: port)
            // 127.0.0.1 as /proc/net/tcp writes it (proc(5)).
            #expect(addresses == ["0100007F"], "\(port)")
        }
        await broker.stop()
    }

    /// The addresses on which something listens on a port, in the words of /proc/net.
    private static func listening(on port: Int) throws -> [String] {
        let suffix = ":" + ("000" + String(port, radix: 16, uppercase: true)).suffix(4)
        var addresses: [String] = []
        for table in ["tcp", "tcp6"] {
            // `String(contentsOfFile:)` would read its first page alone.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/\(table)"))
            for line in String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
                let fields = line.split(separator: " ")
                guard fields.count > 3, fields[1].hasSuffix(suffix), fields[3] == "0A" else { continue }
                addresses.append(String(fields[1].dropLast(suffix.count)))
            }
        }
        return addresses
    }
}
