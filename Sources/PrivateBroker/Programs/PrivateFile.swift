import Foundation
import ServiceKit

/// Files that only their owner may read, replaced as a whole.
enum PrivateFile {
    static func makeFolder(_ path: String) throws(BrokerError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file(path: path, reason: error.localizedDescription)
        }
        // Where it fails the service says that it cannot read it.
        try? FileOwner.give(path)
    }

    /// Writes beside the file with mode 0600, then takes its place: a reader sees the old text or the new one.
    ///
    /// - Parameter isSynced: Whether it waits for the disk.
    static func write(_ text: String, to path: String, isSynced: Bool = true) throws(BrokerError) {
        let fresh = path + ".new"
        // The folder may be another user's, who must not lead root elsewhere.
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.error(fresh) }
        try? FileOwner.give(fresh)
        let bytes = Array(text.utf8)
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let isOnDisk = written == bytes.count && (!isSynced || fsync(descriptor) == 0)
        close(descriptor)
        guard isOnDisk, rename(fresh, path) == 0 else { throw Self.error(path) }
    }

    /// The text; nil where there is no such file.
    static func read(_ path: String) throws(BrokerError) -> String? {
        // One that may not be read, or stands in a folder that may not be, is there for all that is known.
        guard access(path, R_OK) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Self.error(path) }
            return nil
        }
        var isFolder: ObjCBool = false
        guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue else {
            throw .file(path: path, reason: "it is a folder; give the file in it")
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw Self.error(path) }
        return String(decoding: data, as: UTF8.self)
    }

    private static func error(_ path: String) -> BrokerError {
        let code = errno
        let remedy = code == EACCES ? ": it is another user's, so ask as that one, or with sudo" : ""
        return .file(path: path, reason: String(cString: strerror(code)) + remedy)
    }
}

/// Why a private broker, or its network, cannot be as it should; `description` is one line that says what to do.
package enum BrokerError: Error, Sendable, Equatable, CustomStringConvertible {
    case programMissing(String, package: String)
    case programFailed(String, says: String)
    case programSlow(String, seconds: Int)
    case file(path: String, reason: String)
    case usersUnreadable(path: String, problem: String)
    case wrongName(String, problem: String)
    case userExists(String)
    case userUnknown(String)
    case wrongPassword(problem: String)
    case wrongCertificate(path: String, problem: String)
    case portTaken(Int)
    case noFreePort
    /// A call that needs a running broker came after ``EmbeddedBroker/stop()``.
    case stopped

    package var description: String {
        switch self {
        case .programMissing(let program, let package):
            "\(program) is not installed: run 'apt-get install \(package)'"
        case .programFailed(let program, let says): "\(program) failed: \(says)"
        case .programSlow(let program, let seconds):
            "\(program) did not listen within \(seconds) s: is the machine busy?"
        case .file(let path, let reason): "cannot use \(path): \(reason)"
        case .usersUnreadable(let path, let problem):
            "\(path) \(problem): mend it or bring it back from a backup; the broker goes on with the users it has"
        case .wrongName(let name, let problem): "'\(name)' \(problem)"
        case .userExists(let name):
            "there is a user '\(name)': 'stridebus users rotate \(name)' gives a new password; before it gets another role "
                + "or person, 'stridebus users revoke \(name)'"
        case .userUnknown(let name): "there is no user '\(name)': 'stridebus users list' shows those that there are"
        case .wrongPassword(let problem): "this password \(problem); give another one, or none to have one made"
        case .wrongCertificate(let path, let problem): "the certificate \(path) \(problem)"
        case .portTaken(let port): "port \(port) is taken: end the program that has it, or choose another port"
        case .noFreePort: "no loopback port is free: close some programs and try again"
        case .stopped: "this broker has been stopped: start a new one"
        }
    }
}
