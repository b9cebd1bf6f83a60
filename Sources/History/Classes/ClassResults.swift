import Wire

/// What one rider did in a class, before it is shown under a name.
struct ClassResult: Sendable, Equatable {
    var device: DeviceID
    /// The rider's part of the class, in seconds since 1970.
    var seconds: Range<Int64>
    var person: String?
    var team: String?
    var score = ClassScore()
    /// The name that everybody may see; nil for who is not shown.
    var name: String?

    /// The shortest part of a class that makes a person a rider beside others on the same device, in seconds: the person who
    /// gets off as the class begins is no rider.
    private static let minimumSeconds = 60

    /// The riders of a device in a class, by its owners in order. A rider who checks in after the class has begun has ridden
    /// from its beginning, and time between two riders is the later one's.
    static func all(of device: DeviceID, _ owners: [Assignment], in seconds: Range<Int64>) -> [ClassResult] {
        let parts = owners.map { owner in
            (owner, (owner.minutes.lowerBound * 60..<owner.minutes.upperBound * 60).clamped(to: seconds))
        }
        let hasLong = parts.contains { $0.1.count >= minimumSeconds }
        var results: [ClassResult] = []
        for (owner, part) in parts where part.count >= (hasLong ? minimumSeconds : 1) {
            var start = results.last?.seconds.upperBound ?? seconds.lowerBound
            if let last = results.last, last.person == owner.person { start = results.removeLast().seconds.lowerBound }
            results.append(
                ClassResult(device: device, seconds: start..<part.upperBound, person: owner.person, team: owner.team))
        }
        let last = results.popLast() ?? ClassResult(device: device, seconds: seconds)
        results.append(last)
        results[results.count - 1].seconds = last.seconds.lowerBound..<seconds.upperBound
        return results
    }
}

extension ClassReport {
    /// The class at a time, with its riders in their order.
    init(_ record: ClassRecord, _ results: [ClassResult], nowSeconds: Double) {
        self = record.plan
        (id, t) = ("\(record.id)", nowSeconds)
        if nowSeconds >= Double(record.seconds.upperBound) {
            ended = Double(record.seconds.upperBound)
        } else if let present = record.step(at: Int64(clampingSeconds: nowSeconds)) {
            (step, stepEnd) = (present.index, Double(present.end))
        }
        // "Red" and "red" are one team, of one spelling.
        var shown = results.filter { $0.name != nil }
        let teamNames = Dictionary(
            shown.compactMap(\.team).map { (PersonName.folded($0), $0) }, uniquingKeysWith: { min($0, $1) })
        for index in shown.indices {
            shown[index].team = shown[index].team.flatMap { teamNames[PersonName.folded($0)] }
        }
        let entries = shown.compactMap { result -> ClassRider? in
            // A bike that moved in the same minute, before the class or after it, has not ridden.
            let isSure = result.person != nil || record.devices != nil || result.score.revolutions > 0
            guard ended == nil || isSure, let name = result.name else { return nil }
            return ClassRider {
                ($0.device, $0.name, $0.team) = (result.device, name, result.team)
                $0.figures = ClassFigures(of: [result.score])
            }
        }
        riders = Array(
            ranked(entries, \.name, \.figures, \.rank).prefix(ClassLimits.maximumRiders))
        // Who never turned a crank does not pull the team down.
        let members = shown.filter { $0.team != nil && $0.score.revolutions > 0 }
        let groups = Dictionary(grouping: members) { $0.team ?? "" }.map { team, members in
            ClassTeam {
                ($0.team, $0.riders) = (team, members.count)
                $0.figures = ClassFigures(of: members.map(\.score))
            }
        }
        teams = ranked(groups, \.team, \.figures, \.rank)
    }

    /// Those who did most first, and by their names where they did the same, which share a rank.
    private func ranked<Entry>(
        _ entries: [Entry], _ name: KeyPath<Entry, String>, _ figures: KeyPath<Entry, ClassFigures>,
        _ rank: WritableKeyPath<Entry, Int>
    ) -> [Entry] {
        func value(_ entry: Entry) -> Double { entry[keyPath: figures][ranking] }
        var ranked = entries.enumerated().sorted { one, other in
            let (value, otherValue) = (value(one.element), value(other.element))
            guard value == otherValue else { return value > otherValue }
            return (one.element[keyPath: name], one.offset) < (other.element[keyPath: name], other.offset)
        }.map(\.element)
        for index in ranked.indices {
            let isSame = index > 0 && value(ranked[index]) == value(ranked[index - 1])
            ranked[index][keyPath: rank] = isSame ? ranked[index - 1][keyPath: rank] : index + 1
        }
        return ranked
    }
}

extension ClassFigures {
    /// The averages of scores, each of those that are known: who has no power meter does not pull a team down.
    fileprivate init(of scores: [ClassScore]) {
        func mean(_ values: [Int64]) -> Double? {
            values.isEmpty ? nil : values.reduce(0) { $0 + Double($1) } / Double(values.count)
        }
        self.init()
        timeInTargetSeconds = mean(scores.map(\.timeInTargetSeconds)) ?? 0
        let measured = scores.filter { $0.distanceMillimetres > 0 || $0.revolutions == 0 }
        distanceMetres = mean(measured.map(\.distanceMillimetres)).map { $0 / 1000 }
        workKilojoules = mean(scores.compactMap(\.workJoules)).map { $0 / 1000 }
    }
}
