public import Wire

/// The data of an answer that may be too long for one message: records, and where the next page begins.
public protocol PagedData: JSONPayload {
    /// Where the next page begins; nil on the last.
    var cursor: String? { get set }
    /// Adds the records of the next page.
    mutating func appendRecords(of next: Self)
}

extension PagedData {
    /// Adds the next page.
    mutating func append(_ next: Self) {
        appendRecords(of: next)
        cursor = next.cursor
    }
}

extension DaysData: PagedData {
    /// Adds the days of the next page.
    public mutating func appendRecords(of next: DaysData) { days += next.days }
}

extension SeriesData: PagedData {
    /// Adds the buckets of the next page.
    public mutating func appendRecords(of next: SeriesData) { buckets += next.buckets }
}

extension ActivityData: PagedData {
    /// Adds the stretches of the next page.
    public mutating func appendRecords(of next: ActivityData) { segments += next.segments }
}

extension DevicesData: PagedData {
    /// Adds the devices of the next page.
    public mutating func appendRecords(of next: DevicesData) { devices += next.devices }
}

extension PersonData: PagedData {
    /// Adds the buckets of the next page.
    public mutating func appendRecords(of next: PersonData) { buckets += next.buckets }
}

extension PeopleData: PagedData {
    /// Adds the people of the next page.
    public mutating func appendRecords(of next: PeopleData) { people += next.people }
}

extension CompactData: PagedData {
    /// Adds the rows of the next page.
    public mutating func appendRecords(of next: CompactData) { rows += next.rows }
}
