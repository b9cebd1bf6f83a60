import Foundation
import Logging
import TestBroker
import Testing

@testable import PrivateBroker

@Suite("Files of certificates that are not what they are to be")
struct CertificateFilesTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }
    private static let names = HostNames(owner: "box.local", names: ["box"], addresses: ["192.168.1.4"])

    @Test("What is wrong with the owner's certificate or key is said, with what to do")
    func ownersFiles() throws {
        let other = Certificates(folder: folder + "/other")
        _ = try other.renew(Self.names)
        let (good, key) = (other.server, other.serverKey)
        let chain = folder + "/chain.pem"
        try (text(other.authority) + text(good)).write(toFile: chain, atomically: true, encoding: .utf8)
        try "garbage".write(toFile: folder + "/junk", atomically: true, encoding: .utf8)
        try String(text(good).prefix(300)).write(toFile: folder + "/half", atomically: true, encoding: .utf8)
        _ = try openssl("pkey", "-in", key, "-aes128", "-passout", "pass:secret", "-out", folder + "/locked")
        _ = try openssl("x509", "-in", good, "-outform", "DER", "-out", folder + "/der")
        _ = try openssl(
            "req", "-x509", "-key", key, "-subj", "/CN=box", "-addext", "extendedKeyUsage=clientAuth", "-out",
            folder + "/client")
        for (certificate, key, words) in [
            (chain, key, "the server's own comes first"), (folder + "/junk", key, "in PEM"),
            (folder + "/half", key, "in PEM"), (folder + "/der", key, "in PEM"),
            (folder + "/other", key, "it is a folder"), (good, folder + "/locked", "without a passphrase"),
            (good, folder + "/junk", "both are in PEM"), (good, folder + "/none", "check both paths"),
            (folder + "/client", key, "is not for servers"),
        ] {
            let error = #expect(throws: BrokerError.self, "\(certificate) \(key)") {
                try Certificates(folder: folder + "/bus").install(certificate: certificate, key: key)
            }
            let said = error?.description ?? ""
            #expect(said.contains(words) && !said.contains("openssl failed"), "\(said)")
        }
        #expect(try Certificates(folder: folder + "/bus").install(certificate: good, key: key))
    }

    @Test("A server's certificate or key of our own that is damaged is made anew; an authority that is, is not")
    func damaged() throws {
        let certificates = Certificates(folder: folder)
        _ = try certificates.renew(Self.names)
        for file in [certificates.server, certificates.serverKey] {
            try String(text(file).prefix(40)).write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try certificates.renew(Self.names), "\(file)")
            #expect(try certificates.renew(Self.names) == false)
        }
        let fingerprint = try certificates.fingerprint()
        for file in [folder + "/ca.key", certificates.authority] {
            let whole = try text(file)
            try String(whole.prefix(40)).write(toFile: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: BrokerError.self, "\(file)") { try certificates.renew(Self.names) }
            #expect(error?.description.contains("from a backup") == true)
            try whole.write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(try certificates.fingerprint() == fingerprint)
    }

    @Test("Files that others could read are closed and named, but for the authority's certificate")
    func closed() throws {
        _ = try Certificates(folder: folder).renew(Self.names)
        #expect(try NetworkFolder.close(folder) == [])
        for file in ["ca.key", "ca.pem", "server.pem.key"] { chmod(folder + "/" + file, 0o644) }
        #expect(try NetworkFolder.close(folder) == ["ca.key", "server.pem.key"])
        #expect(try NetworkFolder.close(folder) == [])
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}
