/// What another device recorded, second by second: the payload of `{device}/seconds`.
package struct RecordedSeconds: Sendable, Equatable {
    /// The first second, since 1970.
    package var start: Int64
    /// Whether the cadence is of steps, not of a crank.
    package var isOfSteps = false
    /// Of each channel a number a second, in whole revolutions or steps a minute, watts or beats a minute; `nil` where it is
    /// not known. A channel may end early.
    package var cadence: [Int?] = []
    package var watts: [Int?] = []
    package var bpm: [Int?] = []

    package static let maximumSeconds = 600
    /// From 2001 to 2100, as every time of a device.
    private static let starts =
        FrameLimits.minimumTimeMicroseconds / 1_000_000..<FrameLimits.maximumTimeMicroseconds / 1_000_000

    package init(start: Int64) { self.start = start }

    /// Whether a clock that is set told all of it: none of it is to come.
    package func hasPassed(nowSeconds: Double) -> Bool {
        Self.starts.contains(start) && Double(start) + Double(count) <= nowSeconds + 1
    }

    /// The seconds that it has.
    package var count: Int { [cadence, watts, bpm].map(\.count).max() ?? 0 }

    /// The seconds of which something is known.
    package var knownCount: Int {
        (0..<count).count { place in [cadence, watts, bpm].contains { place < $0.count && $0[place] != nil } }
    }
}

/// `{"start":…,"cadence_rpm":[…],"watts":[…],"bpm":[…]}`, or `cadence_spm` for steps; `null` is not known.
extension RecordedSeconds: FieldPayload {
    package static var allowsNaN: Bool { true }

    init() { self.init(start: 0) }

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        let known = [cadence, watts, bpm].map { numbers -> [Int?]? in
            numbers.contains { $0 != nil } ? numbers : nil
        }
        var (time, rpm, spm) = (Double(start), isOfSteps ? nil : known[0], isOfSteps ? known[0] : nil)
        var (watts, bpm) = (known[1], known[2])
        try list.field("start", &time, .time)
        try list.field("cadence_rpm", &rpm, .knownNumbers)
        try list.field("cadence_spm", &spm, .knownNumbers)
        try list.field("watts", &watts, .knownNumbers)
        try list.field("bpm", &bpm, .knownNumbers)
        guard let second = Int64(exactly: time), Self.starts.contains(second) else { throw .absurdTime }
        guard rpm == nil || spm == nil else { throw .contradiction }
        (start, isOfSteps, cadence) = (second, spm != nil, rpm ?? spm ?? [])
        (self.watts, self.bpm) = (watts ?? [], bpm ?? [])
        guard count > 0 else { throw .noSamples }
        guard count <= Self.maximumSeconds else { throw .tooManySamples }
    }
}
