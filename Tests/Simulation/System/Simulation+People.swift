import Counter
import History
import Wire

/// What people do in the middle of a day.
extension Simulation {
    /// At times somebody asks history something, and somebody sends what nobody reads.
    mutating func ask() async throws {
        if core.random.chance(core.rates.junk) { sendJunk() }
        if hasWorkouts { try await sayOfWorkouts() }
        guard core.random.chance(core.rates.request) else { return }
        try await ask(
            .draw(
                among: senders.map(\.device), nowSeconds: core.nowSeconds, mayForget: core.rates.forgets, &core.random))
    }

    /// Asks history.
    /// - Returns: Whether it has said that it is done.
    @discardableResult
    mutating func ask(_ asked: SimulatedRequest) async throws -> Bool {
        guard let request = try? HistoryRequest(verb: asked.verb, json: Array(asked.json.utf8)), let history else {
            return false
        }
        guard let answer = await history.answer(request) else {
            said.doubt(request.device.map { [$0] } ?? senders.map(\.device))
            noteForgetting(request)
            workouts.doubt(request, nowSeconds: core.nowSeconds)
            return false
        }
        let reply = answer.reply
        if let (device, config) = answer.config { give(config, to: device) }
        guard reply.encodedJSON().count <= HistoryReply.maximumBytes else {
            throw failure("the reply to \(asked) is longer than any may be")
        }
        switch reply {
        case .ok(_, let data): try note(request, data)
        case .error(_, let error) where error.code == .internal: throw failure("\(asked) is answered with \(error)")
        case .error: return false
        }
        return true
    }

    /// Notes what was answered with `ok`.
    private mutating func note(_ request: HistoryRequest, _ data: [UInt8]) throws {
        switch request.verb {
        case .peopleCheckin: said.checkIn(try AssignmentData(json: data))
        case .peopleCheckout: said.checkOut(try AssignmentData(json: data))
        case .peopleForget: if let person = request.person { said.forget(person: person) }
        case .devicesForget: noteForgetting(request)
        case .workoutsStart, .workoutsStop, .workoutsEdit, .classesStart:
            try workouts.note(request, data, nowSeconds: core.nowSeconds)
        default: break
        }
    }

    private mutating func noteForgetting(_ request: HistoryRequest) {
        guard request.verb == .devicesForget, let device = request.device else { return }
        said.doubt([device])
        forgotten[device] = core.now / 60_000_000
    }

    /// A device has another config from now on, or none.
    mutating func give(_ json: [UInt8], to device: DeviceID) {
        // One that cannot be read leaves the one before in force.
        if json.isEmpty { configs[device] = nil }
        if (try? DeviceConfig(json: json)) != nil { configs[device] = json }
        operatorDesk.publish(core.message(.config(device), json))
        operatorDesk.publish(core.message(.settings(device), json))
    }

    /// Bytes without a meaning on a topic of the services, or something for others.
    private mutating func sendJunk() {
        let bytes = (0..<core.random.below(60)).map { _ in UInt8(core.random.below(256)) }
        let partition = Partition.all[core.random.below(Partition.count)]
        let topics: [SimulatedTopic] = [
            .motion, .counts, .resend, .forget(partition), .foreign("zigbee2mqtt/lamp"),
            .foreign("stride//imu"), .foreign("foreign/+/#"), .foreign("owntracks/a/b/step"),
        ]
        let topic = topics[core.random.below(topics.count)]
        guard !Self.means(bytes, on: topic) else { return }
        operatorDesk.publish(core.message(topic, bytes))
    }

    private static func means(_ bytes: [UInt8], on topic: SimulatedTopic) -> Bool {
        bytes.withUnsafeBytes { bytes in
            switch topic {
            case .motion: (try? MotionBatchDecoder(bytes)) != nil
            case .counts: (try? CountsBatch(decoding: bytes)) != nil
            case .resend: (try? CountsResend(decoding: bytes)) != nil
            case .forget: (try? CountsForget(decoding: bytes)) != nil
            default: false
            }
        }
    }
}

// MARK: - The end of a day

extension Simulation {
    /// The person of whom there is most, or anybody.
    private func somebody() async throws -> String {
        for case .person(let name) in try await core.historyStore.subjects() { return name }
        return "Anna"
    }

    /// At the end a person is forgotten, whoever dies meanwhile, and nobody else; perhaps when of some of the minutes there
    /// are only days.
    mutating func forgetPerson(aged: Bool) async throws {
        let person = try await somebody()
        let before = try await sums()
        let owned = try await ownedCounts(of: person)
        if aged {
            core.now += Int64(1 + core.random.below(3)) * 86_400_000_000
            try await compact(before: core.now / 60_000_000 - Int64(core.random.below(2)) * 1_440)
        }
        try await insist(SimulatedRequest(verb: .peopleForget, json: "{\"person\":\"\(person)\"}"))
        let after = try await sums()
        guard after[.person(person)] == nil else { throw failure("of a forgotten person something is left") }
        for (subject, counts) in before where subject != .person(person) {
            let wants = counts - (subject.device.flatMap { owned[$0] } ?? Counts())
            guard wants.isSame(as: after[subject] ?? Counts()) else {
                throw failure(
                    "\(subject) has \(String(describing: after[subject])) when \(person) is forgotten, in truth \(wants)"
                )
            }
        }
        if !aged { try await checkTotals() }
        try await checkSums()
        try await checkRetained()
    }

    /// At the end a device is forgotten, with its config.
    mutating func forgetDevice() async throws {
        let device = senders[Int(seed / 8) % senders.count].device
        let isConfigFirst = core.random.chance(0.5)
        if isConfigFirst { give([], to: device) }
        try await insist(SimulatedRequest(verb: .devicesForget, json: "{\"device\":\"\(device)\"}"))
        if !isConfigFirst { give([], to: device) }
        try await settle()
        guard try await core.historyStore.device(device) == nil else {
            throw failure("history still knows a device that is forgotten, with its config")
        }
        try await checkForgotten(device)
        try await checkSums()
        try await checkRetained()
    }

    /// Asks until it is done, while processes die.
    private mutating func insist(_ request: SimulatedRequest) async throws {
        (core.rates.processCrash, core.rates.storeFailure) = (seed % 4 == 0 ? 0.015 : 0.004, 0.2)
        var isDone = false
        while !isDone {
            try await connectEverything()
            isDone = try await ask(request)
            try await live(steps: 40)
        }
        try await live(steps: 200)
        core.rates.end()
        try await settle()
    }

    /// Days take the place of minutes.
    private func compact(before horizon: Int64) async throws {
        for subject in try await core.historyStore.subjects() {
            while try await core.historyStore.compact(subject, before: horizon) > 0 {}
        }
    }
}
