/// Work that a hand does over and over: it has a rhythm, as a walk has, and no steps.
public enum HandWork: Sendable, Hashable, CaseIterable {
    /// Long strokes to and fro, rough with grain, that may knock where they end.
    case saw
    /// Short strokes to and fro over something rough.
    case scrub
    /// Long smooth strokes, slow.
    case iron
    /// Circles with a spoon.
    case stir
    /// The forearm is raised and strikes.
    case hammer
    /// A knife that goes up and down on a board.
    case chop
    /// Both hands lean into dough and turn it.
    case knead
    /// A roller up and down a wall.
    case paint
    /// Hands that applaud, two to five times a second (Z. Néda, E. Ravasz, Y. Brechet, T. Vicsek, A.-L. Barabási, "The
    /// sound of many hands clapping", Nature 403 (2000) 849).
    case clap
    /// A bottle or a cup of dice that is shaken.
    case shake
    /// A hand that waves to somebody.
    case wave
    /// A toothbrush.
    case brush
    /// A dumbbell that is lifted and let down.
    case curl
    /// The handle of a rowing machine, 18 to 36 strokes a minute.
    case row

    /// Strokes to and fro, circles or blows a second: about what people choose for themselves.
    var rateRangeHz: ClosedRange<Double> {
        switch self {
        case .saw: 0.6...1.5
        case .scrub: 1.2...2.8
        case .iron: 0.3...0.7
        case .stir: 0.7...1.8
        case .hammer: 0.7...2
        case .chop: 1.4...3.2
        case .knead: 0.5...1.1
        case .paint: 0.3...0.8
        case .clap: 2...5
        case .shake: 2.5...5.5
        case .wave: 1...2.5
        case .brush: 3...5
        case .curl: 0.25...0.6
        case .row: 0.3...0.6
        }
    }

    /// How far the hand goes to either side, in metres.
    var reachMetres: ClosedRange<Double> {
        switch self {
        case .saw, .iron: 0.08...0.2
        case .scrub: 0.03...0.12
        case .stir: 0.03...0.08
        case .hammer: 0.08...0.2
        case .chop: 0.015...0.05
        case .knead: 0.04...0.12
        case .paint: 0.15...0.4
        case .clap: 0.03...0.12
        case .shake: 0.03...0.12
        case .wave: 0.1...0.25
        case .brush: 0.01...0.03
        case .curl: 0.12...0.25
        case .row: 0.4...0.65
        }
    }

    /// How steep the strokes are: on a bench, on a wall, or down on something.
    var slopeRadians: ClosedRange<Double> {
        switch self {
        case .saw: -0.7...0.7
        case .scrub: -0.3...1.5
        case .iron, .stir: -0.2...0.2
        case .knead: 0.2...1
        case .hammer, .chop: 1...1.6
        case .paint: 1.2...1.57
        case .clap, .wave, .row: -0.2...0.2
        case .shake: -0.5...1.5
        case .brush: -0.6...0.6
        case .curl: 1.2...1.57
        }
    }

    /// How far the forearm turns to either side, in radians.
    var turnRadians: ClosedRange<Double> {
        switch self {
        case .saw, .knead, .paint: 0.1...0.4
        case .scrub, .iron: 0.05...0.25
        case .stir: 0.1...0.4
        case .hammer: 0.3...0.8
        case .chop: 0.1...0.3
        case .clap: 0.05...0.25
        case .shake, .wave: 0.2...0.6
        case .brush: 0.05...0.2
        case .curl: 0.7...1.1
        case .row: 0.1...0.4
        }
    }

    /// What the touched thing's grain shakes the wrist by at full speed, m/s².
    var grainRMS: ClosedRange<Double> {
        switch self {
        case .saw: 0.3...2.5
        case .scrub: 0.2...1.5
        case .iron, .stir, .knead, .paint: 0.03...0.4
        case .hammer, .chop: 0...0.1
        case .clap, .shake, .wave, .curl: 0...0.1
        case .brush, .row: 0.05...0.4
        }
    }

    /// The jump of velocity of a knock that reaches the wrist, in m/s.
    var knockVelocity: ClosedRange<Double> {
        switch self {
        case .saw, .scrub: 0...0.12
        case .iron, .stir, .knead, .paint: 0...0.04
        case .hammer: 0.15...0.8
        case .chop: 0.03...0.2
        case .clap: 0.1...0.5
        case .shake, .wave, .brush, .curl: 0...0.04
        case .row: 0...0.1
        }
    }

    /// How many knocks a turn has at most: some works end both ways.
    var knocksATurn: Int {
        switch self {
        case .saw, .scrub, .shake, .row: 2
        case .iron, .stir, .hammer, .chop, .knead, .paint, .clap, .wave, .brush, .curl: 1
        }
    }

    /// The most by which the hand is flung to and fro, in m/s²: by more than a gravity it is for a moment only.
    var accelerationRange: ClosedRange<Double> {
        switch self {
        case .shake: 8...30
        case .saw, .scrub, .iron, .stir, .hammer, .chop, .knead, .paint, .clap, .wave, .brush, .curl, .row: 3...10
        }
    }
}
