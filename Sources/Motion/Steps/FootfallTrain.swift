/// Footfalls one after the other that are not counted yet: a few steps across a room are over before their period is sure.
///
/// They wait here until they are a bout of their own, or until the periodic counter takes them over. What makes footfalls a
/// bout are their number, a rhythm and like heights, as in Gu et al., "Robust Step Counting using Smartphone Inertial
/// Sensors" (IEEE Trans. Human-Machine Syst. 2017), who call them continuity, periodicity and similarity.
struct FootfallTrain {
    static let capacity = 16

    private var times = [Int64](repeating: 0, count: capacity)
    private var heights = [Float](repeating: 0, count: capacity)
    private var roughnesses = [Float](repeating: 0, count: capacity)
    private(set) var count = 0
    /// Whether the footfalls before the first kept one were counted as this bout's.
    private(set) var isContinued = false

    /// How similar |a| is to itself one or two of the footfalls' intervals before.
    private var similarity: Float = 0
    /// Whether the movement was one of strokes since this began.
    private var isOfStrokes = false

    var isFull: Bool { count == Self.capacity }

    /// The time of the last footfall, µs; 0 without one.
    var lastTime: Int64 { count > 0 ? times[count - 1] : 0 }

    mutating func add(time: Int64, height: Float, roughness: Float) {
        guard count < Self.capacity else { return }
        times[count] = time
        heights[count] = height
        roughnesses[count] = roughness
        count += 1
    }

    /// The mean time from one to the next, µs.
    private var interval: Float {
        Float(times[max(count - 1, 0)] - times[0]) / Float(max(count - 1, 1))
    }

    /// Asks how well |a| repeats itself in the rhythm of the footfalls: those of a walk do, also where it is short.
    mutating func weigh(_ normCurve: LagCurve, isOfStrokes: Bool) {
        guard count > 1 else { return }
        self.isOfStrokes = self.isOfStrokes || isOfStrokes
        let lag = interval / Float(Tick.microseconds)
        similarity = max(
            normCurve.highestPeak(near: lag)?.height ?? 0, normCurve.highestPeak(near: 2 * lag)?.height ?? 0)
    }

    /// Whether these footfalls are steps.
    func isBout(_ placement: Placement) -> Bool {
        guard count >= (isContinued ? 2 : placement.leastFootfalls), count > 1 else { return false }
        guard interval < placement.longestFootfallInterval, isRoughEnough(placement) else { return false }
        if placement.mayTurn, isOfStrokes || similarity < StepGate.footfallSimilarity { return false }
        let height = heights[0..<count].reduce(0, +) / Float(count)
        var (unevenness, unlikeness) = (Float(0), abs(heights[0] - height))
        for index in 1..<count {
            unevenness += abs(Float(times[index] - times[index - 1]) - interval)
            unlikeness += abs(heights[index] - height)
        }
        return unevenness < placement.footfallUnevenness * interval * Float(count - 1)
            && unlikeness < StepGate.footfallUnlikeness * height * Float(count)
    }

    /// A footfall has more high notes than a sine of its rhythm, and fewer than the noise of a jolting road.
    private func isRoughEnough(_ placement: Placement) -> Bool {
        let roughness = roughnesses[0..<count].reduce(0, +) / Float(count)
        // 4·sin²(π·Δt/interval), to the second order.
        let angle = 2 * Float.pi * Float(Tick.microseconds) / interval
        let highest = placement.mayTurn ? StepGate.armRoughness : StepGate.footfallRoughness.upperBound
        return StepGate.footfallRoughness.contains(roughness) && roughness < highest
            && roughness > StepGate.footfallSineRoughness * angle * angle
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
        let kept = max(count - dropped, 0)
        times.moveDown(by: dropped, count: kept)
        heights.moveDown(by: dropped, count: kept)
        roughnesses.moveDown(by: dropped, count: kept)
        count = kept
    }

    mutating func clear() {
        count = 0
        isContinued = false
        similarity = 0
        isOfStrokes = false
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for index in 0..<Self.capacity {
            coder.code(time: &times[index])
            coder.code(&heights[index])
            coder.code(&roughnesses[index])
        }
        coder.code(&count, in: 0...Self.capacity)
        coder.code(&isContinued)
        coder.code(&similarity)
        coder.code(&isOfStrokes)
    }
}

extension Array {
    /// Moves so many elements down to the start, over those before them.
    @inline(__always)
    mutating func moveDown(by distance: Int, count moved: Int) {
        guard distance >= 0, moved >= 0, distance + moved <= count else { return }
        withUnsafeMutableBufferPointer { elements in
            if let start = elements.baseAddress { start.update(from: start + distance, count: moved) }
        }
    }
}

extension Placement {
    /// Whether the sensor sits where gestures turn it.
    var mayTurn: Bool { self == .wrist || self == .hand || self == .unknown }

    /// Whether it may sit on a wrist, whose hand has work of its own.
    var isOnArm: Bool { self == .wrist || self == .unknown }

    /// Whether it may hang on a leg that pedals: who told of a wrist, a hand, a bag or a back told that it does not.
    var mayBeOnLeg: Bool { isLeg || self == .pocket || self == .hip || self == .unknown }

    /// Whether it sits on a thigh that may pedal, or in a pocket, which may be on one.
    var mayBeOnThigh: Bool { self == .thigh || self == .pocket }

    /// Whether it sits on the trunk, where little but footfalls is felt.
    private var isTrunk: Bool { self == .hip || self == .back }

    /// So many footfalls make a bout.
    fileprivate var leastFootfalls: Int { mayTurn ? StepGate.footfallWristCount : StepGate.footfallCount }

    /// The longest time from one to the next that is believed, µs.
    fileprivate var longestFootfallInterval: Float {
        mayTurn ? StepGate.footfallWristInterval : Float(StepGate.footfallGapMicroseconds)
    }

    /// From one footfall that is heard to the next of the same walk, in intervals of its rate.
    var footfallGaps: ClosedRange<Float> { mayTurn ? StepGate.armFootfallGaps : StepGate.footfallGaps }

    /// How uneven the intervals may be.
    fileprivate var footfallUnevenness: Float {
        isTrunk ? StepGate.footfallTrunkUnevenness : StepGate.footfallUnevenness
    }
}
