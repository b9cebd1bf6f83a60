import History
import Wire

/// What history has answered to who marked workouts, named them and began classes, without history.
struct SaidWorkouts {
    /// Where a workout of somebody begins or ends.
    struct Edge: Hashable {
        var subject: Subject
        var second: Int64
        var kind: WorkoutMark.Kind
    }

    /// What a workout was called by its id. Workouts become one by late data, and the last title of those stays.
    struct Title {
        var id: WorkoutID
        var title: String
        var saidSecond: Int64
    }

    /// The edges that stand, and those of which it is not known whether they do.
    private(set) var (edges, doubted): (Set<Edge>, Set<Edge>) = ([], [])
    /// What workouts were called, but of subjects of which an answer was lost or a workout deleted since.
    private(set) var titles: [Title] = []
    /// The beginnings of classes, by their ids.
    private(set) var classes: [String: Double] = [:]
    var count: Int { edges.count + doubted.count + titles.count }

    mutating func mark(_ device: DeviceID, _ second: Int64, _ kind: WorkoutMark.Kind) {
        edges.insert(Edge(subject: .device(device), second: second, kind: kind))
    }

    mutating func note(_ request: HistoryRequest, _ data: [UInt8], nowSeconds: Int64) throws {
        switch request.verb {
        case .classesStart:
            let report = try ClassReport(json: data)
            classes[report.id] = report.start
        case .workoutsEdit:
            let id = try WorkoutData(json: data).workout.flatMap { WorkoutID($0.id) }
            if let id, let title = request.title {
                titles.removeAll { $0.id == id }
                titles.append(Title(id: id, title: title, saidSecond: nowSeconds))
            }
            if request.isDeleted != nil { forgetTitles(request) }
        default:
            let t = try WorkoutData(json: data).t
            if let edge = Self.edge(of: request, t) { edges.insert(edge) }
        }
    }

    /// History died while it answered. Without a time an edge is one of now.
    mutating func doubt(_ request: HistoryRequest, nowSeconds: Int64) {
        if request.verb == .workoutsEdit { forgetTitles(request) }
        if let edge = Self.edge(of: request, request.t ?? Double(nowSeconds)) { doubted.insert(edge) }
    }

    private mutating func forgetTitles(_ request: HistoryRequest) {
        guard let id = request.workout.flatMap({ WorkoutID($0) }) else { return }
        titles.removeAll { $0.id.subject == id.subject }
    }

    /// What was said last of a workout, among those of its subject.
    func title(of index: Int, in workouts: [WorkoutSpan], _ subject: Subject) -> String? {
        titles.filter { $0.id.subject == subject && Workouts.index(of: $0.id.second, in: workouts) == index }
            .max { ($0.saidSecond, $0.id.second) < ($1.saidSecond, $1.id.second) }?.title
    }

    private static func edge(of request: HistoryRequest, _ t: Double?) -> Edge? {
        guard [.workoutsStart, .workoutsStop].contains(request.verb), let t else { return nil }
        let subject = request.device.map { Subject.device($0) } ?? request.person.map { Subject.person($0) }
        return subject.map {
            Edge(subject: $0, second: Int64(t), kind: request.verb == .workoutsStart ? .start : .stop)
        }
    }
}

extension Simulation {
    /// The most that is said of workouts in a run: a day has room for some marks only.
    private static let maximumWords = 60

    /// Whether people mark workouts and ride in classes.
    var hasWorkouts: Bool { seed % 8 == 6 }

    /// Somebody presses a button, marks or edits a workout, or begins or ends a class.
    mutating func sayOfWorkouts() async throws {
        guard core.random.chance(core.rates.request / 4), workouts.count < Self.maximumWords else { return }
        let device = senders[core.random.below(senders.count)].device
        let who = core.random.chance(0.7) ? #""device":"\#(device)""# : #""person":"Anna""#
        let second = core.nowSeconds - Int64(core.random.below(900))
        let isStart = core.random.chance(0.5)
        switch core.random.below(5) {
        case 0:
            // Those of a device of which nothing has come yet are refused.
            guard try await core.historyStore.device(device) != nil else { return }
            operatorDesk.publish(
                core.message(.mark(device), Array(#"{"kind":"\#(isStart ? "start" : "stop")","t":\#(second)}"#.utf8)))
            workouts.mark(device, second, isStart ? .start : .stop)
        case 1:
            try await ask(
                SimulatedRequest(verb: isStart ? .workoutsStart : .workoutsStop, json: #"{\#(who),"t":\#(second)}"#))
        case 2:
            let list = try await listed("{\(who)}", in: core.historyStore)
            guard let id = list.last?.id else { return }
            try await ask(
                SimulatedRequest(verb: .workoutsEdit, json: #"{"id":"\#(id)","title":"Ride \#(core.random.below(9))"}"#)
            )
        case 3:
            let steps = #"[{"length_s":60,"cadence_min_rpm":50},{"length_s":\#(60 + core.random.below(400))}]"#
            try await ask(SimulatedRequest(verb: .classesStart, json: #"{"title":"Hills","steps":\#(steps)}"#))
        default:
            if core.random.chance(0.3) { try await ask(SimulatedRequest(verb: .classesStop, json: "{}")) }
        }
    }

    /// What was said stands, and workouts and classes are those of a history to which nothing happened.
    func checkWorkouts() async throws {
        let store = core.historyStore
        let has = Set(try await store.edges())
        let known = workouts.edges.union(workouts.doubted)
        // What the broker loses, it loses of buttons too.
        guard core.bus.hasLost || workouts.edges.isSubset(of: has), has.isSubset(of: known) else {
            throw failure("history has the edges \(has), said were \(workouts.edges), perhaps \(workouts.doubted)")
        }
        var stores = try await ReferenceCount.stores(of: core.ledger.sorted { $0.key < $1.key }.map(\.value))
        _ = try await stores.minutes()
        try await stores.history.takeWords(of: store)
        for subject in try await store.subjects() {
            let who: String
            switch subject {
            case .device(let device): who = "{\"device\":\"\(device)\"}"
            case .person(let name): who = "{\"person\":\"\(name)\"}"
            }
            let (has, wants) = (try await listed(who, in: store), try await listed(who, in: stores.history))
            guard has.map(\.unnamed) == wants.map(\.unnamed) else {
                throw failure("\(subject) has the workouts \(has), in truth \(wants)")
            }
            let spans = has.map { WorkoutSpan(Int64($0.start)..<Int64($0.end), []) }
            for (index, workout) in has.enumerated() {
                guard let title = workouts.title(of: index, in: spans, subject), workout.title != title else {
                    continue
                }
                throw failure("the workout \(workout.id) is called \(workout.title ?? "nothing"), and was \(title)")
            }
        }
        let (classes, wanted) = (try await classes(in: store), try await classes(in: stores.history))
        guard classes == wanted else { throw failure("the classes are \(classes), in truth \(wanted)") }
        for (id, start) in workouts.classes where classes.first(where: { $0.id == id })?.start != start {
            throw failure("the class \(id) at \(start) is gone")
        }
    }

    private func listed(_ json: String, in store: HistoryStore) async throws -> [Workout] {
        try Page<Workout>(json: try await answer(.historyWorkouts, json, from: store)).rows
    }

    private func classes(in store: HistoryStore) async throws -> [ClassReport] {
        try Page<ClassReport>(json: try await answer(.historyClasses, "{}", from: store)).rows
    }

    /// The answer of a store that nothing happens to.
    private func answer(_ verb: RequestVerb, _ json: String, from store: HistoryStore) async throws -> [UInt8] {
        let request = try HistoryRequest(verb: verb, json: Array(json.utf8))
        let answer = await HistoryAnswers(store: store).answer(request, nowSeconds: Double(core.now) / 1e6)
        guard case .ok(_, let data) = answer.reply else { throw failure("\(verb) \(json) is not answered") }
        return data
    }
}

extension Workout {
    /// Without what it is called: an id is the beginning at which a workout was first told.
    fileprivate var unnamed: Workout {
        var workout = self
        (workout.id, workout.title) = ("", nil)
        return workout
    }
}

extension HistoryStore {
    /// The starts and stops of workouts that are kept.
    fileprivate func edges() async throws -> [SaidWorkouts.Edge] {
        try await database.read(isSnapshot: false) { session in
            try session.query("SELECT is_person, name, second, kind FROM workout_marks").compactMap { row in
                var row = row
                let (isPerson, name) = (try row.bool(), try row.text())
                let (second, kind) = (try row.int(), WorkoutMark.Kind(rawValue: try row.text()))
                guard let subject = isPerson ? .person(name) : (try? DeviceID(name)).map({ Subject.device($0) }),
                    let kind, [.start, .stop].contains(kind)
                else { return nil }
                return SaidWorkouts.Edge(subject: subject, second: second, kind: kind)
            }
        }
    }

    /// Takes over what people have said to another store, and merges what is people's by that.
    fileprivate func takeWords(of other: HistoryStore) async throws {
        for record in try await other.devices(after: nil, limit: .max) {
            guard let device = record.device else { continue }
            _ = try await database.write { session in
                // A bike that has counted nothing is there too: somebody may have checked in.
                try session.change(
                    """
                    INSERT INTO subjects (is_person, name, kind, placement) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (is_person, name) DO UPDATE SET kind = excluded.kind, placement = excluded.placement
                    """,
                    [
                        .bool(false), .text("\(device)"), .text(record.settings.kind),
                        .text(record.settings.placement),
                    ])
            }
        }
        let tables: [(name: String, numbers: [String], texts: [String])] = [
            ("assignments", ["from_minute", "to_minute", "origin"], ["person", "device", "team"]),
            ("workout_marks", ["is_person", "second"], ["name", "kind"]),
            ("workout_notes", ["is_person", "second", "deleted", "said_s", "ended_s"], ["name", "title", "kind"]),
            ("profiles", ["weight_g", "born"], ["person", "alias", "sex"]),
            ("classes", ["id", "start_s", "end_s", "is_settled"], ["plan", "devices"]),
        ]
        for table in tables {
            let columns = (table.numbers + table.texts).joined(separator: ", ")
            let rows = try await other.database.read(isSnapshot: false) { session in
                try session.query("SELECT \(columns) FROM \(table.name)").map { row in
                    var row = row
                    return try table.numbers.map { _ in SQLValue.int(try row.optionalInt()) }
                        + table.texts.map { _ in SQLValue.text(try row.optionalText()) }
                }
            }
            try await database.write { session in
                try session.change("DELETE FROM \(table.name)")
                for row in rows {
                    let places = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                    try session.change("INSERT INTO \(table.name) (\(columns)) VALUES (\(places))", row)
                }
            }
        }
        _ = try await database.write { session in
            try session.change(
                "INSERT INTO due (is_person, name, from_minute, to_minute) SELECT DISTINCT 1, person, 0, 1000000000 FROM assignments"
            )
        }
        _ = try await makeDue(days: .max, nowMinute: 0)
    }
}
