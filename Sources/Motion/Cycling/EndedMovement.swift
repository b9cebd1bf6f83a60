/// How much of what the lag products remember of a person is of a movement that has ended.
///
/// They forget within seconds, and rest adds next to nothing to them: for a while after a stop they are still full of
/// the pedalling before it, and any trembling would be taken for more of that.
struct EndedMovement {
    /// What an evaluation of 0.4 s leaves, as the lag products forget pedalling: exp(−0.4 s / 4 s).
    private static let fading: Float = 0.904_837

    /// The share of a memory full of steady movement that is from before the last stop, and that is from after it.
    private var before: Float = 0
    private var since: Float = 0

    /// The share of what is remembered that is from before the last stop: so much of a similarity it may feign.
    var share: Float { before > 0 ? before / (before + since) : 0 }

    /// Goes on by an evaluation.
    mutating func learn(_ features: SignalFeatures) {
        before *= Self.fading
        since += (Self.level(features) - since) * (1 - Self.fading)
    }

    /// The movement has ended.
    mutating func end() {
        before = max(before, since)
        since = 0
    }

    /// How much the movement of now adds to what is remembered, beside a strong one: by the sensor that hears least of
    /// it.
    private static func level(_ features: SignalFeatures) -> Float {
        var level: Float = 1
        if features.sensors.contains(.acceleration) {
            level = min(level, share(features.shortVectorDeviation, over: LevelControl.accelerationFloor))
        }
        if features.sensors.contains(.angularVelocity) {
            level = min(level, share(features.shortTurningDeviation, over: LevelControl.turningFloor))
        }
        return level
    }

    /// A movement as strong as the floor counts half in what is remembered.
    private static func share(_ deviation: Float, over floor: Float) -> Float {
        let square = deviation * deviation
        return square / (square + floor * floor)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&before)
        coder.code(&since)
    }
}
