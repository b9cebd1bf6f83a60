import MQTT

/// The two loops that read. They end together: a service that answers but does not count, or the other way round,
/// would look well and be wrong.
struct ReadingTasks: Sendable {
    let counts: MQTTConsumer
    let requests: MQTTConsumer

    /// Reads until both consumers are stopped, or one of them fails.
    func run<Store: HistoryStore>(intake: CountsIntake<Store>, desk: RequestDesk<Store>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await intake.run(counts.batches) }
            group.addTask { try await desk.run(requests.batches) }
            defer {
                counts.stop()
                requests.stop()
            }
            while try await group.next() != nil {
                counts.stop()
                requests.stop()
            }
        }
    }
}
