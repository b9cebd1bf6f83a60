import Foundation
import Watched

/// The installed server, and the user that may run it.
struct PostgresProgram: Sendable {
    /// The folder of `initdb` and `pg_ctl`.
    let directory: String
    /// What runs a program as the server's user; nothing where we are it.
    let launcher: [String]
    private let user: (uid: uid_t, gid: gid_t)?

    /// The newest server from 15 on; nil where there is none.
    static let installed: PostgresProgram? = {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        guard let version = versions.filter({ $0 >= 15 }).max() else { return nil }
        let directory = "\(root)/\(version)/bin"
        return access("\(directory)/initdb", X_OK) == 0 ? PostgresProgram(directory: directory) : nil
    }()

    private init(directory: String) {
        self.directory = directory
        guard geteuid() == 0, let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
            user = nil
            launcher = []
            return
        }
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        user = (uid, gid)
        launcher = ["/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(gid)", "--clear-groups", "--"]
    }

    /// A folder of the server's user. Its path is short, because that of a socket may have 107 bytes at most.
    func makeFolder() throws -> String {
        var template = Array("/tmp/stridebus-pg-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivatePostgresError(problem: "no folder in /tmp can be made") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let user { chown(folder, user.uid, user.gid) }
        return folder
    }

    /// Kills the server of a folder, children first known and then the parent, and waits until none is left.
    static func kill(folder: String) async {
        guard let text = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8),
            let line = text.split(separator: "\n").first, let parent = pid_t(line), parent > 1
        else { return }
        // Stopped first, so that it starts nobody in the place of those who are killed.
        _ = Foundation.kill(parent, SIGSTOP)
        let all = children(of: parent) + [parent]
        for pid in all { _ = Foundation.kill(pid, SIGKILL) }
        await until { !all.contains(where: isRunning) }
    }

    private static func children(of parent: pid_t) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { status($0)?.parent == parent }
    }

    /// A zombie whose parent has not asked for it yet does nothing any more.
    private static func isRunning(_ pid: pid_t) -> Bool { status(pid).map { $0.state != "Z" } ?? false }

    private static func status(_ pid: pid_t) -> (state: String, parent: pid_t)? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 1
        else { return nil }
        return pid_t(fields[1]).map { (String(fields[0]), $0) }
    }
}
