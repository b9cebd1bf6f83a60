/// Those who wait until what they added is with the broker.
struct QueueWaiters: Sendable {
    private struct Waiter {
        /// How many frames must be done with, counted from the first.
        var goal: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private var waiting: [UInt64: Waiter] = [:]
    private var done: UInt64 = 0
    private var nextNumber: UInt64 = 0

    /// The number of one who is going to wait.
    mutating func newNumber() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Waits for the frames that wait now.
    mutating func add(_ number: UInt64, _ continuation: CheckedContinuation<Void, any Error>, waitingFrames: Int) {
        waiting[number] = Waiter(goal: done + UInt64(clamping: waitingFrames), continuation: continuation)
    }

    /// Takes one out who waits no longer.
    mutating func remove(_ number: UInt64) -> CheckedContinuation<Void, any Error>? {
        waiting.removeValue(forKey: number)?.continuation
    }

    /// Takes everybody out.
    mutating func removeAll() -> [CheckedContinuation<Void, any Error>] {
        defer { waiting.removeAll() }
        return waiting.values.map(\.continuation)
    }

    /// So many more frames are done with.
    /// - Returns: Those whose frames they were the last of.
    mutating func advance(by frames: Int) -> [CheckedContinuation<Void, any Error>] {
        done += UInt64(clamping: frames)
        let ready = waiting.filter { $0.value.goal <= done }
        for number in ready.keys { waiting[number] = nil }
        return ready.values.map(\.continuation)
    }
}
