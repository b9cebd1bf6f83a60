import Wire

/// The steps or turns that a walker or a crank can have made by now, at most: the number grows with the time that passes,
/// and shrinks by what is counted.
///
/// A message that counts more steps or turns names a number that nobody made. Those not made in a pause are kept for a
/// while, because messages travel unevenly, and a band may tell its gateway an hour of steps at once.
struct Allowance: Sendable, Equatable {
    /// The most that a crank or a walker makes in a second: 300 rpm, and the steps of a sprinter.
    static let fastestPerSecond: Int64 = 5
    /// The turns that a crank may show beyond that at any time: its messages are fresh.
    static let spareOfCrank: Int64 = 15
    /// The same for steps before anything is known of them, and the most that is saved up in words that do not change.
    static let spareOfUnknownSteps: Int64 = fastestPerSecond * 600
    static let spareOfSteps: Int64 = fastestPerSecond * 3600
    /// Counts a second by which more than that is let go: what a gateway kept back comes within moments.
    static let forgottenPerSecond: Int64 = 50
    /// The longest recording of which nothing was heard before its first word, in microseconds.
    static let longestUnheardMicroseconds: Int64 = 6 * 3_600_000_000
    /// A shorter stretch of time is taken to be so long, in microseconds: apps cut stretches at their steps.
    static let shortestStretchMicroseconds: Int64 = 1_000_000

    private static let micro: Int64 = 1_000_000
    /// Millionths of a count that are left.
    private var left: Int64
    private let spare: Int64

    init(isCrank: Bool) {
        left = (isCrank ? Self.spareOfCrank : Self.spareOfUnknownSteps) * Self.micro
        spare = (isCrank ? Self.spareOfCrank : Self.spareOfSteps) * Self.micro
    }

    /// The allowance after a time, in microseconds.
    func after(_ elapsed: Int64) -> Allowance {
        let elapsed = min(max(0, elapsed), CounterPipeline.arrivals.upperBound)
        var later = self
        let kept = left <= spare ? left : max(spare, left - min(left, elapsed * Self.forgottenPerSecond))
        later.left = kept + elapsed * Self.fastestPerSecond
        return later
    }

    func allows(_ count: UInt64) -> Bool { count <= UInt64(left / Self.micro) }

    /// Takes off what is counted, which it allows.
    mutating func spend(_ count: UInt64) {
        left = max(0, left - Int64(clamping: min(count, UInt64(left / Self.micro))) * Self.micro)
    }

    /// Lets go of what is left: a count that begins anew has only the time since.
    mutating func begin() { left = Self.spareOfCrank * Self.micro }

    /// Whether `count` steps or turns can be made between two times, in microseconds, without any kept from a pause.
    static func allows(_ count: UInt64, from start: Int64, to end: Int64, beyond spare: Int64 = spareOfCrank) -> Bool {
        let elapsed = min(max(0, end - start), CounterPipeline.arrivals.upperBound)
        return count <= UInt64(elapsed / micro * fastestPerSecond + spare)
    }

    /// Whether a walker can make `micro` millionths of a step in a stretch of time, in microseconds.
    static func allowsSteps(micro: Int64, in stretch: Int64) -> Bool {
        micro <= max(stretch, shortestStretchMicroseconds) * fastestPerSecond
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&left)
        if !(0...Self.largest).contains(left) { coder.reject() }
    }

    private static let largest = CounterPipeline.arrivals.upperBound * 8
}
