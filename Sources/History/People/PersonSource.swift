import Wire

/// One of a person's devices, as far as merging needs it.
struct PersonSource: Sendable, Equatable {
    /// Which.
    var device: DeviceID
    /// What it is.
    var kind: DeviceKind
    /// When it is the person's.
    var minutes: [Range<Int64>]
    /// The order in which devices are believed: the smallest first, ids where two are as small.
    var rank: Int

    /// The source that a device is for a person; nil if it is the person's at no time.
    init?(_ record: DeviceRecord, person: String, assignments: [Assignment]) {
        minutes = AssignmentBook.minutes(of: person, in: assignments)
        guard !minutes.isEmpty else { return nil }
        device = record.device
        kind = DeviceKind(rawValue: record.settings.kind) ?? .unknown
        let said = assignments.filter { $0.person == person }.compactMap(\.priority).min()
        let placement = Self.placements.firstIndex(of: record.settings.placement ?? "") ?? Self.placements.count
        rank = said ?? HistoryRequest.priorities.upperBound + 1 + placement
    }

    /// A source from its parts.
    init(device: DeviceID, kind: DeviceKind, minutes: [Range<Int64>], rank: Int) {
        self.device = device
        self.kind = kind
        self.minutes = minutes
        self.rank = rank
    }

    /// Where nobody has said which device is believed first: what is worn all day comes before what lies in a bag.
    private static let placements = ["wrist", "ankle", "foot", "thigh", "hip", "back", "pocket", "hand", "bag"]

    /// The sources in the order in which they are believed.
    static func ordered(_ sources: [PersonSource]) -> [PersonSource] {
        sources.sorted { ($0.rank, $0.device) < ($1.rank, $1.device) }
    }
}
