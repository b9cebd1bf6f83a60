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
        let entries = results.compactMap { result -> ClassRider? in
            // A bike that moved in the same minute, before the class or after it, has not ridden.
            let isSure = result.person != nil || record.devices != nil || result.score.revolutions > 0
            guard ended == nil || isSure else { return nil }
            return result.name.map { name in
                ClassRider {
                    ($0.device, $0.name, $0.team) = (result.device, name, result.team)
                    $0.figures = ClassFigures(of: [result.score])
                }
            }
        }
        riders = Array(
            ranked(entries, \.name, \.figures, \.rank).prefix(ClassLimits.maximumRiders))
        // "Red" and "red" are one team. Who never turned a crank does not pull it down.
        let members = results.filter { $0.name != nil && $0.team != nil && $0.score.revolutions > 0 }
        let groups = Dictionary(grouping: members) { PersonName.folded($0.team ?? "") }.values.map { members in
            ClassTeam {
                ($0.team, $0.riders) = (members.compactMap(\.team).min() ?? "", members.count)
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
    /// The averages of scores.
    fileprivate init(of scores: [ClassScore]) {
        func mean(_ value: (ClassScore) -> Int64) -> Double {
            scores.reduce(0) { $0 + Double(value($1)) } / Double(max(1, scores.count))
        }
        self.init()
        timeInTargetSeconds = mean(\.timeInTargetSeconds)
        if scores.contains(where: { $0.distanceMillimetres > 0 || $0.revolutions == 0 }) {
            distanceMetres = mean(\.distanceMillimetres) / 1000
        }
        if scores.contains(where: { $0.workJoules != nil }) { workKilojoules = mean { $0.workJoules ?? 0 } / 1000 }
    }
}
