/// Footfalls one after the other that are not counted yet: a few steps across a room are over before their period is sure.
///
/// They wait here until they are a bout of their own, or until the periodic counter takes them over. What makes footfalls a
/// bout are their number, a rhythm and like heights, as in Gu et al., "Robust Step Counting using Smartphone Inertial
/// Sensors" (IEEE Trans. Human-Machine Syst. 2017), who call them continuity, periodicity and similarity.
struct FootfallTrain {
    static let capacity = 16

    private var times = [Int64](repeating: 0, count: capacity)
    private var heights = [Float](repeating: 0, count: capacity)
    private(set) var count = 0
    /// Whether the footfalls before the first kept one were counted as this bout's.
    private(set) var isContinued = false

    var isFull: Bool { count == Self.capacity }

    /// The time of the last footfall, µs; 0 without one.
    var lastTime: Int64 { count > 0 ? times[count - 1] : 0 }

    mutating func add(time: Int64, height: Float) {
        guard count < Self.capacity else { return }
        times[count] = time
        heights[count] = height
        count += 1
    }

    /// Whether these footfalls are steps.
    func isBout(leastCount: Int) -> Bool {
        guard count >= (isContinued ? 2 : leastCount), count > 1 else { return false }
        let mean = Float(times[count - 1] - times[0]) / Float(count - 1)
        let height = heights[0..<count].reduce(0, +) / Float(count)
        var (unevenness, unlikeness) = (Float(0), abs(heights[0] - height))
        for index in 1..<count {
            unevenness += abs(Float(times[index] - times[index - 1]) - mean)
            unlikeness += abs(heights[index] - height)
        }
        return unevenness < StepGate.footfallUnevenness * mean * Float(count - 1)
            && unlikeness < StepGate.footfallUnlikeness * height * Float(count)
    }

    /// Says the footfalls until a time as steps, and forgets them. The time until which they are counted.
    mutating func count(until end: Int64, into events: inout MotionEvents) -> Int64 {
        var last: Int64 = 0
        var counted = 0
        while counted < count, times[counted] < end {
            last = times[counted]
            events.append(.steps(count: 1, timeMicroseconds: last))
            counted += 1
        }
        drop(first: counted)
        isContinued = counted > 0 || isContinued
        return last
    }

    /// Forgets the footfalls until a time: they are counted otherwise.
    mutating func drop(until time: Int64) {
        var passed = 0
        while passed < count, times[passed] <= time { passed += 1 }
        drop(first: passed)
        isContinued = passed > 0 || isContinued
    }

    mutating func drop(first dropped: Int) {
        guard dropped > 0 else { return }
        for index in dropped..<max(count, dropped) {
            times[index - dropped] = times[index]
            heights[index - dropped] = heights[index]
        }
        count = max(count - dropped, 0)
    }

    mutating func clear() {
        count = 0
        isContinued = false
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity {
            coder.code(time: &times[index])
            coder.code(&heights[index])
        }
        coder.code(&count, in: 0...Self.capacity)
        coder.code(&isContinued)
    }
}
