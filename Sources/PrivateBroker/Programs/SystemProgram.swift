import Foundation
import Synchronization

/// A program of the system that is run to its end.
package enum SystemProgram {
    /// A program in PATH or in /usr/sbin, which Debian leaves out of a user's PATH.
    static func path(of program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
        return directories.map { $0 + "/" + program }.first { access($0, X_OK) == 0 }
    }

    /// Runs it and returns what it prints. What is secret goes by `input`: arguments are seen by everybody on the machine.
    package static func run(
        _ program: String, package: String, _ arguments: [String], input: String = ""
    ) throws(BrokerError) -> String {
        guard let path = path(of: program) else { throw .programMissing(program, package: package) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch { throw .programFailed(program, says: error.localizedDescription) }
        // All three beside each other: a program that is not read stands still once a pipe is full.
        let said = Mutex(Data())
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            let bytes = errors.fileHandleForReading.readDataToEndOfFile()
            said.withLock { $0 = bytes }
        }
        DispatchQueue.global().async(group: group) {
            // What is not read is not missed: how the program ends says whether it had enough.
            try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try? standardInput.fileHandleForWriting.close()
        }
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        group.wait()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let lines = String(decoding: said.withLock(\.self), as: UTF8.self).split(separator: "\n").suffix(2)
            throw .programFailed(program, says: lines.joined(separator: "; "))
        }
        return String(decoding: printed, as: UTF8.self)
    }
}

package enum LoopbackPort {
    /// Below those from which Linux makes connections, which may take one at any moment (ip(7), `ip_local_port_range`).
    private static let ports = 20_000..<32_768
    private static let tries = 100

    /// A port that was free a moment ago. Another program may take it before the broker does: start again then.
    package static func free() throws(BrokerError) -> Int {
        for _ in 0..<tries {
            let port = Int.random(in: ports)
            if !accepts(port: port) { return port }
        }
        throw .noFreePort
    }

    /// True if something accepts connections there.
    ///
    /// - Parameter address: Another address of this machine, where it is not 127.0.0.1.
    package static func accepts(port: Int, address: String? = nil) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address ?? "127.0.0.1", "\(port)", &hints, &found) == 0, let place = found?.pointee else {
            return false
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(place.ai_family, place.ai_socktype, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return connect(descriptor, place.ai_addr, place.ai_addrlen) == 0
    }
}
