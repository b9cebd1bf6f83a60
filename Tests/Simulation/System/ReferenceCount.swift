import Counter
import Wire

/// The counter's pipeline and a store, with nothing in between that could go wrong.
struct ReferenceCount {
    private var pipeline = CounterPipeline()
    private var store = CounterStoreModel()

    mutating func accept(_ record: MotionRecord) {
        if pipeline.needsState(for: record.device) {
            _ = pipeline.restore(device: record.device, state: nil, config: nil)
        }
        pipeline.accept(record)
    }

    mutating func finish() -> [MinuteKey: MinuteNumbers] {
        pipeline.finish()
        store.commit(pipeline.takeCommit())
        return store.totals
    }
}
