/// A queue in one array: both ends in constant time, no allocation once it has grown.
struct RingBuffer<Element> {
    private var slots: [Element?] = Array(repeating: nil, count: 16)
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : slots[head] }

    /// The element at a distance from the front, which must be there.
    subscript(index: Int) -> Element {
        get {
            guard index < count, let element = slots[slot(index)] else { preconditionFailure("no element \(index)") }
            return element
        }
        set {
            precondition(index < count, "no element \(index)")
            slots[slot(index)] = newValue
        }
    }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[slot(count)] = element
        count += 1
    }

    mutating func removeFirst() {
        guard count > 0 else { return }
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        count -= 1
    }

    mutating func removeAll(where shouldRemove: (Element) -> Bool) {
        let kept = (0..<count).map { self[$0] }.filter { !shouldRemove($0) }
        self = RingBuffer()
        for element in kept { append(element) }
    }

    private func slot(_ index: Int) -> Int { (head + index) & (slots.count - 1) }

    private mutating func grow() {
        let elements = (0..<count).map { slots[slot($0)] }
        slots = elements + Array(repeating: nil, count: elements.count)
        head = 0
    }
}
