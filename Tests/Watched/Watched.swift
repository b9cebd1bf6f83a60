import Synchronization

/// A value that is waited for: each change wakes those who wait.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var watchers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var nextWatcher: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var now: Value { state.withLock { $0.value } }

    package func change(_ body: (inout Value) -> Void) {
        let watchers = state.withLock { state in
            body(&state.value)
            return state.watchers.values
        }
        for watcher in watchers { watcher.yield() }
    }

    /// Returns when the condition holds, or does not by the suite's time limit, which is the deadline.
    /// - Returns: Whether it holds.
    @discardableResult
    package func wait(_ condition: (Value) -> Bool) async -> Bool {
        let (changes, watcher) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = watcher
            return state.nextWatcher
        }
        defer { state.withLock { $0.watchers[number] = nil } }
        // What holds already may never change.
        watcher.yield()
        for await _ in changes where condition(now) { return true }
        return false
    }
}

/// Returns when the condition holds, of something that tells nobody when it changes, such as a port or another process:
/// it is asked every few milliseconds. The suite's time limit is the deadline.
/// - Returns: Whether it holds.
@discardableResult
package func until(_ condition: () async -> Bool) async -> Bool {
    while await !condition() {
        guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return false }
    }
    return true
}
