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

    /// The shortest part for which somebody is a rider beside others of the same device, in seconds: who gets off when it
    /// begins is none.
    private static let minimumSeconds = 60

    /// Who has a device in a class, by its owners in order. Who checks in after it has begun has ridden from the beginning,
    /// and what is nobody's between two people is the later one's.
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
        let shown = Array(results.filter { $0.name != nil }.sorted(by: isBefore).prefix(ClassLimits.maximumRiders))
        let ranks = Self.ranks(shown.map { Double($0.score.value(ranking)) })
        riders = zip(shown, ranks).map { ClassRider($0, rank: $1) }
        teams = Self.teams(of: shown, ranking)
    }

    private func isBefore(_ one: ClassResult, _ other: ClassResult) -> Bool {
        let (value, otherValue) = (one.score.value(ranking), other.score.value(ranking))
        guard value == otherValue else { return value > otherValue }
        return (one.name ?? "", one.seconds.lowerBound) < (other.name ?? "", other.seconds.lowerBound)
    }

    /// The rank of each of some values, which come from the greatest on; equal ones share one.
    static func ranks(_ values: [Double]) -> [Int] {
        var ranks: [Int] = []
        for (index, value) in values.enumerated() {
            ranks.append(index > 0 && values[index - 1] == value ? ranks[index - 1] : index + 1)
        }
        return ranks
    }

    /// The teams by the averages of their riders. Who never turned a crank does not pull a team down.
    private static func teams(of results: [ClassResult], _ ranking: ClassRanking) -> [ClassTeam] {
        let members = results.filter { $0.team != nil && $0.score.revolutions > 0 }
        // "Red" and "red" are one team.
        let teams = Dictionary(grouping: members) { PersonName.folded($0.team ?? "") }.values
            .map { (team: ClassTeam(of: $0), value: ClassTeam.mean(of: $0) { $0.value(ranking) }) }
            .sorted { $0.value == $1.value ? $0.team.team < $1.team.team : $0.value > $1.value }
        return zip(teams, ranks(teams.map(\.value))).map { entry, rank in
            var team = entry.team
            team.rank = rank
            return team
        }
    }
}

extension ClassTeam {
    /// The averages of riders.
    fileprivate init(of members: [ClassResult]) {
        self.init()
        team = members.compactMap(\.team).min() ?? ""
        riders = members.count
        timeInTargetSeconds = Self.mean(of: members, \.timeInTargetSeconds)
        if members.contains(where: { $0.score.distanceMillimetres > 0 }) {
            distanceMetres = Self.mean(of: members, \.distanceMillimetres) / 1000
        }
        if members.contains(where: { $0.score.workJoules != nil }) {
            workKilojoules = Self.mean(of: members) { $0.workJoules ?? 0 } / 1000
        }
    }

    fileprivate static func mean(of members: [ClassResult], _ value: (ClassScore) -> Int64) -> Double {
        members.reduce(0) { $0 + Double(value($1.score)) } / Double(max(1, members.count))
    }
}

extension ClassRider {
    fileprivate init(_ result: ClassResult, rank: Int) {
        let score = result.score
        self.init()
        (device, name, team) = (result.device, result.name ?? "", result.team)
        (self.rank, timeInTargetSeconds) = (rank, Int(clamping: score.timeInTargetSeconds))
        if score.distanceMillimetres > 0 || score.revolutions == 0 {
            distanceMetres = Double(score.distanceMillimetres) / 1000
        }
        workKilojoules = score.workJoules.map { Double($0) / 1000 }
    }
}
