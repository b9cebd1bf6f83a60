package import Wire

/// A stretch of time, and how many steps somebody said were made in it.
package struct StepClaim: Sendable, Hashable {
    /// Millionths of a step: health apps tell fractions, and minutes of less than a step add up.
    static let micro: Int64 = 1_000_000
    /// The longest stretch, in microseconds.
    static let maximumMicroseconds = CountLimits.maximumIntervalMicroseconds

    /// The first instant, and the first one after it, in microseconds since 1970.
    package var start: Int64
    package var end: Int64
    package var microSteps: Int64
    /// The whole steps that it stands for: the fractions of all claims of a device are carried from one to the next.
    package var steps: Int64 = 0

    /// `nil` for an empty or too long stretch.
    package init?(start: Int64, end: Int64, microSteps: Int64) {
        guard start >= 0, start < end, end - start <= Self.maximumMicroseconds, microSteps >= 0 else { return nil }
        (self.start, self.end, self.microSteps) = (start, end, microSteps)
    }

    package init(start: Int64, end: Int64, microSteps: Int64, steps: Int64) {
        (self.start, self.end, self.microSteps, self.steps) = (start, end, microSteps, steps)
    }

    var microseconds: Int64 { end - start }

    fileprivate func isSameTime(as other: StepClaim) -> Bool { start == other.start && end == other.end }

    /// The part of it within a range, with its share of the steps.
    fileprivate func part(_ start: Int64, _ end: Int64) -> StepClaim {
        let share = Double(end - start) / Double(microseconds)
        return StepClaim(
            start: start, end: end, microSteps: Int64((Double(microSteps) * share).rounded()),
            steps: Int64((Double(steps) * share).rounded()))
    }
}

/// The claims of one device, in the order in which they came, for one transaction.
package struct DeviceClaims: Sendable, Equatable {
    package var device: DeviceID
    package var claims: [StepClaim]
    /// The length of a step, in micrometres; 0 where it is not known.
    package var micrometresPerStep: Int64

    package init(device: DeviceID, claims: [StepClaim], micrometresPerStep: Int64) {
        (self.device, self.claims, self.micrometresPerStep) = (device, claims, micrometresPerStep)
    }
}

/// Claims of a transaction that changed nothing.
package struct ClaimOutcome: Sendable, Equatable {
    package var device: DeviceID
    package var repeated: UInt64 = 0
    package var overlapped: UInt64 = 0

    package init(device: DeviceID) {
        self.device = device
    }

    package mutating func add(_ reason: Uncounted?) {
        switch reason {
        case .repeated: repeated += 1
        case .overlapped: overlapped += 1
        default: break
        }
    }

    package var isEmpty: Bool { repeated == 0 && overlapped == 0 }
}

extension DeviceCounter {
    /// Takes back what was said of claims before the store had looked at them.
    mutating func note(_ outcome: ClaimOutcome) {
        selfCounting.uncounted[Int(Uncounted.repeated.rawValue)] += outcome.repeated
        selfCounting.uncounted[Int(Uncounted.overlapped.rawValue)] += outcome.overlapped
        let repeated = min(sequence.counts.accepted, outcome.repeated)
        sequence.counts.accepted -= repeated
        sequence.counts.duplicate &+= repeated
    }
}

/// The claims of one device around some stretch of time: any two are apart, or one lies inside the other.
///
/// A later word on about the same stretch replaces the earlier one. A finer word stands inside a coarser one, which
/// fills only what is not told more finely: hours and then their day make the day, in whatever order they come.
package struct ClaimWindow: Sendable {
    /// Two stretches are about the same if neither is longer than the other by more than this factor, as a ratio.
    private static let sameLength: (Int64, Int64) = (3, 2)
    /// An overlap up to this part of the shorter stretch is a difference of borders: nobody's steps are cut.
    private static let borderShare: Int64 = 10
    /// A rest of a replaced claim that is shorter is let go, in microseconds.
    private static let shortestRestMicroseconds: Int64 = 1_000_000

    /// The carry of a device without claims: half a step, so that one fraction alone is rounded to the nearest.
    package static let firstCarryMicroSteps = StepClaim.micro / 2

    /// The claims, by their beginnings, and of those that begin together the longer first.
    package private(set) var claims: [StepClaim]
    /// Millionths of steps that the claims of the device say beyond the whole steps that they stand for.
    package private(set) var carryMicroSteps: Int64
    /// The longest claim there is or was.
    private var longestMicroseconds: Int64

    /// - Parameter claims: claims as an earlier window left them, in any order.
    package init(_ claims: [StepClaim] = [], carryMicroSteps: Int64 = Self.firstCarryMicroSteps) {
        self.claims = claims.sorted(by: Self.precedes)
        self.carryMicroSteps = carryMicroSteps
        longestMicroseconds = claims.reduce(0) { max($0, $1.microseconds) }
    }

    private static func precedes(_ left: StepClaim, _ right: StepClaim) -> Bool {
        left.start == right.start ? left.end > right.end : left.start < right.start
    }

    /// Takes a claim. Returns why it changed nothing, or `nil`.
    package mutating func take(_ claim: StepClaim) -> Uncounted? {
        var reasons: [Uncounted?] = []
        for piece in pieces(of: claim) { reasons.append(insert(piece)) }
        return reasons.contains(nil) ? nil : reasons.first ?? .overlapped
    }

    /// A claim that lies across the border of a coarser one is cut there.
    private func pieces(of claim: StepClaim) -> [StepClaim] {
        var borders: [Int64] = []
        var (start, end) = (claim.start, claim.end)
        for index in overlapping(claim) where Self.isCoarser(claims[index], than: claim) {
            let other = claims[index]
            for border in [other.start, other.end] where border > claim.start && border < claim.end {
                let outside = border == other.start ? border - claim.start : claim.end - border
                guard outside <= claim.microseconds / Self.borderShare else {
                    borders.append(border)
                    continue
                }
                if border == other.start { start = max(start, border) } else { end = min(end, border) }
            }
        }
        guard start < end else { return [claim] }
        var pieces: [StepClaim] = []
        var trimmed = claim
        (trimmed.start, trimmed.end) = (start, end)
        var from = start
        for border in borders.sorted() where border > from && border < end {
            pieces.append(trimmed.part(from, border))
            from = border
        }
        pieces.append(from == start ? trimmed : trimmed.part(from, end))
        return pieces
    }

    private mutating func insert(_ claim: StepClaim) -> Uncounted? {
        let others = overlapping(claim)
        let isKnown = others.contains { index in
            claims[index].isSameTime(as: claim) && claims[index].microSteps == claim.microSteps
        }
        guard !isKnown else { return .repeated }
        var rests: [StepClaim] = []
        var replaced = false
        for index in others.reversed() {
            let other = claims[index]
            if Self.isCoarser(other, than: claim), other.start <= claim.start, other.end >= claim.end { continue }
            let isFiner = Self.isCoarser(claim, than: other)
            if isFiner, other.start >= claim.start, other.end <= claim.end { continue }
            let overlap = min(other.end, claim.end) - max(other.start, claim.start)
            let isBorder = overlap <= min(other.microseconds, claim.microseconds) / Self.borderShare
            replaced = replaced || !isBorder && !isFiner
            claims.remove(at: index)
            carryMicroSteps -= other.microSteps - other.steps * StepClaim.micro
            rests += Self.rests(of: other, around: claim, isBorder: isBorder, keepsInside: isFiner)
        }
        // A rest that is told by a claim of its own already adds nothing.
        for rest in rests where !overlapping(rest).contains(where: { claims[$0].isSameTime(as: rest) }) {
            carryMicroSteps += rest.microSteps - rest.steps * StepClaim.micro
            _ = place(rest)
        }
        var claim = claim
        carryMicroSteps += claim.microSteps
        let whole = claim.microSteps / StepClaim.micro
        let hasFraction = claim.microSteps % StepClaim.micro != 0
        claim.steps = hasFraction && carryMicroSteps >= (whole + 1) * StepClaim.micro ? whole + 1 : whole
        carryMicroSteps -= claim.steps * StepClaim.micro
        let index = place(claim)
        return replaced || claim.steps == 0 || unclaimedSteps(at: index) > 0 ? nil : .overlapped
    }

    /// The rests of a claim beside another one, and, of a finer one, inside it.
    private static func rests(
        of other: StepClaim, around claim: StepClaim, isBorder: Bool, keepsInside: Bool
    ) -> [StepClaim] {
        var parts: [(Int64, Int64)] = []
        if other.start < claim.start { parts.append((other.start, min(other.end, claim.start))) }
        if keepsInside { parts.append((max(other.start, claim.start), min(other.end, claim.end))) }
        if other.end > claim.end { parts.append((max(other.start, claim.end), other.end)) }
        if isBorder, let longest = parts.max(by: { $0.1 - $0.0 < $1.1 - $1.0 }) {
            return [StepClaim(start: longest.0, end: longest.1, microSteps: other.microSteps, steps: other.steps)]
        }
        return parts.filter { $0.1 - $0.0 >= shortestRestMicroseconds }.map { other.part($0.0, $0.1) }
    }

    private mutating func place(_ claim: StepClaim) -> Int {
        longestMicroseconds = max(longestMicroseconds, claim.microseconds)
        var (low, high) = (0, claims.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(claims[middle], claim) { low = middle + 1 } else { high = middle }
        }
        claims.insert(claim, at: low)
        return low
    }

    private static func isCoarser(_ left: StepClaim, than right: StepClaim) -> Bool {
        left.microseconds * sameLength.1 > right.microseconds * sameLength.0
    }

    /// The places of the claims that share time with a claim, in order.
    private func overlapping(_ claim: StepClaim) -> [Int] {
        var (low, high) = (0, claims.count)
        while low < high {
            let middle = (low + high) / 2
            if claims[middle].start < claim.end { low = middle + 1 } else { high = middle }
        }
        var found: [Int] = []
        for index in stride(from: low - 1, through: 0, by: -1) {
            if claims[index].end > claim.start { found.append(index) }
            // None that begins earlier reaches so far.
            if claims[index].start <= claim.start - longestMicroseconds { break }
        }
        return found.reversed()
    }
}

// MARK: - Minutes

extension ClaimWindow {
    /// The place of steps: a minute, or for a stretch of more than an hour its hours.
    package struct Place: Sendable, Hashable {
        package var minute: Int64
        package var isHour: Bool

        package init(minute: Int64, isHour: Bool) {
            (self.minute, self.isHour) = (minute, isHour)
        }

        /// The order in which rows are changed: by time, minutes before hours.
        package static func precedes(_ left: Place, _ right: Place) -> Bool {
            left.minute == right.minute ? !left.isHour && right.isHour : left.minute < right.minute
        }
    }

    private static let hourMicroseconds: Int64 = 3_600_000_000

    /// Takes claims in their order.
    ///
    /// - Returns: the steps that each place has more or fewer by them, in the order in which rows are changed.
    package mutating func take(
        _ new: some Sequence<StepClaim>, _ outcome: inout ClaimOutcome
    ) -> [(place: Place, steps: Int64)] {
        let before = shares()
        for claim in new { outcome.add(take(claim)) }
        let after = shares()
        return Set(before.keys).union(after.keys).sorted(by: Place.precedes).compactMap { place in
            let change = (after[place] ?? 0) - (before[place] ?? 0)
            return change == 0 ? nil : (place, change)
        }
    }

    /// The whole steps of all claims, each where no finer one tells them.
    private func shares() -> [Place: Int64] {
        var shares: [Place: Int64] = [:]
        var index = 0
        while index < claims.count { _ = add(&index, into: &shares) }
        return shares
    }

    /// Adds the claim at a place and those inside it; returns the steps of them all, and moves behind them.
    private func add(_ index: inout Int, into shares: inout [Place: Int64]) -> Int64 {
        let claim = claims[index]
        index += 1
        var (told, from) = (Int64(0), claim.start)
        var gaps: [(Int64, Int64)] = []
        while index < claims.count, claims[index].start < claim.end {
            if claims[index].start > from { gaps.append((from, claims[index].start)) }
            from = max(from, claims[index].end)
            told += add(&index, into: &shares)
        }
        if from < claim.end { gaps.append((from, claim.end)) }
        let rest = max(0, claim.steps - told)
        if rest > 0 {
            Self.spread(
                rest, over: gaps.isEmpty ? [(claim.start, claim.end)] : gaps,
                byHours: claim.microseconds > Self.hourMicroseconds, into: &shares)
        }
        return told + rest
    }

    /// The steps of a claim that no claim inside it tells.
    private func unclaimedSteps(at place: Int) -> Int64 {
        var (index, told, ignored) = (place + 1, Int64(0), [Place: Int64]())
        while index < claims.count, claims[index].start < claims[place].end { told += add(&index, into: &ignored) }
        return claims[place].steps - told
    }

    private static func spread(
        _ steps: Int64, over gaps: [(Int64, Int64)], byHours: Bool, into shares: inout [Place: Int64]
    ) {
        let grain = byHours ? hourMicroseconds : MinuteIncrement.minuteMicroseconds
        // Milliseconds, so that the product below stays within 64 bits.
        let length = max(1, gaps.reduce(0) { $0 + ($1.1 - $1.0) } / 1_000)
        var (given, passed) = (Int64(0), Int64(0))
        for (start, end) in gaps {
            var position = start
            while position < end {
                let stop = min(end, (position / grain + 1) * grain)
                passed += stop - position
                let due = min(steps, steps * min(passed / 1_000, length) / length)
                let place = Place(minute: MinuteIncrement.minute(of: position), isHour: byHours)
                if due > given { shares[place, default: 0] += due - given }
                given = due
                position = stop
            }
        }
        guard given < steps, let last = gaps.last else { return }
        let place = Place(minute: MinuteIncrement.minute(of: last.1 - 1), isHour: byHours)
        shares[place, default: 0] += steps - given
    }
}
