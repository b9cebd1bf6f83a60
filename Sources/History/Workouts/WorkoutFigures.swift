package import Wire

/// What was counted in a workout. Of a minute that is not all of the workout's it is the part that its seconds had, so that
/// the parts of a minute are the minute.
package struct WorkoutFigures: Sendable, Equatable {
    package var sum = CountSum()
    package var kind = WorkoutKind.ride
    /// The highest speed of a minute, or that of the highest cadence, in metres a second.
    package var speedMaximum: Double?

    /// - Parameters:
    ///   - span: The workout.
    ///   - minutes: Its minutes with data, in order, and those beside them.
    package init(_ span: WorkoutSpan, _ minutes: [TracedMinute]) {
        for (index, minute) in minutes.enumerated() where minute.seconds.overlaps(span.seconds) {
            let part = Self.part(span.seconds.clamped(to: minute.seconds), of: minutes, at: index)
            sum += part
            if let pace = part.paceSecondsPerMetre, pace > 0,
                part.counts.activeMilliseconds >= Self.surePaceMilliseconds
            {
                speedMaximum = max(speedMaximum ?? 0, 1 / pace)
            }
        }
        let counts = sum.counts
        if span.isOfCrank {
            // A turn has one length.
            if counts.distanceMillimetres > 0, counts.revolutions > 0, sum.crank.maximum > 0 {
                let metresATurn = Double(counts.distanceMillimetres) / 1000 / Double(counts.revolutions)
                speedMaximum = sum.crank.maximum / 60 * metresATurn
            }
        } else {
            kind = counts[.running] > counts[.walking] ? .run : .walk
        }
        kind = span.kind ?? kind
    }

    /// A minute with less movement than this has no speed of its own.
    static let surePaceMilliseconds: Int64 = 30_000

    /// The part of a minute.
    private static func part(_ seconds: Range<Int64>, of minutes: [TracedMinute], at index: Int) -> CountSum {
        let minute = minutes[index]
        guard seconds != minute.seconds else { return minute.sum }
        let trace = minute.trace
        let weights = weights(of: minutes, at: index)
        let places =
            Int(seconds.lowerBound - minute.seconds.lowerBound)..<Int(seconds.upperBound - minute.seconds.lowerBound)
        let whole = weights.reduce(0, +)
        let before = weights[..<places.lowerBound].reduce(0, +) / whole
        let upTo = weights[..<places.upperBound].reduce(0, +) / whole
        func part(_ number: Int64) -> Int64 {
            Int64((Double(number) * upTo).rounded()) - Int64((Double(number) * before).rounded())
        }
        func part(_ sum: RateSum, _ channel: Trace.Channel) -> RateSum {
            if let trace, trace.knows(channel) { return trace.sum(channel, in: places) }
            guard upTo > before else { return RateSum() }
            var part = sum
            part.seconds =
                Int64((Double(sum.seconds) * upTo).rounded()) - Int64((Double(sum.seconds) * before).rounded())
            part.integral = sum.seconds > 0 ? sum.integral * Double(part.seconds) / Double(sum.seconds) : 0
            return part.seconds > 0 ? part : RateSum()
        }
        var sum = CountSum()
        for amount in Amount.ofMinutes where minute.sum.counts.known(amount) != nil {
            sum.counts[amount] = part(minute.sum.counts[amount])
        }
        sum.unmeasuredMilliseconds = sum.counts.unmeasuredMilliseconds
        if minute.sum.counts.revolutions > minute.sum.counts.steps {
            sum.crank = part(minute.sum.crank, .cadence)
        } else {
            sum.step = part(minute.sum.step, .cadence)
        }
        (sum.heart, sum.power) = (part(minute.sum.heart, .heart), part(minute.sum.power, .power))
        return sum
    }

    /// How much of a minute's movement each of its seconds has; each the same where there was none.
    private static func weights(of minutes: [TracedMinute], at index: Int) -> [Double] {
        let minute = minutes[index]
        if let trace = minute.trace {
            let cadences = (0..<Trace.seconds).map { Double(trace[.cadence, $0] ?? 0) }
            if cadences.contains(where: { $0 > 0 }) { return cadences }
        }
        let moving = minutes.compactMap { MovingMinute($0) }
        guard let place = moving.firstIndex(where: { $0.minute == minute.minute }) else {
            return minute.seconds.map { _ in 1 }
        }
        let ranges = RangeSet(MovingMinute.ranges(of: moving, at: place))
        return minute.seconds.map { ranges.contains($0) ? 1 : 0 }
    }
}

extension Trace {
    /// The sum of some seconds of a channel; of a cadence of those above 0.
    func sum(_ channel: Channel, in places: Range<Int>) -> RateSum {
        var sum = RateSum()
        for place in places {
            guard let number = self[channel, place], number > 0 || channel != .cadence else { continue }
            sum += RateSum(integral: Double(number), seconds: 1, minimum: Double(number), maximum: Double(number))
        }
        return sum
    }
}

extension WorkoutEnergy {
    /// What must be known of a workout's movement for its energy to be told, so that it is not that of a part.
    static let knownShare = 0.8
    static let kilojoulesAKilocalorie = 4.184
    /// Of what a rider burns so much is work at the pedals.
    static let grossEfficiency = 0.24
    /// What a litre of oxygen gives, in kilocalories.
    static let kilocaloriesALitre = 5.0

    /// The energy of a workout: by its watts, else by the heart rate, else by the speed on foot; nil where neither allows it.
    /// - Parameter year: That of the workout.
    init?(_ figures: WorkoutFigures, movingSeconds: Double, _ body: BodyFields, year: Int) {
        let (sum, known) = (figures.sum, movingSeconds * Self.knownShare)
        if sum.power.seconds > 0, Double(sum.power.seconds) >= known {
            let joules = sum.power.integral
            self.init(
                kilocalories: joules / 1000 / Self.kilojoulesAKilocalorie / Self.grossEfficiency, source: .power,
                formula: "work_kj / 4.184 / 0.24 (gross efficiency)")
        } else if let kilograms = body.kilograms, let born = body.born, let sex = body.sex, sex != .unknown,
            let heart = sum.heart.mean, Double(sum.heart.seconds) >= known
        {
            let age = Double(max(0, year - born))
            let man = -55.0969 + 0.6309 * heart + 0.1988 * kilograms + 0.2017 * age
            let woman = -20.4022 + 0.4472 * heart - 0.1263 * kilograms + 0.074 * age
            let kilojoulesAMinute = max(0, sex == .male ? man : woman)
            self.init(
                kilocalories: kilojoulesAMinute / Self.kilojoulesAKilocalorie * movingSeconds / 60, source: .heart,
                formula: sex == .male
                    ? "Keytel 2005, men: (-55.0969 + 0.6309 bpm + 0.1988 kg + 0.2017 age) / 4.184 kcal/min"
                    : "Keytel 2005, women: (-20.4022 + 0.4472 bpm - 0.1263 kg + 0.074 age) / 4.184 kcal/min")
        } else if let kilograms = body.kilograms, figures.kind != .ride, sum.counts.distanceMillimetres > 0,
            sum.unmeasuredMilliseconds * 5 <= sum.counts.activeMilliseconds
        {
            // Minutes times metres a minute are metres.
            let isRun = figures.kind == .run
            let (minutes, metres) = (movingSeconds / 60, Double(sum.counts.distanceMillimetres) / 1000)
            let millilitres = kilograms * (3.5 * minutes + (isRun ? 0.2 : 0.1) * metres)
            self.init(
                kilocalories: millilitres / 1000 * Self.kilocaloriesALitre, source: .speed,
                formula:
                    "ACSM, \(isRun ? "running" : "walking"): (3.5 + \(isRun ? "0.2" : "0.1") m/min) ml/kg/min of oxygen, 5 kcal/l"
            )
        } else {
            return nil
        }
    }
}
