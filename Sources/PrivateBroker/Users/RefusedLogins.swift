import Foundation

/// The logins that Mosquitto's log says were refused, and the addresses that they came from, read as the log grows.
///
/// Mosquitto 2.0 names neither the user nor the address of a refused login. It says from where a connection came and, by
/// address and port, whom it let in; what is left when it refuses one are the addresses that can have been it. Over
/// WebSocket it says neither the address nor the reason: such a connection ends without having been announced.
struct RefusedLogins {
    /// The logins refused since this value began.
    private(set) var count: UInt64 = 0
    /// The addresses since ``takeAddresses()``, each once.
    private var addresses: [String] = []
    /// The connections that are not let in yet, as address and port, and how many of them have ended.
    private var waiting: Set<String> = []
    private var ended = 0
    private var offset: UInt64 = 0

    private static let maximumRead = 4_000_000
    /// The most connections that are remembered before they are let in: Mosquitto ends what says nothing after 90 s.
    private static let maximumWaiting = 1_000
    static let maximumAddresses = 5
    /// What is told in place of the address of a browser.
    static let browsers = "a browser"

    /// The addresses that logins were refused from since the last call.
    mutating func takeAddresses() -> [String] {
        defer { addresses = [] }
        let more = addresses.count - Self.maximumAddresses
        return addresses.prefix(Self.maximumAddresses) + (more > 0 ? ["\(more) more"] : [])
    }

    /// Reads what the log has got since the last call.
    mutating func read(_ path: String) {
        guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else { return }
        // Begun anew, by another start of the broker or by us.
        if end < offset { (offset, waiting, ended) = (0, [], 0) }
        try? file.seek(toOffset: offset)
        let bytes = (try? file.read(upToCount: Self.maximumRead)) ?? Data()
        // Half a line is read again when it is whole.
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        for line in lines { take(String(decoding: line, as: UTF8.self)) }
        offset += UInt64(lines.reduce(0) { $0 + $1.count + 1 })
    }

    /// Takes a line of the log, such as `1795774398: New connection from 192.168.1.7:40212 on port 8883.`
    mutating func take(_ line: String) {
        guard let start = line.range(of: ": ")?.upperBound else { return }
        let words = line[start...].split(separator: " ", maxSplits: 5)
        guard words.count > 4 else { return }
        if words[0] == "New", words[1] == "connection" {
            if waiting.count >= Self.maximumWaiting { forgetWaiting() }
            waiting.insert(String(words[3]))
        } else if words[0] == "New", words[1] == "client" {
            waiting.remove(String(words[4]))
            if ended >= waiting.count { forgetWaiting() }
        } else if words[1] == "<unknown>" || line.contains("client <unknown>") {
            end(isRefused: line.hasSuffix("disconnected, not authorised."))
        }
    }

    /// A connection that was not let in has ended.
    private mutating func end(isRefused: Bool) {
        if isRefused || waiting.isEmpty {
            count += 1
            let sources = waiting.isEmpty ? [Self.browsers] : Set(waiting.map(Self.address)).sorted()
            addresses += sources.filter { !addresses.contains($0) }
        }
        ended += 1
        if ended >= waiting.count { forgetWaiting() }
    }

    private mutating func forgetWaiting() { (waiting, ended) = ([], 0) }

    /// The address of `address:port`.
    private static func address(_ source: String) -> String {
        String(source[..<(source.lastIndex(of: ":") ?? source.endIndex)])
    }
}
