package import Lab

/// In what bikes differ that are drawn at random.
package enum BikeVariety: String, Sendable, CaseIterable {
    /// How strongly the frame shakes, and how much of that once a turn.
    case ratio = "any ratio"
    /// Also how strong each harmonic is from one moment to the next.
    case changing = "changing ratio"
    /// Also how strong the third harmonic is.
    case odd = "strong third"
    /// All of that, and hands that rest on the phone.
    case handled = "all, with hands"
    /// As the first, and one harmonic of any order is half to twice as strong as the strongest other.
    case resonant = "any strong harmonic"
    /// As the first, on a floor that rings a tenth to a half as strongly as a faint bike shakes.
    case floored = "ringing floor"
}

extension BikeMount {
    /// A bike drawn from wider ranges than any spinning bike's: frames that sway once a turn more than they shake twice, on
    /// soft feet or a handlebar, or that hardly move.
    package static func drawn(
        _ variety: BikeVariety, signalToNoise: Double, random: inout RandomSource
    ) -> BikeMount {
        func logarithmic(_ range: ClosedRange<Double>) -> Double {
            exponential(random.uniform(in: naturalLogarithm(range.lowerBound)...naturalLogarithm(range.upperBound)))
        }
        return BikeMount {
            $0.secondToFirstRatio = logarithmic(0.4...10)
            $0.signalRMS = logarithmic(0.1...0.8)
            $0.signalToNoise = signalToNoise
            if variety == .changing || variety == .handled { $0.harmonicWander = 0.3 }
            if variety == .odd || variety == .handled { $0.thirdToFirstRatio = 0.5...2 }
            if variety == .handled { ($0.touchesPerMinute, $0.touchSeconds) = (4, 0.1...0.6) }
            if variety == .resonant {
                let order = 1 + Int(random.uniform(in: 0...5.999))
                $0.resonance = FrameResonance(order: order, share: random.uniform(in: 0.5...2))
            }
            if variety == .floored {
                $0.floor = FloorResonance(
                    frequencyHz: logarithmic(0.8...8), quality: logarithmic(3...20), rms: logarithmic(0.01...0.05))
            }
        }
    }
}
