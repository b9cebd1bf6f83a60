public import Wire

/// Requests to history. Each throws `StrideClientError`. What a device or a person counted is asked of one of the two; a
/// person's minute comes from one of the devices.
extension StrideBus {
    /// The totals of each calendar day, from a date (included) to a date (excluded), by the zone of the device or person.
    public func days(
        device: DeviceID? = nil, person: String? = nil, from: TimePoint? = nil, to: TimePoint? = nil
    ) async throws -> Page<DayTotals> {
        try await askAll(HistoryRequest(verb: .historyDays, device: device, person: person, from: from, to: to))
    }

    /// One record for an interval, `from` included, `to` excluded.
    public func interval(
        device: DeviceID? = nil, person: String? = nil, from: TimePoint, to: TimePoint
    ) async throws -> IntervalData {
        let request = HistoryRequest(verb: .historyInterval, device: device, person: person, from: from, to: to)
        return try await ask(request, for: IntervalData.self)
    }

    /// An interval as a series of any number of buckets.
    public func series(
        device: DeviceID? = nil, person: String? = nil, from: TimePoint, to: TimePoint, bucket: Bucket
    ) async throws -> Page<SeriesBucket> {
        try await askAll(
            HistoryRequest(
                verb: .historySeries, device: device, person: person, from: from, to: to, bucket: bucket))
    }

    /// The wearer's activities in an interval, in order.
    public func activities(
        device: DeviceID? = nil, person: String? = nil, from: TimePoint, to: TimePoint
    ) async throws -> [ActivitySegment] {
        let request = HistoryRequest(verb: .historyActivity, device: device, person: person, from: from, to: to)
        return try await askAll(request).rows
    }

    /// The rides, walks and runs that begin in an interval, in order; those of a device whoever had it.
    public func workouts(
        device: DeviceID? = nil, person: String? = nil, from: TimePoint? = nil, to: TimePoint? = nil
    ) async throws -> [Workout] {
        let request = HistoryRequest(verb: .historyWorkouts, device: device, person: person, from: from, to: to)
        return try await askAll(request).rows
    }

    /// A workout with all its seconds.
    public func workout(_ id: String) async throws -> WorkoutData {
        var request = HistoryRequest(verb: .historyWorkout, limit: PayloadLimits.rowsAPage)
        request.workout = id
        var whole = try await ask(request, for: WorkoutData.self)
        while let cursor = whole.cursor, cursor != request.cursor {
            request.cursor = cursor
            let page = try await ask(request, for: WorkoutData.self)
            whole.cadence = (whole.cadence ?? []) + (page.cadence ?? [])
            whole.watts = (whole.watts ?? []) + (page.watts ?? [])
            whole.bpm = (whole.bpm ?? []) + (page.bpm ?? [])
            whole.cursor = page.cursor
        }
        return whole
    }

    /// Says that a workout of a person begins, now or at a time in seconds since 1970.
    public func startWorkout(person: String, at t: Double? = nil) async throws {
        _ = try await mark(HistoryRequest(verb: .workoutsStart, person: person), at: t)
    }

    /// Says that a workout of a person ends, now or at a time in seconds since 1970.
    /// - Returns: The workout, if there was one.
    @discardableResult
    public func stopWorkout(person: String, at t: Double? = nil) async throws -> Workout? {
        try await mark(HistoryRequest(verb: .workoutsStop, person: person), at: t).workout
    }

    /// Sets an edge of a workout, of whatever the request names.
    package func mark(_ request: HistoryRequest, at t: Double?) async throws -> WorkoutData {
        var request = request
        request.t = t
        return try await ask(request, for: WorkoutData.self)
    }

    /// Names a workout, or says what it is after all; what is nil stays. An empty title takes the title away.
    @discardableResult
    public func edit(
        workout id: String, title: String? = nil, kind: WorkoutKind? = nil, joined: Bool? = nil, cutAt t: Double? = nil,
        deleted: Bool? = nil
    ) async throws -> Workout? {
        var request = HistoryRequest(verb: .workoutsEdit)
        (request.workout, request.title, request.workoutKind) = (id, title, kind)
        (request.isJoined, request.cutT, request.isDeleted) = (joined, t, deleted)
        return try await ask(request, for: WorkoutData.self).workout
    }

    /// The people who have or had a device.
    public func people() async throws -> [PersonEntry] {
        try await askAll(HistoryRequest(verb: .people)).rows
    }

    /// Assigns a device to a person, from now on or for an interval.
    @discardableResult
    public func checkIn(
        _ person: String, on device: DeviceID, from: TimePoint? = nil, to: TimePoint? = nil, team: String? = nil
    ) async throws -> AssignmentData {
        var request = HistoryRequest(verb: .peopleCheckin, device: device, person: person, from: from, to: to)
        request.team = team
        return try await ask(request, for: AssignmentData.self)
    }

    /// Ends the assignment of a device, now or at a given time.
    @discardableResult
    public func checkOut(of device: DeviceID, at to: TimePoint? = nil) async throws -> AssignmentData {
        try await ask(HistoryRequest(verb: .peopleCheckout, device: device, to: to), for: AssignmentData.self)
    }

    /// Says under which name the wall shows a person, where an empty one takes the person off it, and what the person
    /// wants to reach, where 0 takes a goal away; what is nil stays.
    @discardableResult
    public func configure(
        person: String, alias: String? = nil, goals: Goals = Goals()
    ) async throws -> ShownPersonData {
        var request = HistoryRequest(verb: .peopleConfigure, person: person)
        (request.alias, request.goals) = (alias, goals)
        return try await ask(request, for: ShownPersonData.self)
    }

    /// Deletes what was counted of a person: the person's totals, assignments, and the counts of the devices during these
    /// assignments. Nobody else's totals change.
    @discardableResult
    public func forget(person: String) async throws -> ForgetData {
        try await ask(HistoryRequest(verb: .peopleForget, person: person), for: ForgetData.self)
    }

    /// Deletes everything that history stores about a device.
    @discardableResult
    public func forget(device: DeviceID) async throws -> ForgetData {
        try await ask(HistoryRequest(verb: .devicesForget, device: device), for: ForgetData.self)
    }

    /// Replaces the config of a device. History checks it, and the broker retains it.
    ///
    /// - Returns: The config as it is retained.
    /// - Throws: `StrideClientError.refused` with the invalid field and its valid values.
    @discardableResult
    public func configure(_ device: DeviceID, as config: DeviceConfig) async throws -> DeviceConfig {
        let json = config.encodedJSON().withUnsafeBytes { try? JSONValue(parsing: $0) }
        return try await configure(device, fields: json?.object ?? JSONObject(), keepsUnknownFields: false)
    }

    /// Replaces the config of a device by raw fields. Unknown ones are kept if `keepsUnknownFields` is true.
    @discardableResult
    package func configure(
        _ device: DeviceID, fields: JSONObject, keepsUnknownFields: Bool
    ) async throws -> DeviceConfig {
        var request = HistoryRequest(verb: .devicesConfigure, device: device)
        (request.config, request.keepsUnknownFields) = (fields, keepsUnknownFields)
        return try await ask(request, for: DeviceConfig.self)
    }

    /// The devices that history has data of.
    public func devices() async throws -> [DeviceEntry] {
        try await askAll(HistoryRequest(verb: .devices)).rows
    }

    /// The capabilities of a device, with a reason for each that it lacks.
    package func capabilities(device: DeviceID) async throws -> CapabilitiesData {
        try await ask(HistoryRequest(verb: .capabilities, device: device), for: CapabilitiesData.self)
    }

    func ask<Data: JSONPayload>(_ request: HistoryRequest, for: Data.Type) async throws -> Data {
        let data = try await ask(request)
        do { return try Data(json: data) } catch { throw StrideClientError.unreadableReply(error) }
    }

    /// An answer of any size as a whole: all its pages, joined.
    package func askAll<Row: PageRow>(_ request: HistoryRequest) async throws -> Page<Row> {
        var request = request
        request.limit = request.limit ?? PayloadLimits.rowsAPage
        var whole = try await ask(request, for: Page<Row>.self)
        while let cursor = whole.cursor {
            // A page whose cursor leads to itself would repeat without end.
            guard cursor != request.cursor else { throw StrideClientError.unreadableReply(.outOfRange) }
            request.cursor = cursor
            let page = try await ask(request, for: Page<Row>.self)
            whole.rows += page.rows
            whole.cursor = page.cursor
        }
        return whole
    }
}
