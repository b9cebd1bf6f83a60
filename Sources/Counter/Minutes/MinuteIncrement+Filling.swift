extension MinuteIncrement {
    /// The minute with its gaps filled: of what the device says that it counted itself, the share of the minute of
    /// which there are no samples. What samples cover is not counted a second time, in whatever order the two came.
    package func filled(with told: MinuteIncrement) -> MinuteIncrement {
        let open = min(max(Self.minuteMicroseconds - coveredMicroseconds, 0), Self.minuteMicroseconds)
        guard open > 0 else { return self }
        let share = Double(open) / Double(Self.minuteMicroseconds)
        var sum = self
        sum.add(share == 1 ? told : told.part(share))
        return sum
    }

    private func part(_ share: Double) -> MinuteIncrement {
        let part = { (value: Int64) in Int64((Double(value) * share).rounded(.towardZero)) }
        var scaled = self
        scaled.steps = part(steps)
        scaled.revolutions = part(revolutions)
        scaled.distanceMicrometres = part(distanceMicrometres)
        scaled.activeMilliseconds = part(activeMilliseconds)
        scaled.coveredMicroseconds = part(coveredMicroseconds)
        scaled.cadenceMilliIntegral = part(cadenceMilliIntegral)
        scaled.cadenceMilliseconds = part(cadenceMilliseconds)
        scaled.activityMilliseconds = activityMilliseconds.map(part)
        return scaled
    }
}
