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
