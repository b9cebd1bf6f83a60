import MQTT
import Synchronization
import Wire

/// The state of a queue, shared by callers and the sending task. No continuation is resumed under the lock.
final class QueueStore: Sendable {
    fileprivate struct State {
        var file: QueueFile
        var numbering: FrameNumbering
        /// The callers of `flush`.
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        /// The number of frames acknowledged or rejected since the opening.
        var doneFrames: UInt64 = 0
        var trouble: (any Error)?
        /// The reason why sending has ended.
        var sendingEnd: (any Error)?
        var isClosed = false
    }

    fileprivate struct Waiter {
        /// The value of `doneFrames` at which the caller is resumed.
        var goal: UInt64
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Mutex<State>
    private let lock: SystemFile
    private let arrivals = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let boot: BootID

    init(_ configuration: MotionQueueConfiguration, boot: BootID) throws(MotionQueueError) {
        let lock = try SystemFile(path: configuration.path + ".lock")
        guard lock.lock() else { throw .inUse(path: configuration.path) }
        self.lock = lock
        self.boot = boot
        do throws(MotionQueueError) {
            let file = try QueueFile(configuration)
            state = Mutex(State(file: file, numbering: FrameNumbering(boot: boot)))
        } catch {
            lock.unlock()
            throw error
        }
        arrivals.continuation.yield()
    }

    var counts: MotionQueueCounts { state.withLock { $0.file.counts } }
    var trouble: (any Error)? { state.withLock { $0.trouble } }
    /// Yields whenever there may be frames to send.
    var news: AsyncStream<Void> { arrivals.stream }
}

// For the callers that add frames.
extension QueueStore {
    /// Numbers frames and writes them to the file.
    func add(
        _ frames: [(device: DeviceID, frame: Frame)], _ form: MotionPublisher.Form
    ) throws(MotionQueueError) {
        defer { arrivals.continuation.yield() }
        try state.withLock { state throws(MotionQueueError) in
            guard !state.isClosed else { throw .closed }
            try state.add(frames, form)
        }
    }

    /// Returns when every frame added before is acknowledged or rejected.
    func flush() async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(number, $0) }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    private func wait(_ number: UInt64, _ continuation: CheckedContinuation<Void, any Error>) {
        let answer = state.withLock { state -> Result<Void, any Error>? in
            if let end = state.sendingEnd { return .failure(end) }
            if Task.isCancelled { return .failure(CancellationError()) }
            guard state.file.counts.waitingFrames > 0 else { return .success(()) }
            let goal = state.doneFrames + UInt64(clamping: state.file.counts.waitingFrames)
            state.waiters[number] = Waiter(goal: goal, continuation: continuation)
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    /// Closes the queue: nothing more is added, sent or recorded. The file keeps the waiting frames and is unlocked.
    func close() {
        endSending(MotionQueueError.closed)
        state.withLock { state in
            if !state.isClosed { lock.unlock() }
            state.isClosed = true
        }
        arrivals.continuation.finish()
    }
}

// For the task that sends.
extension QueueStore {
    /// The frames that have waited longest; nil when the queue is closed or empty.
    func nextBatch(maximumFrames: Int, maximumBytes: Int) throws(MotionQueueError) -> QueueFile.Batch? {
        try state.withLock { state throws(MotionQueueError) in
            guard !state.isClosed, state.file.counts.waitingFrames > 0 else { return nil }
            return try state.file.nextBatch(maximumFrames: maximumFrames, maximumBytes: maximumBytes)
        }
    }

    /// Removes the frames of a batch from the queue. If the file cannot be written, its next opening sends them again,
    /// and the counter recognises them.
    func acknowledge(_ batch: QueueFile.Batch, rejected: Int) {
        let done = state.withLock { state -> [UInt64: Waiter] in
            // Another process may use the file now, so nothing may be written to it.
            guard !state.isClosed else { return [:] }
            do {
                try state.file.acknowledge(batch, rejected: rejected)
                state.trouble = nil
            } catch {
                state.trouble = error
            }
            state.doneFrames += UInt64(clamping: batch.frames.count)
            let done = state.waiters.filter { $0.value.goal <= state.doneFrames }
            for number in done.keys { state.waiters[number] = nil }
            return done
        }
        for waiter in done.values { waiter.continuation.resume() }
    }

    /// Ends sending for good and fails the waiting calls. Frames can still be added.
    func endSending(_ error: any Error) {
        let waiting = state.withLock { state in
            if state.sendingEnd == nil, (error as? MotionQueueError) != .closed { state.trouble = error }
            state.sendingEnd = state.sendingEnd ?? error
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiting.values { waiter.continuation.resume(throwing: error) }
    }

    /// Records the error that prevents sending.
    func note(_ trouble: any Error) {
        state.withLock { $0.trouble = trouble }
    }
}

extension QueueStore.State {
    /// Adds frames while there is room. A refused frame uses up its number all the same.
    fileprivate mutating func add(
        _ frames: [(device: DeviceID, frame: Frame)], _ form: MotionPublisher.Form
    ) throws(MotionQueueError) {
        var numbering = numbering
        var queued: [QueuedFrame] = []
        for (device, frame) in frames {
            let payload = form.payload(of: try numbering.number(frame, of: device))
            guard payload.count <= FrameLimits.maximumPayloadBytes else {
                throw .frameTooLarge(bytes: payload.count)
            }
            queued.append(QueuedFrame(device: device, payload: payload))
        }
        self.numbering = numbering
        try file.append(queued)
    }
}

/// Gives frames their identities: a boot of its own, and the numbers 0, 1, 2 … for each device.
///
/// Every opening of a queue has a new boot. Continuing the old numbers would need the last one, and after a power cut
/// the file may have lost it while the broker has the frame: two frames with one number would be counted as one.
struct FrameNumbering: Sendable {
    let boot: BootID
    private var next: [DeviceID: UInt64] = [:]

    init(boot: BootID) {
        self.boot = boot
    }

    /// A new boot: 53 random bits, which every JSON reader accepts.
    static func newBoot() -> BootID { BootID(rawValue: .random(in: 1...(1 << 53))) }

    /// The frame with its own number, or else with the device's next one.
    mutating func number(_ frame: Frame, of device: DeviceID) throws(MotionQueueError) -> Frame {
        guard case .unsequenced = frame.identity else { return frame }
        guard next[device] != nil || next.count < MotionQueue.maximumDevices else { throw .tooManyDevices }
        var frame = frame
        let sequence = next[device, default: 0]
        frame.identity = .sequenced(boot: boot, sequence: sequence)
        next[device] = sequence &+ 1
        return frame
    }
}

/// Sends the waiting frames of a queue in batches. A batch is acknowledged in the file when the broker has it.
struct QueueSender: Sendable {
    /// The maximum number of frames in a batch: the in-flight window of a producer.
    static let maximumBatchFrames = 200
    /// The maximum size of a batch, in bytes; a single frame may exceed it.
    static let maximumBatchBytes = 1_048_576
    /// The first and the longest wait before a failed batch is sent again, in seconds. The wait doubles each time.
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

    /// Sends a batch until it is done; throws if that is no longer possible.
    ///
    /// Until a frame has been accepted, the first one is sent alone. Otherwise a subscription made in the middle of a
    /// batch would receive its end first, and the dropped frames would follow behind it.
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
    /// - Returns: The number of frames that are too large for the broker.
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
