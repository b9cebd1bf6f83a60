/// What the sensors of a bike must move for its crank to turn.
enum RevolutionThresholds {
    /// Ticks between evaluations.
    static let evaluationTicks = Tick.mostAtOnce
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
}
