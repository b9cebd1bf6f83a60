import Foundation
import Synchronization
import Wire

/// Looks several times a second at how much memory the services use.
final class MemoryWatch: Sendable {
    private struct State {
        var first: [ServiceName: Double] = [:]
        var peak: [ServiceName: Double] = [:]
        var last: [ServiceName: Double] = [:]
    }

    /// The most resident memory that a service may use in a fault, in megabytes: three times what it uses at rest.
    static let maximumMegabytes = 128.0
    /// The same with as many devices in memory as a counter has at most, 24,000 and 4,000 that are being stored, in
    /// megabytes: 32 KB for each of them.
    static let maximumFloodMegabytes = maximumMegabytes + 28_000 * 0.032
    /// How often it is looked, in milliseconds.
    private static let roundMilliseconds = 100

    private let state = Mutex(State())
    private let looking = Mutex<Task<Void, Never>?>(nil)

    /// Begins to look at a system.
    func start(_ system: SystemUnderTest) {
        let task = Task { [weak self] in
            while !Task.isCancelled {
                let now = await system.residentMegabytes
                self?.note(now)
                try? await ContinuousClock().sleep(for: .milliseconds(Self.roundMilliseconds))
            }
        }
        looking.withLock { $0 = task }
    }

    func stop() { looking.withLock { $0.take() }?.cancel() }

    /// What each service used when it was first looked at, in megabytes.
    var before: [ServiceName: Double] { state.withLock { $0.first } }
    /// The most that each service used, in megabytes.
    var peak: [ServiceName: Double] { state.withLock { $0.peak } }
    /// What each service used at the last, in megabytes.
    var after: [ServiceName: Double] { state.withLock { $0.last } }

    private func note(_ now: [ServiceName: Double]) {
        state.withLock { state in
            for (name, megabytes) in now {
                if state.first[name] == nil { state.first[name] = megabytes }
                state.peak[name] = max(state.peak[name] ?? 0, megabytes)
                state.last[name] = megabytes
            }
        }
    }
}
