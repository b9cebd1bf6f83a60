import Foundation
import Logging
import TestBroker
import Testing
import Wire

@testable import PrivateBroker
@testable import ServiceKit

@Suite("Users of a bus on the network")
struct BusUsersTests {
    private let files = TemporaryFolder()
    private let users: BusUsers

    init() throws { users = BusUsers(folder: files.path, topics: try TopicTree()) }

    @Test("A user is in the list, in the access list, and in the passwords as a hash alone")
    func added() throws {
        let password = try users.add("bike-07", role: .device, by: "front-desk")
        #expect(password.count == 23)
        #expect(try users.all() == [BusUser(name: "bike-07", role: .device, by: "front-desk")])
        let files = try [users.passwords, users.access, users.list].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        #expect(files[0].hasPrefix("bike-07:$7$"))
        #expect(files[1].contains("user bike-07\n"))
        for text in files { #expect(!text.contains(password)) }
    }

    @Test("Rotating changes that user's hash alone, and revoking takes that user alone away")
    func rotatedAndRevoked() throws {
        for name in ["a", "b"] { _ = try users.add(name, role: .member, by: "x") }
        func hashes() throws -> [Substring] {
            try String(contentsOfFile: users.passwords, encoding: .utf8).split(separator: "\n").map { $0[...] }
        }
        let before = try hashes()
        _ = try users.rotate("b", by: "y")
        let after = try hashes()
        #expect(before[0] == after[0] && before[1] != after[1])
        try users.revoke("a", by: "z")
        #expect(try hashes() == [after[1]])
        #expect(try users.all().map(\.name) == ["b"])
        #expect(try users.all().map(\.passwordCount) == [2])
        #expect(users.revoker(of: "a") == "z" && users.revoker(of: "b") == nil)
        #expect(throws: BrokerError.userUnknown("a")) { try users.revoke("a", by: "z") }
        #expect(throws: BrokerError.userUnknown("a")) { try users.rotate("a", by: "x") }
        #expect(throws: BrokerError.userExists("b")) { try users.add("b", role: .viewer, by: "x") }
    }

    @Test(
        "A name that could be another topic is refused",
        arguments: [
            "service", "request", "reply", "user", "person", "wall", "class", "services", "", "-a", "Anna", "a/b", "a+",
            "#", "%u", "a b", "ä",
            String(repeating: "a", count: 64),
        ])
    func names(name: String) throws {
        #expect(throws: BrokerError.self) { try BusUsers.name(name) }
        #expect(throws: BrokerError.self) { try users.add(name, role: .device, by: "x") }
        #expect(try users.all().isEmpty)
    }

    @Test(
        "A password that would break the file, or is short, is refused",
        arguments: [
            "short", "with:colon-1234", "with space 1234", "line\nbreak-1234", String(repeating: "x", count: 129),
        ])
    func passwords(password: String) throws {
        #expect(throws: BrokerError.self) { try users.add("a", role: .device, by: "x", password: password) }
        #expect(try users.all().isEmpty)
    }

    @Test(
        "The name of a member's check-ins is one that history reads, or the member is not added",
        arguments: ["", "Anna\nBen", "\u{7F}", String(repeating: "ä", count: 129)])
    func person(person: String) throws {
        #expect(throws: BrokerError.self) { try users.add("anna", role: .member, person: person, by: "x") }
        #expect(try users.all().isEmpty)
        let longest = String(repeating: "ä", count: 128)
        _ = try users.add("ben", role: .member, person: longest, by: "x")
        let said = try #require(try users.all().first).said.encodedJSON()
        #expect(try UserRole(json: said).person == longest)
    }

    @Test("Random passwords differ, and have the alphabet of which nothing is mistaken for another")
    func random() {
        let made = (0..<200).map { _ in BusUsers.randomPassword() }
        #expect(Set(made).count == made.count)
        #expect(made.joined().allSatisfy { "abcdefghijkmnpqrstuvwxyz23456789-".contains($0) })
    }

    @Test("A list that is damaged is told, and what the broker reads stays as it is")
    func damaged() throws {
        _ = try users.add("a", role: .device, by: "x")
        let before = try String(contentsOfFile: users.passwords, encoding: .utf8)
        try "[{\"name\":".write(toFile: users.list, atomically: true, encoding: .utf8)
        #expect(throws: BrokerError.self) { try users.add("b", role: .device, by: "x") }
        #expect(try String(contentsOfFile: users.passwords, encoding: .utf8) == before)
    }

    @Test(
        "Where the list or the passwords are lost, nobody logs in who is in no list, and those without a password are known"
    )
    func lostFiles() throws {
        for name in ["a", "b"] { _ = try users.add(name, role: .device, by: "x") }
        try FileManager.default.removeItem(atPath: users.passwords)
        #expect(try users.withoutPassword() == ["a", "b"])
        _ = try users.rotate("a", by: "x")
        #expect(try users.withoutPassword() == ["b"])
        try FileManager.default.removeItem(atPath: users.list)
        _ = try users.add("c", role: .device, by: "x")
        let hashes = try String(contentsOfFile: users.passwords, encoding: .utf8)
        #expect(hashes.hasPrefix("c:") && !hashes.contains("\na:"))
    }

    @Test("Two commands at the same time both do what they are to")
    func together() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c"] {
                group.addTask { _ = try users.add(name, role: .device, by: "x") }
            }
            try await group.waitForAll()
        }
        #expect(try users.all().map(\.name) == ["a", "b", "c"])
    }

    @Test("A list that may not be read is told, and is not taken for none")
    func unreadable() throws {
        _ = try users.add("a", role: .device, by: "x")
        try FileManager.default.removeItem(atPath: users.list)
        // Whoever runs the tests may read all files, but nobody can read this one.
        try FileManager.default.createSymbolicLink(atPath: users.list, withDestinationPath: users.list)
        #expect(throws: BrokerError.self) { try users.all() }
    }
}

@Suite("Certificates of a bus on the network")
struct CertificatesTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }
    private static let names = HostNames(owner: "box.local", names: ["box"], addresses: ["192.168.1.4", "fd00::4"])

    @Test(
        "The first one is of an authority of its own, holds all names and addresses, and stays until something changes")
    func made() throws {
        let certificates = Certificates(folder: folder)
        #expect(try certificates.renew(Self.names))
        for check in [
            ["-verify_hostname", "box"], ["-verify_hostname", "box.local"], ["-verify_ip", "192.168.1.4"],
            ["-verify_ip", "fd00::4"],
        ] {
            #expect(verifies(certificates, check), "\(check)")
        }
        #expect(!verifies(certificates, ["-verify_hostname", "other.example"]))
        let days = try certificates.daysLeft(nowSeconds: Date().timeIntervalSince1970)
        #expect((390...397).contains(days))
        #expect(try certificates.renew(Self.names) == false)
        let fingerprint = try certificates.fingerprint()
        #expect(fingerprint.split(separator: ":").count == 32)
        var moved = Self.names
        moved.addresses.append("10.0.0.9")
        #expect(try certificates.renew(moved))
        #expect(verifies(certificates, ["-verify_ip", "10.0.0.9"]))
        #expect(try certificates.fingerprint() == fingerprint)
    }

    @Test("The authority cannot vouch for another site")
    func constrained() throws {
        let certificates = Certificates(folder: folder)
        _ = try certificates.renew(Self.names)
        let error = #expect(throws: BrokerError.self) {
            try certificates.renew(HostNames(owner: "bank.example", names: [], addresses: []))
        }
        #expect(error?.description.contains("may not vouch for bank.example") == true)
        #expect(verifies(certificates, ["-verify_hostname", "box"]))
    }

    @Test("A name that the machine got later is left out, where the authority may not vouch for it, and the bus starts")
    func renamed() throws {
        let certificates = Certificates(folder: folder)
        _ = try certificates.renew(HostNames(owner: nil, names: ["box", "localhost"], addresses: ["192.168.1.4"]))
        let renamed = HostNames(owner: nil, names: ["gym", "gym.local", "localhost"], addresses: ["192.168.1.7"])
        #expect(try certificates.renew(renamed))
        #expect(verifies(certificates, ["-verify_hostname", "gym.local"]))
        #expect(verifies(certificates, ["-verify_ip", "192.168.1.7"]))
        #expect(!verifies(certificates, ["-verify_hostname", "gym"]))
        #expect(try certificates.renew(renamed) == false)
    }

    @Test(
        "A certificate beside a key that is not its own, as a power cut leaves it, is made anew",
        arguments: ["ca", "server"])
    func torn(name: String) throws {
        let certificates = Certificates(folder: folder + "/bus")
        let other = Certificates(folder: folder + "/other")
        _ = (try certificates.renew(Self.names), try other.renew(Self.names))
        let key = name == "ca" ? "ca.key" : "server.pem.key"
        try String(contentsOfFile: "\(folder)/other/\(key)", encoding: .utf8).write(
            toFile: "\(folder)/bus/\(key)", atomically: true, encoding: .utf8)
        #expect(try certificates.renew(Self.names))
        #expect(verifies(certificates, ["-verify_hostname", "box"]))
        #expect(try certificates.renew(Self.names) == false)
    }

    @Test("Where the owner's certificate is shown, its name is the one that is printed")
    func ownersName() throws {
        let other = Certificates(folder: folder + "/other")
        _ = try other.renew(Self.names)
        let certificates = Certificates(folder: folder + "/bus")
        let flags: [ConfigurationKey: String] = [
            .network: "on", .certificate: other.server, .certificateKey: other.serverKey,
        ]
        func settings(_ hostName: String?) throws -> NetworkSettings {
            var flags = flags
            flags[.hostName] = hostName
            let reader = try ConfigurationSources(flags: flags, environment: [:]).reader()
            return try #require(try NetworkSettings(config: reader))
        }
        #expect(try NetworkKeeper.renew(certificates, settings(nil), Logger(label: "test")))
        #expect(try certificates.names(settings(nil)).primary == "box.local")
        #expect(try certificates.names(settings("box")).primary == "box")
        #expect(try certificates.isFor("box") && !certificates.isFor("other.example"))
    }

    @Test("One that ends within thirty days is renewed")
    func renewed() throws {
        let certificates = Certificates(folder: folder)
        _ = try certificates.renew(Self.names)
        try sign(certificates, folder, days: 29)
        #expect(try certificates.daysLeft(nowSeconds: Date().timeIntervalSince1970) < Certificates.renewalDays)
        #expect(try certificates.renew(Self.names))
        #expect(try certificates.daysLeft(nowSeconds: Date().timeIntervalSince1970) > Certificates.renewalDays)
        #expect(verifies(certificates, ["-verify_hostname", "box"]))
    }

    @Test("The owner's is taken when it changes, and refused where its key is another's or it has ended")
    func owners() throws {
        let other = Certificates(folder: folder + "/other")
        _ = try other.renew(Self.names)
        let certificates = Certificates(folder: folder + "/bus")
        #expect(try certificates.install(certificate: other.server, key: other.serverKey))
        #expect(try certificates.install(certificate: other.server, key: other.serverKey) == false)
        #expect(throws: BrokerError.self) {
            try certificates.install(certificate: other.server, key: folder + "/other/ca.key")
        }
        #expect(throws: BrokerError.self) {
            try certificates.install(certificate: folder + "/none.pem", key: other.serverKey)
        }
        try sign(other, folder + "/other", days: -1)
        let error = #expect(throws: BrokerError.self) {
            try certificates.install(certificate: other.server, key: other.serverKey)
        }
        #expect(error?.description.contains("expired") == true)
        // Given up again, one of our own takes its place.
        #expect(try certificates.renew(Self.names))
        #expect(verifies(certificates, ["-verify_hostname", "box"]))
    }

    /// Signs the server's key anew for so many days.
    private func sign(_ certificates: Certificates, _ folder: String, days: Int) throws {
        let request = folder + "/request"
        _ = try openssl("req", "-new", "-key", certificates.serverKey, "-subj", "/CN=box", "-out", request)
        _ = try openssl(
            "x509", "-req", "-in", request, "-CA", certificates.authority, "-CAkey", folder + "/ca.key", "-days",
            "\(days)",
            "-out", certificates.server)
    }

    private func verifies(_ certificates: Certificates, _ check: [String]) -> Bool {
        (try? SystemProgram.run(
            "openssl", package: "openssl",
            ["verify", "-CAfile", certificates.authority] + check + [certificates.server])) != nil
    }
}

/// Calls openssl, and answers what it prints.
func openssl(_ arguments: String...) throws -> String {
    try SystemProgram.run("openssl", package: "openssl", arguments)
}
