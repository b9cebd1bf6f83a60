import Foundation
import ServiceKit
public import Wire

/// A user of the broker, as the list of users has it.
package struct BusUser: Codable, Sendable, Hashable {
    /// The name that the user logs in with; a device's user has the device's name.
    package let name: DeviceID
    package var role: Role
    /// The person that a member is, the name of the check-ins; `nil` for the one of the user's name.
    package var person: String?
    /// Who ran the command that made the entry what it is.
    package var by: String
    /// The passwords that the user has had; nil for one of a list of before.
    package var passwordCount: Int?

    package init(name: DeviceID, role: Role, person: String? = nil, by: String = "") {
        (self.name, self.role, self.person, self.by) = (name, role, person, by)
    }

    /// The user's role as it stands on the bus.
    package var said: UserRole { UserRole { ($0.role, $0.person, $0.by) = (role, person, by) } }
}

extension Role: Codable {}

extension DeviceID: Codable {
    /// Reads it from text.
    public init(from decoder: any Decoder) throws {
        self = try DeviceID(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes it as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The users of a broker: their list, the broker's file of passwords (hashes only) and its access list, in one folder.
///
/// The list is written last: who watches it knows by it that all is in place. Another process may do the same at the same
/// time; a lock keeps them apart.
package struct BusUsers: Sendable {
    private let folder: String
    private let topics: TopicTree
    /// Filters beyond the root that the services use, such as `homeassistant/#`.
    private let foreignFilters: [String]

    package init(folder: String, topics: TopicTree, foreignFilters: [String] = []) {
        self.folder = folder
        self.topics = topics
        self.foreignFilters = foreignFilters
    }

    /// The user of the three services. Its password is another one at each start, and known to nobody else.
    package static let services = "services"
    /// The most users: the list is read as a whole.
    package static let maximumCount = 10_000
    package static let passwordBytes = 12...128

    package var list: String { folder + "/users.json" }
    package var passwords: String { folder + "/passwords" }
    package var access: String { folder + "/access" }

    /// All but the services' user, by name.
    package func all() throws(BrokerError) -> [BusUser] {
        guard let text = try PrivateFile.read(list) else { return [] }
        do {
            let entries = try JSONDecoder().decode([BusUser].self, from: Data(text.utf8))
            for entry in entries { _ = try Self.name("\(entry.name)") }
            return entries.sorted { $0.name < $1.name }
        } catch {
            throw .usersUnreadable(path: list, problem: "is not a list of users")
        }
    }

    /// Adds a user. Returns the password, which is kept nowhere.
    package func add(
        _ name: String, role: Role, person: String? = nil, by: String, password: String? = nil
    ) throws(BrokerError) -> String {
        let name = try Self.name(name)
        if let person, !Self.isPerson(person) {
            throw .wrongName(
                person,
                problem:
                    "cannot be a person's name: 1 to \(PayloadLimits.maximumTextBytes) bytes, no control characters")
        }
        return try changing { entries, hashes throws(BrokerError) in
            guard !entries.contains(where: { $0.name == name }) else { throw .userExists("\(name)") }
            guard entries.count < Self.maximumCount else {
                throw .wrongName("\(name)", problem: "is one user too many: revoke some of \(Self.maximumCount)")
            }
            entries.append(BusUser(name: name, role: role, person: person, by: by))
            return try setPassword(password, of: "\(name)", &hashes)
        }
    }

    /// Gives a user another password and returns it. The old one's sessions end.
    package func rotate(_ name: String, by: String, password: String? = nil) throws(BrokerError) -> String {
        try changing { entries, hashes throws(BrokerError) in
            guard let index = entries.firstIndex(where: { "\($0.name)" == name }) else { throw .userUnknown(name) }
            entries[index].by = by
            entries[index].passwordCount = (entries[index].passwordCount ?? 1) + 1
            return try setPassword(password, of: name, &hashes)
        }
    }

    /// Takes a user away; its sessions end.
    package func revoke(_ name: String, by: String) throws(BrokerError) {
        try changing { entries, hashes throws(BrokerError) in
            guard let index = entries.firstIndex(where: { "\($0.name)" == name }) else { throw .userUnknown(name) }
            entries.remove(at: index)
            hashes[name] = nil
            let others = try revocations().filter { $0.name != name }.prefix(Self.maximumRevocations - 1)
            let lines = ([(name, by)] + others).map { "\($0) \($1)\n" }
            try PrivateFile.write(lines.joined(), to: revoked)
        }
    }

    /// Who took a user away the last time, for the audit; nil where that is not known.
    package func revoker(of name: String) -> String? {
        (try? revocations())?.first { $0.name == name }?.by
    }

    /// The users who were taken away, the last one first, and who did that.
    private func revocations() throws(BrokerError) -> [(name: String, by: String)] {
        (try PrivateFile.read(revoked) ?? "").split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1)
            return (String(words.first ?? ""), String(words.dropFirst().first ?? ""))
        }
    }

    private var revoked: String { folder + "/revoked" }
    /// The most users of whom it is kept who took them away: those of a bus that is down are told at its next start.
    private static let maximumRevocations = 1_000

    /// Gives the services' user a new password and returns it; writes the access list anew, which another version may have
    /// written.
    package func renewServices() throws(BrokerError) -> String {
        try changing { _, hashes throws(BrokerError) in try setPassword(nil, of: Self.services, &hashes) }
    }

    /// Whether the services' user has a password.
    package var hasServices: Bool {
        get throws(BrokerError) { try readHashes()[Self.services] != nil }
    }

    /// Those of the list who cannot log in, because the file of passwords was lost or is an older one.
    package func withoutPassword() throws(BrokerError) -> [String] {
        let hashes = try readHashes()
        return try all().map { "\($0.name)" }.filter { hashes[$0] == nil }
    }

    // MARK: Names and passwords

    /// Checks a name. It is the user's level in topics, so it has a device's alphabet.
    package static func name(_ text: String) throws(BrokerError) -> DeviceID {
        guard text != services, text != "user" else {
            throw .wrongName(text, problem: "is the bus's own: choose another name")
        }
        guard let name = try? DeviceID(text) else {
            throw .wrongName(
                text, problem: "cannot be a user: a name is 1 to 63 of a-z, 0-9 and -, and none of the bus's words")
        }
        return name
    }

    /// True for a name under which check-ins can be. Of any other the role would be told to nobody.
    private static func isPerson(_ text: String) -> Bool {
        (1...PayloadLimits.maximumTextBytes).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Characters that are not mistaken for each other, 32 of them.
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789")

    /// Twenty random characters, 100 bits, in groups that are easy to type.
    package static func randomPassword() -> String {
        var generator = SystemRandomNumberGenerator()
        let groups = (0..<4).map { _ in String((0..<5).map { _ in alphabet[Int(generator.next() % 32)] }) }
        return groups.joined(separator: "-")
    }

    /// A secret word that is kept in a file, made at the first time.
    package static func keptWord(file: String) throws(BrokerError) -> String {
        if let kept = try PrivateFile.read(file) { return kept }
        let word = randomPassword()
        try PrivateFile.write(word, to: file)
        return word
    }

    /// The password of a lone user that is kept in a file, for programs of this machine: made at the first time, with the
    /// broker's file of its hash.
    package static func keptPassword(of user: String, file: String, hashes: String) throws(BrokerError) -> String {
        let password = try keptWord(file: file)
        guard try PrivateFile.read(hashes) == nil else { return password }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try PrivateFile.write(
            "\(user):\(try PasswordHash.make(of: password, user: user, folder: folder))\n", to: hashes)
        return password
    }

    /// What is wrong with a password that somebody chose; nil where nothing is.
    private static func problem(of password: String) -> String? {
        if !passwordBytes.contains(password.utf8.count) {
            return
                "has \(password.utf8.count) bytes, and may have \(passwordBytes.lowerBound) to \(passwordBytes.upperBound)"
        }
        let isPlain = password.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        return isPlain ? nil : "has other characters than ASCII's printable ones without space and colon"
    }

    // MARK: Files

    /// Changes list and hashes under the lock; writes hashes, access list and list, in this order.
    private func changing<Result>(
        _ change: (inout [BusUser], inout [String: String]) throws(BrokerError) -> Result
    ) throws(BrokerError) -> Result {
        try PrivateFile.makeFolder(folder)
        let lock = try takeLock()
        defer { withExtendedLifetime(lock) {} }
        var entries = try all()
        var hashes = try readHashes()
        let result = try change(&entries, &hashes)
        // Who is in no list could still log in.
        let names = Set(entries.map { "\($0.name)" } + [Self.services])
        hashes = hashes.filter { names.contains($0.key) }
        entries.sort { $0.name < $1.name }
        try PrivateFile.write(hashes.sorted { $0.key < $1.key }.map { "\($0):\($1)\n" }.joined(), to: passwords)
        try PrivateFile.write(accessList(of: entries).mosquitto, to: access)
        try PrivateFile.write(Self.text(of: entries), to: list)
        return result
    }

    /// The longest wait for another command to end, in seconds: it takes a fraction of one.
    private static let lockSeconds = 5.0

    private func takeLock() throws(BrokerError) -> FileLock {
        let path = folder + "/users.lock"
        let deadline = ContinuousClock.now + .seconds(Self.lockSeconds)
        while true {
            do { return try FileLock(path: path) } catch {
                guard case .alreadyInUse = error else {
                    throw .file(path: path, reason: "it cannot be locked: \(error)")
                }
                guard ContinuousClock.now < deadline else {
                    throw .file(path: path, reason: "another 'stridebus users' is at work: try again")
                }
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    package func accessList(of entries: [BusUser]) -> AccessList {
        let own = try? DeviceID(Self.services)
        let services = own.map { BusUser(name: $0, role: .services) }
        return AccessList(
            users: entries + [services].compactMap(\.self), topics: topics, foreignFilters: foreignFilters)
    }

    private static func text(of entries: [BusUser]) throws(BrokerError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(entries) else { throw .file(path: "users.json", reason: "it has no form") }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private func readHashes() throws(BrokerError) -> [String: String] {
        let lines = (try PrivateFile.read(passwords) ?? "").split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                line.firstIndex(of: ":").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            }, uniquingKeysWith: { $1 })
    }

    /// Puts the hash of a password into its place. `mosquitto_passwd` hashes it in a file of its own, so that no password
    /// stands in its arguments or in the file that the broker reads.
    private func setPassword(
        _ chosen: String?, of name: String, _ hashes: inout [String: String]
    ) throws(BrokerError) -> String {
        if let chosen, let problem = Self.problem(of: chosen) { throw .wrongPassword(problem: problem) }
        let password = chosen ?? Self.randomPassword()
        hashes[name] = try PasswordHash.make(of: password, user: name, folder: folder)
        return password
    }
}

/// The hash of a password in the form of Mosquitto's file of passwords.
enum PasswordHash {
    /// Where a file is in memory alone: `mosquitto_passwd` takes a password from a file, which no disk must keep.
    private static let memoryFolder = "/dev/shm"

    static func make(of password: String, user: String, folder: String) throws(BrokerError) -> String {
        var template = Array("\(memoryFolder)/stridebus-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mkdtemp($0) != nil } ?? false
        }
        let place = made ? String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) : folder
        let file = place + "/password.hashed"
        defer {
            unlink(file)
            if made { rmdir(place) }
        }
        try PrivateFile.write("\(user):\(password)\n", to: file, isSynced: false)
        _ = try SystemProgram.run("mosquitto_passwd", package: "mosquitto", ["-U", file])
        let line = try PrivateFile.read(file) ?? ""
        let hash = line.dropFirst(user.utf8.count + 1).trimmingCharacters(in: .whitespacesAndNewlines)
        guard hash.hasPrefix("$") else { throw .programFailed("mosquitto_passwd", says: "no hash in \(file)") }
        return hash
    }
}
