/// When the last impacts were, and how hard.
struct ImpactTrail {
    static let capacity = 24

    private var times = [Int64](repeating: 0, count: capacity)
    /// The changes of |a|, m/s².
    private var changes = [Float](repeating: 0, count: capacity)
    private var count = 0

    mutating func add(change: Float, time: Int64) {
        if count == Self.capacity {
            count -= 1
            times.moveDown(by: 1, count: count)
            changes.moveDown(by: 1, count: count)
        }
        times[count] = time
        changes[count] = change
        count += 1
    }

    /// The first and the last of the newest impacts that are harder than `least` and follow one another, each so many
    /// microseconds after the one before; nil without two. What the body does when the feet stand is softer.
    func bout(gaps: ClosedRange<Int64>, least: Float) -> ClosedRange<Int64>? {
        var bout: ClosedRange<Int64>?
        var next: Int64?
        for index in stride(from: count - 1, through: 0, by: -1) where changes[index] > least {
            let time = times[index]
            if let after = next, gaps.contains(after - time) {
                bout = time...(bout?.upperBound ?? after)
            } else if bout != nil {
                return bout
            }
            next = time
        }
        return bout
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity { coder.code(time: &times[index]) }
        coder.code(floats: &changes, range: 0..<Self.capacity)
        coder.code(&count, in: 0...Self.capacity)
    }
}
