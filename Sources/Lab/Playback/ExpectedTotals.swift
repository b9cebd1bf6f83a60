public import Wire

/// What history should say about a device when all its frames have been counted.
public struct ExpectedTotals: Sendable, Hashable {
    /// Steps.
    public let steps: Int
    /// Crank revolutions.
    public let revolutions: Int
    /// How far off a total may be, as a share of the expected one.
    public let tolerance: Double

    /// Totals from their parts.
    public init(steps: Int, revolutions: Int, tolerance: Double) {
        self.steps = steps
        self.revolutions = revolutions
        self.tolerance = tolerance
    }

    /// Whether what history says is near enough.
    public func accepts(_ answer: IntervalData) -> Bool {
        Self.isNear(answer.steps, steps, tolerance) && Self.isNear(answer.revolutions, revolutions, tolerance)
    }

    private static func isNear(_ counted: UInt64, _ expected: Int, _ tolerance: Double) -> Bool {
        abs(Double(counted) - Double(expected)) <= tolerance * Double(expected)
    }
}

/// A source that can say what history should have counted in the frames taken so far.
public protocol VerifiableSource: FrameSource {
    /// The totals of one device.
    func expectedTotals(of index: Int) -> ExpectedTotals
}

extension GymSource: VerifiableSource {
    /// How far a simulated device's totals may be off the truth.
    public static let tolerance = 0.02

    /// The truth, within 2 %.
    public func expectedTotals(of index: Int) -> ExpectedTotals {
        ExpectedTotals(
            steps: devices[index].trueSteps ?? 0, revolutions: devices[index].trueRevolutions ?? 0,
            tolerance: Self.tolerance)
    }
}

extension RecordingSource: VerifiableSource {
    /// What the counter's pipeline counts in the same frames without a bus, to the step: how near that is to what
    /// truly happened is a question to the counter, not to the way of the frames.
    public func expectedTotals(of index: Int) -> ExpectedTotals {
        var count = OfflineCount(device: devices[index].id, configuration: devices[index].configuration)
        count.accept(framesTaken(index))
        let summary = count.finish()
        return ExpectedTotals(steps: Int(summary.steps), revolutions: Int(summary.revolutions), tolerance: 0)
    }
}
