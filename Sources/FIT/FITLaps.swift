import Wire

extension FITActivity {
    /// The laps: one for each step of the class, and for the time before and after them; without steps one for the whole.
    var laps: [FITActivity] {
        let edges = Set(steps.flatMap { [$0.lowerBound, $0.upperBound] }).filter { start < $0 && $0 < end }.sorted()
        guard !edges.isEmpty else { return [self] }
        let records = records
        return zip([start] + edges, edges + [end]).map { first, last in
            var lap = self
            (lap.start, lap.end) = (first, last)
            lap.pauses = pauses.map { $0.clamped(to: first..<last) }
            lap.set(records.filter { (first..<last).contains($0.time) })
            return lap
        }
    }

    /// Takes its figures from its records.
    private mutating func set(_ records: [Record]) {
        func sum(_ number: (Record) -> Int?) -> RateSum {
            records.lazy.compactMap(number).map(Double.init).reduce(into: RateSum()) {
                $0 += RateSum(integral: $1, seconds: 1, minimum: $1, maximum: $1)
            }
        }
        let cadence = sum { ($0.cadence ?? 0) > 0 ? $0.cadence : nil }
        let figures = cadence.mean.map {
            CadenceFigures(average: $0, minimum: cadence.minimum, maximum: cadence.maximum)
        }
        let speeds = records.compactMap(\.speedMetresPerSecond)
        let kind = workout.kind
        workout = Workout {
            ($0.kind, $0.movingSeconds, $0.heart, $0.power) = (
                kind, Double(records.count), ReadingFigures(sum(\.bpm)), ReadingFigures(sum(\.watts))
            )
            if kind == .ride { $0.rpm = figures } else { $0.spm = figures }
            guard let fastest = speeds.max() else { return }
            let metres = speeds.reduce(0, +)
            ($0.distanceMetres, $0.speedMaximumMetresPerSecond) = (metres, fastest)
            $0.speedAverageMetresPerSecond = metres / Double(speeds.count)
        }
    }
}
