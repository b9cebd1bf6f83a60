extension SignalFeatures {
    /// The movement of the last moments, by acceleration where there is one and else by turning, in m/s² or rad/s.
    var shortMovement: Float { sensors.contains(.acceleration) ? shortVectorDeviation : shortTurningDeviation }

    /// The movement over some seconds, in the same unit.
    var slowMovement: Float { sensors.contains(.acceleration) ? vectorDeviation : turningDeviation }

    /// Whether anything moves that could be pedalling.
    func mayBePedalling(isOnBike: Bool) -> Bool {
        let floor = isOnBike ? RevolutionGate.accelerationFloor : RevolutionGate.personFloor
        return vectorDeviation > floor || turningDeviation > RevolutionGate.turningFloor * floor / 0.02
    }
}
