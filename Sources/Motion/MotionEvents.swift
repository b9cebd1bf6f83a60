/// A buffer that events are appended to. Reuse one and call ``removeAll()`` between uses: in steady state
/// nothing is allocated.
public struct MotionEvents: Sendable, RandomAccessCollection {
    private var storage: [MotionEvent] = []

    /// An empty buffer with room for a number of events.
    public init(minimumCapacity: Int = 64) {
        storage.reserveCapacity(Swift.max(0, minimumCapacity))
    }

    /// The first position.
    public var startIndex: Int { storage.startIndex }
    /// One past the last position.
    public var endIndex: Int { storage.endIndex }
    /// The event at a position.
    public subscript(position: Int) -> MotionEvent { storage[position] }

    /// Appends an event.
    public mutating func append(_ event: MotionEvent) {
        storage.append(event)
    }

    /// Empties the buffer and keeps its memory.
    public mutating func removeAll() {
        if !storage.isEmpty {
            storage.removeAll(keepingCapacity: true)
        }
    }
}
