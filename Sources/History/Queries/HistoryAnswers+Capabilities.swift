import Wire

extension HistoryAnswers {
    /// `capabilities`: what is available on a device, and if not why, and which verbs the asker has no key for.
    func capabilities(_ request: HistoryRequest) async throws -> CapabilitiesData {
        let (record, calendar) = try await subject(of: request)
        var data = CapabilitiesData(record)
        data.zone = calendar.zone
        data.unauthorisedVerbs = policy.unauthorisedVerbs(with: request.key)
        return data
    }
}

extension CapabilitiesData {
    /// What can be told of a device, from what the operator says about it and from what was ever counted.
    init(_ record: DeviceRecord) {
        let kind = DeviceKind(rawValue: record.settings.kind) ?? .unknown
        self.init(device: record.device, kind: kind, availabilities: [:])
        let isSeen = record.firstMinute != nil
        availabilities[.steps] = Self.steps(record, kind)
        availabilities[.revolutions] = Self.revolutions(record, kind)
        let isCounted = self[.steps] || self[.revolutions]
        availabilities[.cadence] = isCounted ? .available : .unavailable(Self.neverSeen)
        availabilities[.events] = isCounted ? .available : .unavailable(Self.neverSeen)
        availabilities[.activity] = isSeen ? .available : .unavailable(Self.neverSeen)
        availabilities[.distance] = Self.distance(record, kind, isCounted: isCounted)
        availabilities[.pace] =
            self[.distance] ? .available : .unavailable("there is no pace without a distance")
        availabilities[.floors] = Self.floors(record, kind)
    }

    private static let neverSeen =
        "nothing has come from this device yet; publish frames on its imu, rev, csc, ftms or count topic"

    private static func steps(_ record: DeviceRecord, _ kind: DeviceKind) -> Availability {
        if record.counts.steps > 0 { return .available }
        if kind == .bike { return .unavailable("this is a bike; its crank revolutions are counted") }
        return record.firstMinute == nil ? .unavailable(neverSeen) : .available
    }

    private static func revolutions(_ record: DeviceRecord, _ kind: DeviceKind) -> Availability {
        if record.counts.revolutions > 0 { return .available }
        if kind == .wearable { return .unavailable("this is a wearable; its steps are counted") }
        return record.firstMinute == nil ? .unavailable(neverSeen) : .available
    }

    private static func floors(_ record: DeviceRecord, _ kind: DeviceKind) -> Availability {
        if kind == .bike { return .unavailable("this is a bike; floors are gone on foot") }
        if record.counts.floors != nil { return .available }
        return .unavailable("no pressure of the air has come; publish a barometer's as 'pressure' in the frames")
    }

    private static func distance(_ record: DeviceRecord, _ kind: DeviceKind, isCounted: Bool) -> Availability {
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
