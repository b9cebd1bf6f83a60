package import ServiceLifecycle

/// Services that run until a test ends them, in order or not.
package struct RunningGroup: Sendable {
    private let group: ServiceGroup
    /// Ends when they do.
    package let task: Task<Void, any Error>

    package init(_ group: ServiceGroup) {
        self.group = group
        task = Task { try await group.run() }
    }

    /// Ends them as SIGTERM does.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// Ends them as a crash does, as far as a process can without ending itself: nothing more is committed,
    /// acknowledged or published.
    package func kill() async {
        task.cancel()
        _ = await task.result
    }

    /// The error that they ended with.
    package var error: (any Error)? {
        get async {
            if case .failure(let error) = await task.result { error } else { nil }
        }
    }
}
