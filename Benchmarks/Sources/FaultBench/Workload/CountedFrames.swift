import Counter
import Foundation
import Wire

/// Which of the sent frames a counter has counted, as it says itself: each is offered again to what it has stored, and
/// those that it does not know are those that never reached it.
struct CountedFrames {
    /// The frames that were counted, in the order in which they were sent.
    private(set) var counted: [Workload.Item] = []
    /// The number of those that were not.
    private(set) var lostCount = 0

    /// Opens the store of a counter that has ended.
    init(of items: [Workload.Item], directory: URL) async throws {
        let store = try CounterStore(directory: directory.path)
        defer { try? store.close() }
        var pipeline = CounterPipeline()
        for stored in try await store.devices(after: nil, atMost: .max) {
            if let state = stored.state { _ = pipeline.restore(device: stored.device, state: state, config: nil) }
        }
        for item in items {
            let before = pipeline.tally.duplicate
            pipeline.accept(
                MotionRecord(device: item.device, arrivalMicroseconds: item.arrival, content: .frame(item.frame)))
            if pipeline.tally.duplicate > before { counted.append(item) } else { lostCount += 1 }
        }
    }
}
