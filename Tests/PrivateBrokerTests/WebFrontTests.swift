import Foundation
import Logging
import Testing

@testable import PrivateBroker

@Suite("What HAProxy is told")
struct WebFrontTests {
    @Test("A word means itself, whatever is in it", arguments: ["my gym", "Anna's", "#1", "a\\ b", "\"$HOME\"", "''"])
    func quoted(word: String) {
        let parts = WebFrontConfiguration.quoted(word).components(separatedBy: "'\\''")
        #expect(parts.joined(separator: "'") == "'\(word)'")
        #expect(parts.joined().filter { $0 == "'" }.count == 2)
    }

    @Test(
        "Its configuration is one that it takes, in a folder of any name", .enabled(if: isInstalled),
        arguments: ["my gym", "Anna's #1", "a\\ b \"$HOME\""])
    func folder(name: String) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/\(UUID()) \(name)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let certificates = Certificates(folder: folder + "/certificates")
        _ = try certificates.renew(HostNames(owner: "box.local", names: ["box"], addresses: ["127.0.0.1"]))
        let configuration = WebFrontConfiguration(
            address: "127.0.0.1", webPort: 18_443, hasAuthority: true, brokerPort: 18_080, certificates: certificates,
            folder: folder, pageURL: "https://box.local/")
        try "trust".write(toFile: configuration.trustPage, atomically: true, encoding: .utf8)
        try configuration.text(hasIPv6: false).write(toFile: configuration.file, atomically: true, encoding: .utf8)
        _ = try SystemProgram.run("haproxy", package: "haproxy", ["-c", "-q", "-f", configuration.file])
    }

    private static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/sbin/haproxy") }
}
