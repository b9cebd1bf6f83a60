/// Data of any number of records, which comes in pages.
package protocol PagedPayload: JSONPayload {
    associatedtype Record: Sendable
    /// The property with the records of this page.
    static var recordsPath: WritableKeyPath<Self, [Record]> { get }
    /// The cursor of the next page; nil on the last page.
    var cursor: String? { get set }
}

extension PagedPayload {
    package static var maximumBytes: Int { HistoryReply.maximumBytes }

    package var records: [Record] {
        get { self[keyPath: Self.recordsPath] }
        set { self[keyPath: Self.recordsPath] = newValue }
    }
}

extension DaysData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [DayTotals]> { \.days }
}

extension SeriesData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [SeriesBucket]> { \.buckets }
}

extension ActivityData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [ActivitySegment]> { \.segments }
}

extension DevicesData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [DeviceEntry]> { \.devices }
}

extension ClassesData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [ClassReport]> { \.classes }
}

extension PeopleData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [PersonEntry]> { \.people }
}
