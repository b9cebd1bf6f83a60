import Synchronization

/// The leases whose notices nobody hears. A notice that the broker has nobody for stays due and is tried again, so that
/// an asker who was away for a moment misses none; a lease ends when it has been tried for a minute in vain. A value of
/// times and tries, without clock; it is not kept beyond the end of history, after which everybody is waited for anew.
final class AbsentAskers: Sendable {
    /// The time between two tries, in seconds: what an asker who is back waits at most for what it has missed.
    static let retrySeconds = 5.0
    /// After so many tries in vain nobody is waited for any more: a minute after the first at least, twice what an app
    /// needs that was in a tunnel. They are counted, because a clock may jump.
    static let maximumTries = 13

    private struct Absence {
        /// A renewal changes it, and shows that somebody is there.
        var expiresSeconds: Int64
        var tries: Int
        var nextSeconds: Double

        /// Also where the clock was set back.
        func isDue(_ nowSeconds: Double) -> Bool {
            nowSeconds >= nextSeconds || nowSeconds < nextSeconds - AbsentAskers.retrySeconds
        }
    }

    private let absences = Mutex<[Int64: Absence]>([:])

    /// How many leases nobody hears.
    var count: Int { absences.withLock { $0.count } }

    /// Whether some lease is to be tried again.
    func isRetryDue(nowSeconds: Double) -> Bool {
        absences.withLock { $0.values.contains { $0.isDue(nowSeconds) } }
    }

    /// Whether a lease's notices are to be published now.
    func isDue(_ lease: LiveLease, nowSeconds: Double) -> Bool {
        absences.withLock { absences in lease.id.flatMap { absences[$0] }?.isDue(nowSeconds) ?? true }
    }

    /// Whether nobody has heard the last notice of a lease, so that one is enough to try.
    func isAbsent(_ lease: LiveLease) -> Bool {
        absences.withLock { absences in lease.id.map { absences[$0] != nil } ?? false }
    }

    /// Nobody has heard a notice of a lease.
    /// - Returns: Whether nobody is waited for any more.
    func noteUnheard(_ lease: LiveLease, nowSeconds: Double) -> Bool {
        guard let id = lease.id else { return false }
        return absences.withLock { absences in
            var absence = absences[id]
            if absence?.expiresSeconds != lease.expiresSeconds { absence = nil }
            let tries = (absence?.tries ?? 0) + 1
            absences[id] =
                tries < Self.maximumTries
                ? Absence(
                    expiresSeconds: lease.expiresSeconds, tries: tries, nextSeconds: nowSeconds + Self.retrySeconds)
                : nil
            return tries >= Self.maximumTries
        }
    }

    /// Somebody has heard a notice of a lease.
    func noteHeard(_ lease: LiveLease) {
        guard let id = lease.id else { return }
        absences.withLock { _ = $0.removeValue(forKey: id) }
    }

    /// Keeps nothing of leases that have no notices due any more, because they have ended.
    func keep(_ due: [LiveLease]) {
        absences.withLock { absences in
            guard !absences.isEmpty else { return }
            let ids = Set(due.compactMap(\.id))
            absences = absences.filter { ids.contains($0.key) }
        }
    }
}
