/// Why the private broker does not run, with what to do about it.
package enum EmbeddedBrokerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `mosquitto` is neither in PATH nor in /usr/sbin.
    case brokerMissing
    /// `setpriv`, which ties the broker's life to ours, is not in PATH.
    case launcherMissing
    /// A file or directory cannot be made or written: path and reason.
    case fileUnwritable(path: String, reason: String)
    /// The process could not be started: `errno` in words.
    case spawnFailed(reason: String)
    /// The broker ended before it accepted connections: the end of its log.
    case exited(log: String)
    /// The broker did not accept connections in time.
    case startTimedOut(seconds: Double)
    /// No loopback port is free.
    case noFreePort
    /// Somebody listens on the port that was asked for.
    case portTaken(Int)
    /// A call that needs a running broker came after ``EmbeddedBroker/stop()``.
    case stopped

    /// One line: what happened and how to mend it.
    package var description: String {
        switch self {
        case .brokerMissing:
            "mosquitto is not installed: run 'apt-get install mosquitto', or give the address of a broker"
        case .launcherMissing: "setpriv is not installed: run 'apt-get install util-linux'"
        case .fileUnwritable(let path, let reason): "cannot write \(path): \(reason); give another directory"
        case .spawnFailed(let reason): "mosquitto cannot be started: \(reason)"
        case .exited(let log): "mosquitto ended at its start: \(log)"
        case .startTimedOut(let seconds):
            "mosquitto did not accept connections within \(seconds) s: is the machine busy?"
        case .noFreePort: "no loopback port is free: close some programs and try again"
        case .portTaken(let port): "port \(port) is taken: choose another port, or 0 for any free one"
        case .stopped: "this broker has been stopped: start a new one"
        }
    }
}
