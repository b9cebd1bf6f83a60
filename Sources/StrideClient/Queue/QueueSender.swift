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
        var isRead = false
        for await _ in store.news {
            do {
                while let batch = try store.nextBatch(
                    maximumFrames: Self.maximumBatchFrames, maximumBytes: Self.maximumBatchBytes)
                {
                    try await deliver(batch, isRead: &isRead)
                }
            } catch {
                return store.endSending(error)
            }
        }
    }

    /// Returns when a batch is done with; throws when it never will be.
    ///
    /// Until a frame was taken, the first goes alone: if a subscription came in the middle of a batch, its end
    /// would be read first, and the frames that were not read would come again behind it.
    private func deliver(_ batch: QueueFile.Batch, isRead: inout Bool) async throws {
        var wait = Self.waitSeconds.lowerBound
        while true {
            do {
                let alone = isRead ? 0 : 1
                var rejected = try await send(Array(batch.frames.prefix(alone)))
                isRead = true
                rejected += try await send(Array(batch.frames.dropFirst(alone)))
                return store.acknowledge(batch, rejected: rejected)
            } catch let error as MQTTError where !publisher.isEnded {
                isRead = false
                store.note(error)
                try await Task.sleep(for: .seconds(wait))
                wait = min(wait * 2, Self.waitSeconds.upperBound)
            }
        }
    }

    /// Sends frames in their order.
    /// - Returns: How many of them the broker will never take.
    private func send(_ frames: [QueuedFrame]) async throws -> Int {
        guard !frames.isEmpty else { return 0 }
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
