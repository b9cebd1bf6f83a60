import MQTT

/// Sends what waits in a queue, batch after batch, each acknowledged in the file when the broker has it.
struct QueueSender: Sendable {
    /// The most frames of a batch: as many as a producer has on its way at once.
    static let maximumBatchFrames = 200
    /// The most bytes of a batch; a single frame may be more.
    static let maximumBatchBytes = 1_048_576
    /// The time before a batch that was not taken is sent again, in seconds: at first, and at most. It doubles.
    static let waitSeconds = 0.5...60.0

    let store: QueueStore
    let publisher: MotionPublisher

    /// Sends until the queue is closed or the connection has ended for good.
    func run() async {
        for await _ in store.news {
            do {
                while let batch = try store.nextBatch(
                    maximumFrames: Self.maximumBatchFrames, maximumBytes: Self.maximumBatchBytes)
                {
                    try await deliver(batch)
                }
            } catch {
                return store.endSending(error)
            }
        }
    }

    /// Returns when a batch is done with; throws when it never will be.
    private func deliver(_ batch: QueueFile.Batch) async throws {
        var wait = Self.waitSeconds.lowerBound
        while true {
            do {
                return store.acknowledge(batch, rejected: try await send(batch.frames))
            } catch let error as MQTTError where !publisher.isEnded {
                store.note(error)
                try await Task.sleep(for: .seconds(wait))
                wait = min(wait * 2, Self.waitSeconds.upperBound)
            }
        }
    }

    /// Sends frames in their order.
    /// - Returns: How many of them the broker will never take.
    private func send(_ frames: [QueuedFrame]) async throws -> Int {
        do {
            try await publisher.send(frames)
            return 0
        } catch let error as MQTTError where error.code == .payloadTooLarge {
            guard frames.count > 1 else { return 1 }
            let middle = frames.count / 2
            return try await send(Array(frames[..<middle])) + send(Array(frames[middle...]))
        }
    }
}
