extension SignalFeatures {
    /// The movement of the last moments, by acceleration where there is one, else by turning, else by the field that a
    /// turning sensor sees turn: in m/s², rad/s or µT.
    var shortMovement: Float {
        if sensors.contains(.acceleration) { return shortVectorDeviation }
        return sensors.contains(.angularVelocity) ? shortTurningDeviation : shortFieldDeviation
    }

    /// The movement over some seconds, in the same unit.
    var slowMovement: Float {
        if sensors.contains(.acceleration) { return vectorDeviation }
        return sensors.contains(.angularVelocity) ? turningDeviation : fieldDeviation
    }

    /// Whether anything moves that could be pedalling.
    func mayBePedalling(isOnBike: Bool) -> Bool {
        if isOnCrank, fieldDeviation > MagnetometerEvidence.floor { return true }
        let floor = isOnBike ? RevolutionThresholds.accelerationFloor : RevolutionThresholds.personFloor
        return vectorDeviation > floor || turningDeviation > RevolutionThresholds.turningFloor * floor / 0.02
    }

    /// Whether acceleration, or angular velocity, moves more than its noise.
    var hasAcceleration: Bool { vectorDeviation > RevolutionThresholds.accelerationFloor }
    var hasTurning: Bool { turningDeviation > RevolutionThresholds.turningFloor }
}
