/// How much a bike moves while someone pedals: what moves far less is likelier something else that turns, such as a
/// flywheel that runs on.
struct PedallingMovement {
    /// By what share the typical movement follows that of now while someone pedals, and by which it falls at rest, an
    /// evaluation: to half within half a minute.
    private static let following: Float = 0.03
    private static let forgetting: Float = 0.01
    /// A movement less than this share of the typical one is doubted, with so much of a logarithm of odds.
    private static let fallenShare: Float = 0.3
    private static let fallenDoubt: Float = 6

    /// m/s², rad/s or µT; 0 before anyone has pedalled.
    private var typical: Float = 0

    mutating func learn(_ now: Float, isPedalling: Bool) {
        if isPedalling {
            typical = typical > 0 ? typical + (now - typical) * Self.following : now
        } else {
            typical *= 1 - Self.forgetting
        }
    }

    /// What speaks against pedalling.
    func doubt(_ now: Float) -> Float {
        now < Self.fallenShare * typical ? Self.fallenDoubt : 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&typical)
    }
}

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

/// The middle of the movement of late: it goes up or down by a small step, so that a gesture moves it little however
/// strong it is, and what is little beside it is a stop.
struct TypicalMovement {
    /// The root mean square that the last moments had as often more as less, m/s² or rad/s; 0 at first.
    private var deviation: Float = 0

    mutating func learn(_ now: Float) {
        let step = RevolutionThresholds.typicalStep
        deviation =
            deviation > 0
            ? max(now > deviation ? deviation * step : deviation / step, RevolutionThresholds.personFloor) : now
    }

    /// Whether the movement of now is next to none.
    func hasStopped(_ now: Float) -> Bool {
        now < deviation * RevolutionThresholds.personStopShare
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&deviation)
    }
}

/// The greatest of the values from one end of a sequence to each of its places, four places at a time.
///
/// Each four values are compared with their neighbours up to three places before, and what is the greatest of four
/// neighbours then with the same of the fours before: a running maximum that waits for single values would wait for all
/// of them.
struct RunningMaximum {
    /// Memory before the first value, seen from the end that is begun at.
    static let margin = 3
    /// Less than anything that is compared.
    static let least = -Float.greatestFiniteMagnitude

    private var greatest = SIMD4<Float>(repeating: least)

    /// The greatest values from the start to each of the next four.
    @inline(__always)
    mutating func rise(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: -1), values.four(at: -2), values.four(at: -3))
    }

    /// The greatest values from the end to each of the four before.
    @inline(__always)
    mutating func fall(to values: UnsafeMutablePointer<Float>) -> SIMD4<Float> {
        take(values.four(at: 0), values.four(at: 1), values.four(at: 2), values.four(at: 3))
    }

    @inline(__always)
    private mutating func take(
        _ own: SIMD4<Float>, _ first: SIMD4<Float>, _ second: SIMD4<Float>, _ third: SIMD4<Float>
    ) -> SIMD4<Float> {
        greatest = greatest.raised(to: own.raised(to: first).raised(to: second.raised(to: third)))
        return greatest
    }
}
