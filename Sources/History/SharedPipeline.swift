import Synchronization

/// The pipeline, shared by the task that takes batches in and the one that asks for what is missing.
final class SharedPipeline: Sendable {
    private let pipeline: Mutex<HistoryPipeline>

    init(_ pipeline: HistoryPipeline) {
        self.pipeline = Mutex(pipeline)
    }

    func withLock<Result: Sendable>(_ body: (inout HistoryPipeline) -> Result) -> Result {
        pipeline.withLock { pipeline in body(&pipeline) }
    }
}
