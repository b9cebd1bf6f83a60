import ServiceKit
import Wire

extension HistoryAnswers {
    /// `devices`: those with data, by their ids, in pages of `limit`.
    func devices(_ request: HistoryRequest) async throws -> Page<DeviceEntry> {
        let limit = Self.limit(of: request)
        let last = try Self.last(request.cursor)
        var entries: [DeviceEntry]
        let page: [DeviceID]
        if asker.scope(of: .devices) == .own {
            let own = try await ownDevices().filter { entry in last.map { $0 < entry.device } ?? true }
            entries = Array(own.prefix(limit))
            page = entries.map(\.device)
        } else {
            let records = try await store.devices(after: last, limit: limit, areCounted: true)
            page = records.compactMap(\.device)
            entries = records.compactMap { DeviceEntry($0, defaultZone: defaultZone) }
        }
        for index in entries.indices { entries[index].name = deviceNames[entries[index].device] }
        return Page<DeviceEntry> { data in
            data.rows = entries
            if page.count == limit { data.cursor = page.last?.description }
        }
    }

    /// `devices/configure`: the config that a device is to have, if all of it is understood. A misspelt field would be
    /// passed over by every reader of the config, so it is refused unless the request has `keep_unknown`.
    func configureDevice(_ request: HistoryRequest) async throws -> HistoryAnswer {
        let device = try Self.device(of: request)
        guard let named = request.config else {
            throw ReplyError(
                code: .badRequest, message: "'config' is missing; give an object such as {\"kind\":\"bike\"}")
        }
        if let problem = DeviceConfig.problem(in: named, allowsUnknown: request.keepsUnknownFields) {
            throw ReplyError(code: .badRequest, message: "in 'config' \(problem)")
        }
        let object = request.mergesConfig ? try await merged(named, of: device) : named
        do throws(WireError) {
            let config = try DeviceConfig(value: .object(object))
            if let zone = config.zone, TimeZoneName.zone(zone) == nil { throw WireError.outOfRange }
            let keepsAll = request.keepsUnknownFields || request.mergesConfig
            let json = keepsAll ? object.encodedJSON() : config.encodedJSON()
            var answer = HistoryAnswer(.ok(transaction: request.transaction, data: json))
            answer.config = (device, json)
            return answer
        } catch {
            throw ReplyError(
                code: .badRequest,
                message: "in 'config' 'zone' is not known: give the IANA name of a time zone, such as Europe/Berlin")
        }
    }

    /// The retained config of a device with some fields changed, and without those that are null.
    private func merged(_ changes: JSONObject, of device: DeviceID) async throws -> JSONObject {
        let present = deviceConfig.flatMap { json in json.withUnsafeBytes { try? JSONValue(parsing: $0) } }?.object
        // A cluster's broker may say a retained config to nobody who asks for all, so it may be there unheard.
        if present == nil, let known = try await store.device(device), known.settings != DeviceSettings() {
            throw ReplyError(
                code: .notAvailable,
                message: "history has not heard the config of \(device) since it started, so the other fields would be "
                    + "lost: give it whole, with 'stridebus device set \(device)'")
        }
        var object = JSONObject()
        for member in present?.members ?? [] where changes.members.allSatisfy({ $0.name != member.name }) {
            try object.append(member.name, member.value)
        }
        for member in changes.members where member.value != .null { try object.append(member.name, member.value) }
        return object
    }

    /// `devices/forget`: everything that was ever kept about a device is erased. What it measures from the present
    /// minute on is kept again.
    func eraseDevice(_ request: HistoryRequest, nowMinute: Int64) async throws -> HistoryAnswer {
        let device = try Self.device(of: request)
        let isKnown = try await store.device(device) != nil
        let whole = Erasure(device: device, minutes: 0..<max(0, nowMinute), isWhole: true)
        let erased = await carryOut(try await store.begin([whole]))
        let data = ForgetData { ($0.devices, $0.minutes) = (isKnown ? 1 : 0, UInt64(clamping: erased.minutes)) }
        var answer = HistoryAnswer(request.reply(data), changed: erased.changed)
        answer.hasErasures = true
        return answer
    }

    /// Carries out erasures that are noted, as far as the store lets it: what is left then goes on by itself.
    /// - Returns: How many minutes and days are gone, and whose totals are others.
    func carryOut(_ erasures: [Erasure]) async -> (minutes: Int, changed: Set<Subject>) {
        var (minutes, changed) = (0, Set<Subject>())
        do {
            for erasure in erasures { minutes += try await store.carryOut(erasure, changed: &changed) }
        } catch {
            noteStoreError(error)
        }
        return (minutes, changed)
    }

    private static func last(_ cursor: String?) throws(ReplyError) -> DeviceID? {
        guard let cursor else { return nil }
        do { return try DeviceID(cursor) } catch { throw .wrongCursor }
    }
}

extension HistoryAnswers {
    /// `capabilities`: what is available on a device, and if not why, and which verbs are not answered to the asker. A
    /// member may ask about a device that is or was checked in to the own person.
    func capabilities(_ request: HistoryRequest, nowMinute: Int64) async throws -> CapabilitiesData {
        let device = try Self.device(of: request)
        let record = try await store.device(device) ?? SubjectRecord(.device(device))
        let calendar = try calendar(request, of: record.settings)
        try await permitDescription(of: record, nowMinute: nowMinute)
        var data = CapabilitiesData(record, health: deviceHealth)
        data.zone = calendar.zone
        data.unauthorisedVerbs = RequestVerb.allCases.filter { asker.scope(of: $0) == nil }
        return data
    }
}

extension CapabilitiesData {
    /// The quantities that are available on a device, by the operator's settings, all counts so far, and its health.
    init(_ record: SubjectRecord, health: DeviceHealth? = nil) {
        let kind = DeviceKind(rawValue: record.settings.kind) ?? .unknown
        self.init()
        (device, self.kind) = (record.device ?? device, kind)
        let lacks = Lacks(health)
        note = health?.note
        availabilities[.steps] = Self.counted(
            record.counts.steps, of: record, lacks.steps,
            unless: kind == .bike ? "this is a bike; its crank revolutions are counted" : nil)
        availabilities[.revolutions] = Self.counted(
            record.counts.revolutions, of: record, lacks.revolutions,
            unless: kind == .wearable ? "this is a wearable; its steps are counted" : nil)
        let isCounted = self[.steps] || self[.revolutions]
        let uncounted = lacks.steps ?? lacks.revolutions ?? Self.unmoved(record) ?? Self.neverSeen
        let live: Availability =
            lacks.live.map { .unavailable($0) } ?? (isCounted ? .available : .unavailable(uncounted))
        availabilities[.cadence] = live
        availabilities[.events] = live
        let unseen = lacks.live ?? Self.unmoved(record)
        availabilities[.activity] = unseen.map { .unavailable($0) } ?? .available
        availabilities[.distance] = Self.distance(record, kind, isCounted: isCounted)
        availabilities[.pace] =
            self[.distance] ? .available : .unavailable("there is no pace without a distance")
        availabilities[.floors] = Self.floors(record, kind)
    }

    /// Why something cannot be counted from the messages that a device sends now; `nil` where nothing stands against
    /// it.
    private struct Lacks {
        /// The slowest rate at which steps and crank revolutions are counted, in samples a second, as Motion has it.
        static let slowestStepsHz = 9.0
        static let slowestRevolutionsHz = 8.0

        var steps: String?
        var revolutions: String?
        /// Against the live topics: cadence, pauses and activity.
        var live: String?

        init(_ health: DeviceHealth?) {
            guard let health else { return }
            let sensors = health.sensors ?? []
            guard sensors.contains(where: { $0 != "pressure" }) else {
                countsItself(health.selfCounted)
                return
            }
            let rate = health.rateHz ?? .infinity
            let words = "samples come at \(rate) a second; send at least 10, better 25 or more"
            if health.selfCounted != .steps {
                if rate < Self.slowestStepsHz { steps = words }
                if !sensors.contains("acc") { steps = "no acceleration comes, and steps are counted by it" }
            }
            if health.selfCounted != .revolutions, health.selfCounted != .cadence, rate < Self.slowestRevolutionsHz {
                revolutions = words
            }
            if health.selfCounted == nil, steps != nil, revolutions != nil { live = words }
        }

        private mutating func countsItself(_ what: SelfCounted?) {
            switch what {
            case .steps:
                revolutions = "the device counts steps; for revolutions publish on its rev or csc topic"
                live = "the device says its steps now and then; publish frames on imu to see each as it is taken"
            case .revolutions, .cadence:
                steps = "the device counts crank revolutions; for steps publish frames on imu, or counts on count"
            case nil: break
            }
        }
    }

    private static let neverSeen =
        "nothing has come from this device yet; publish frames on its imu, rev, csc, ftms, hr or count topic"

    private static func counted(
        _ count: Int64, of record: SubjectRecord, _ lack: String?, unless other: String?
    ) -> Availability {
        if let lack { return .unavailable(lack) }
        if count > 0 { return .available }
        return (other ?? unmoved(record)).map { .unavailable($0) } ?? .available
    }

    /// Why nothing tells of movement; nil where something does.
    private static func unmoved(_ record: SubjectRecord) -> String? {
        guard record.firstMinute != nil else { return neverSeen }
        let counts = record.counts
        return counts.coveredMilliseconds == 0 && counts.steps == 0 && counts.revolutions == 0
            ? "only a heart rate or power has come from this device; a bike or a watch beside it counts movement" : nil
    }

    private static func floors(_ record: SubjectRecord, _ kind: DeviceKind) -> Availability {
        if kind == .bike { return .unavailable("this is a bike; floors are gone on foot") }
        if record.counts.floors != nil { return .available }
        return .unavailable("no pressure of the air has come; publish a barometer's as 'pressure' in the frames")
    }

    private static func distance(_ record: SubjectRecord, _ kind: DeviceKind, isCounted: Bool) -> Availability {
        let settings = record.settings
        let isKnown = kind == .bike ? settings.knowsRevolutionLength : settings.knowsStepLength
        let isKnownAnyway = kind == .unknown && settings.knowsRevolutionLength
        if record.counts.distanceMillimetres > 0 { return .available }
        guard isKnown || isKnownAnyway else {
            let field = kind == .bike ? "metres_per_revolution" : "metres_per_stride or height_m"
            return .unavailable("no length to multiply by; publish \(field) in the device's config")
        }
        return isCounted ? .available : .unavailable(neverSeen)
    }
}
