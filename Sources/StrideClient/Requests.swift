import MQTT
import Synchronization
public import Wire

extension StrideBus {
    /// The totals of each calendar day of a device's zone, from a date (included) to a date (not included), however
    /// many there are.
    ///
    /// - Throws: `StrideClientError`.
    public func days(device: DeviceID, from: TimePoint? = nil, to: TimePoint? = nil) async throws -> DaysData {
        try await askAll(HistoryRequest(verb: .historyDays, device: device, from: from, to: to))
    }

    /// One record for an interval, `from` included, `to` not.
    ///
    /// - Throws: `StrideClientError`.
    public func interval(device: DeviceID, from: TimePoint, to: TimePoint) async throws -> IntervalData {
        try await ask(
            HistoryRequest(verb: .historyInterval, device: device, from: from, to: to), for: IntervalData.self)
    }

    /// An interval in buckets, however many there are.
    ///
    /// - Throws: `StrideClientError`.
    public func series(
        device: DeviceID, from: TimePoint, to: TimePoint, bucket: Bucket
    ) async throws -> SeriesData {
        try await askAll(HistoryRequest(verb: .historySeries, device: device, from: from, to: to, bucket: bucket))
    }

    /// The wearer's activities in an interval, in order.
    ///
    /// - Throws: `StrideClientError`.
    public func activities(device: DeviceID, from: TimePoint, to: TimePoint) async throws -> [ActivitySegment] {
        let request = HistoryRequest(verb: .historyActivity, device: device, from: from, to: to)
        return try await askAll(request, as: ActivityData.self).segments
    }

    /// A person's activities in an interval, in order: each minute's by the device that is believed for it.
    ///
    /// - Throws: `StrideClientError`.
    public func activities(person: String, from: TimePoint, to: TimePoint) async throws -> [ActivitySegment] {
        var request = HistoryRequest(verb: .historyActivity, from: from, to: to)
        request.person = person
        return try await askAll(request, as: ActivityData.self).segments
    }

    /// The merged counts of all devices of a person, in buckets, however many there are.
    ///
    /// - Throws: `StrideClientError`.
    public func person(
        _ person: String, from: TimePoint? = nil, to: TimePoint? = nil, bucket: Bucket = .day
    ) async throws -> PersonData {
        var request = HistoryRequest(verb: .people, from: from, to: to, bucket: bucket)
        request.person = person
        return try await askAll(request)
    }

    /// The people who have or had a device.
    ///
    /// - Throws: `StrideClientError`.
    public func people() async throws -> [PersonEntry] {
        try await askAll(HistoryRequest(verb: .people), as: PeopleData.self).people
    }

    /// Makes a device a person's, now and for good or for a stretch of time.
    ///
    /// - Throws: `StrideClientError`.
    @discardableResult
    public func checkIn(
        _ person: String, on device: DeviceID, from: TimePoint? = nil, to: TimePoint? = nil, priority: Int? = nil
    ) async throws -> AssignmentData {
        var request = HistoryRequest(verb: .peopleCheckin, device: device, from: from, to: to)
        request.person = person
        request.priority = priority
        return try await ask(request, for: AssignmentData.self)
    }

    /// Ends the check-in on a device, now or at a time.
    ///
    /// - Throws: `StrideClientError`.
    @discardableResult
    public func checkOut(of device: DeviceID, at to: TimePoint? = nil) async throws -> AssignmentData {
        try await ask(HistoryRequest(verb: .peopleCheckout, device: device, to: to), for: AssignmentData.self)
    }

    /// Deletes what a person's devices counted while they were the person's, and whose they were.
    ///
    /// - Throws: `StrideClientError`.
    @discardableResult
    public func forget(person: String) async throws -> ForgetData {
        var request = HistoryRequest(verb: .peopleForget)
        request.person = person
        return try await ask(request, for: ForgetData.self)
    }

    /// Deletes everything that history has of a device.
    ///
    /// - Throws: `StrideClientError`.
    @discardableResult
    public func forget(device: DeviceID) async throws -> ForgetData {
        try await ask(HistoryRequest(verb: .devicesForget, device: device), for: ForgetData.self)
    }

    /// Gives a device a config in place of the one that it has. History checks it, and the broker keeps it.
    ///
    /// - Returns: The config as it is kept.
    /// - Throws: `StrideClientError`; `refused` names the field that is wrong and what it may be.
    @discardableResult
    public func configure(_ device: DeviceID, as config: DeviceConfig) async throws -> DeviceConfig {
        let json = config.encodedJSON().withUnsafeBytes { try? JSONValue(parsing: $0) }
        return try await configure(device, fields: json?.object ?? JSONObject(), keepsUnknownFields: false)
    }

    /// The same with the fields of the config as they are to be kept, unknown ones among them where that is said.
    @discardableResult
    package func configure(
        _ device: DeviceID, fields: JSONObject, keepsUnknownFields: Bool
    ) async throws -> DeviceConfig {
        var request = HistoryRequest(verb: .devicesConfigure, device: device)
        (request.config, request.keepsUnknownFields) = (fields, keepsUnknownFields)
        return try await ask(request, for: DeviceConfig.self)
    }

    /// The devices that history knows.
    ///
    /// - Throws: `StrideClientError`.
    public func devices() async throws -> [DeviceEntry] {
        try await askAll(HistoryRequest(verb: .devices), as: DevicesData.self).devices
    }

    /// An interval in buckets, page after page, as they are taken.
    public func seriesPages(
        device: DeviceID, from: TimePoint, to: TimePoint, bucket: Bucket
    ) -> AsyncThrowingStream<SeriesData, any Error> {
        pages(of: HistoryRequest(verb: .historySeries, device: device, from: from, to: to, bucket: bucket))
    }

    /// The capabilities of a device, with a reason for each that it lacks.
    ///
    /// - Throws: `StrideClientError`.
    public func capabilities(device: DeviceID) async throws -> CapabilitiesData {
        try await ask(HistoryRequest(verb: .capabilities, device: device), for: CapabilitiesData.self)
    }

    func ask<Data: JSONPayload>(
        _ request: HistoryRequest, path: String? = nil, for: Data.Type
    ) async throws -> Data {
        let data = try await ask(request, path: path ?? replyPath)
        do { return try Data(json: data) } catch { throw StrideClientError.unreadableReply(error) }
    }
}

extension StrideBus {
    /// Answers and notices on a path of this client's own, which is subscribed to from the beginning.
    func replies(on path: String) -> AsyncStream<[UInt8]> {
        listeners.stream(of: [topics.text(.reply(path))]) { _ in }
    }

    /// Messages on channels of a device from now on, in the order in which they come.
    func messages(of device: DeviceID, on channels: DeviceChannel...) -> AsyncStream<[UInt8]> {
        let texts = channels.map { topics.text(.device(device, $0)) }
        let stream = listeners.stream(of: texts) { [consumer] text in
            try? consumer.unsubscribe([text])
        }
        // Each listener subscribes, so that each gets the retained message. The topics are written from checked
        // values, so they are filters.
        try? consumer.subscribe(texts.map { MQTTSubscription($0) })
        return stream
    }

    /// A reply path of this client's own for one lease.
    func newLivePath() -> String {
        "\(replyPath)/live/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Begins or renews a lease whose notices come to a path.
    func startLive(_ request: HistoryRequest, path: String) async throws -> LiveLeaseData {
        if let device = request.device { leases.withLock { $0[path] = device } }
        return try await ask(request, path: path, for: LiveLeaseData.self)
    }

    /// Ends the lease whose notices come to a path.
    func stopLive(device: DeviceID, path: String) async throws {
        _ = try await ask(HistoryRequest(verb: .liveStop, device: device), path: path, for: LiveStopData.self)
        leases.withLock { _ = $0.removeValue(forKey: path) }
    }

    /// Ends the leases that are left, without waiting for answers. History would end them by itself, because they are not
    /// renewed, but only after a while.
    func endLeases() {
        for (path, device) in leases.withLock({ $0 }) {
            let request = HistoryRequest(verb: .liveStop, device: device)
            producer.offer(publication(of: request, path: path, transaction: "end"))
        }
    }
}

/// The data of an answer that may be too long for one message: records, and where the next page begins.
package protocol PagedData: JSONPayload {
    /// The beginning of the next page; nil on the last.
    var cursor: String? { get set }
    /// Adds the records of the next page.
    mutating func appendRecords(of next: Self)
}

extension PagedData {
    mutating func append(_ next: Self) {
        appendRecords(of: next)
        cursor = next.cursor
    }
}

extension DaysData: PagedData {
    package mutating func appendRecords(of next: DaysData) { days += next.days }
}

extension SeriesData: PagedData {
    package mutating func appendRecords(of next: SeriesData) { buckets += next.buckets }
}

extension ActivityData: PagedData {
    package mutating func appendRecords(of next: ActivityData) { segments += next.segments }
}

extension DevicesData: PagedData {
    package mutating func appendRecords(of next: DevicesData) { devices += next.devices }
}

extension PersonData: PagedData {
    package mutating func appendRecords(of next: PersonData) { buckets += next.buckets }
}

extension PeopleData: PagedData {
    package mutating func appendRecords(of next: PeopleData) { people += next.people }
}

extension CompactData: PagedData {
    package mutating func appendRecords(of next: CompactData) { rows += next.rows }
}

/// A position in an answer that is read page by page.
final class Pages<Page: PagedData>: Sendable {
    private let bus: StrideBus
    private let request: Mutex<HistoryRequest?>

    /// Pages as large as they come, unless the request says how large.
    init(bus: StrideBus, request: HistoryRequest) {
        self.bus = bus
        var request = request
        request.limit = request.limit ?? PayloadLimits.maximumRecords
        self.request = Mutex(request)
    }

    /// The next page; nil after the last.
    func next() async throws -> Page? {
        guard var request = request.withLock({ $0 }) else { return nil }
        let page = try await bus.ask(request, for: Page.self)
        // A page that says that it comes next itself would come for ever.
        guard page.cursor == nil || page.cursor != request.cursor else {
            throw StrideClientError.unreadableReply(.outOfRange)
        }
        request.cursor = page.cursor
        self.request.withLock { $0 = page.cursor == nil ? nil : request }
        return page
    }
}

extension StrideBus {
    /// An answer of any size, page after page, as they are taken.
    ///
    /// - Parameter request: what is asked; its `limit` is the most records of a page, as many as fit without one.
    package func pages<Page: PagedData>(
        of request: HistoryRequest, as: Page.Type = Page.self
    ) -> AsyncThrowingStream<Page, any Error> {
        let pages = Pages<Page>(bus: self, request: request)
        return AsyncThrowingStream { try await pages.next() }
    }

    /// An answer of any size as a whole: all its pages, one after the other.
    ///
    /// - Throws: `StrideClientError`.
    package func askAll<Page: PagedData>(
        _ request: HistoryRequest, as: Page.Type = Page.self
    ) async throws -> Page {
        let pages = Pages<Page>(bus: self, request: request)
        guard var whole = try await pages.next() else { throw StrideClientError.closed }
        while let page = try await pages.next() { whole.append(page) }
        return whole
    }
}
