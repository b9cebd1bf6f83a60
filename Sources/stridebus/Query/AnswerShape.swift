import StrideClient
import Wire

/// Where an answer has its records, and which of their fields are printed.
struct AnswerShape {
    /// The field with the records; nil where the answer is one.
    var list: String?
    /// A list in each record, of which each element is a record of its own with the fields of both.
    var inner: String?
    let fields: [String]

    var isOneRecord: Bool { list == nil }

    init(_ list: String?, of fields: String, inner: String? = nil) {
        (self.list, self.inner) = (list, inner)
        self.fields = fields.split(separator: " ").map(String.init)
    }

    private static let counts =
        "steps revolutions distance_m cadence_avg_rpm cadence_avg_spm active_s covered_s floors_ascended floors_descended"

    static let days = AnswerShape(
        "days",
        of: "date steps revolutions distance_m active_s covered_s floors_ascended floors_descended zone revision")
    static let buckets = AnswerShape("buckets", of: "start " + counts)
    static let segments = AnswerShape("segments", of: "start end activity confidence steps revolutions")
    static let workouts = AnswerShape(
        "workouts",
        of:
            "start end kind title moving_s paused_s distance_m revolutions steps cadence_avg_rpm cadence_avg_spm speed_avg_m_per_s "
            + "heart_avg_bpm power_avg_w work_kj kcal kcal_source class persons devices id")
    static let classes = AnswerShape(
        "classes", of: "start title ended ranking rank name device team time_in_target_s distance_m work_kj",
        inner: "riders")
    static let devices = AnswerShape(
        "devices", of: "device kind placement steps revolutions first_t last_t zone name")
    static let people = AnswerShape("people", of: "person device from to alias", inner: "devices")
    static let interval = AnswerShape(
        nil,
        of:
            "device person from to resolution_s partial_minute steps strides revolutions distance_m distance_active_s active_s "
            + "covered_s cadence_avg_rpm cadence_min_rpm cadence_max_rpm cadence_avg_spm cadence_min_spm cadence_max_spm "
            + "pace_avg_s_per_m speed_avg_m_per_s floors_ascended floors_descended cadence_now_rpm cadence_now_spm "
            + "pace_now_s_per_m speed_now_m_per_s")
    static let capabilities = AnswerShape(
        nil,
        of: "device kind zone " + Capability.allCases.map { "\($0.rawValue) \($0.rawValue)_why" }.joined(separator: " ")
            + " note authorised not_authorised")

    /// The records of an answer or of one of its pages.
    func records(of answer: JSONObject) -> [JSONObject] {
        guard let list else { return [answer] }
        let records = (answer[list]?.array ?? []).compactMap(\.object)
        guard let inner else { return records }
        return records.flatMap { outer in
            (outer[inner]?.array ?? []).compactMap(\.object).map { element in
                var both = element
                for member in outer.members where element[member.name] == nil && member.name != inner {
                    try? both.set(member.name, to: member.value)
                }
                return both
            }
        }
    }

    /// Gives the answer page after page; what is no list has one.
    func pages(
        of request: HistoryRequest, from bus: StrideBus, _ take: (JSONObject) async throws -> Void
    ) async throws {
        var request = request
        if list != nil { request.limit = request.limit ?? PayloadLimits.rowsAPage }
        while true {
            let data = try await bus.ask(request)
            let json = try data.withUnsafeBytes { try JSONValue(parsing: $0, maximumBytes: HistoryReply.maximumBytes) }
            guard let page = json.object else { throw WireError.wrongType }
            try await take(page)
            let cursor = page["cursor"]?.string
            // A page whose cursor leads to itself would repeat without end.
            guard cursor != request.cursor else {
                guard cursor == nil else { throw WireError.outOfRange }
                return
            }
            guard cursor != nil else { return }
            request.cursor = cursor
        }
    }

    /// The answer with the records of all its pages.
    func whole(_ request: HistoryRequest, from bus: StrideBus) async throws -> JSONObject {
        var (answer, records) = (JSONObject(), [JSONValue]())
        try await pages(of: request, from: bus) { page in
            answer = page
            if let list { records += page[list]?.array ?? [] }
        }
        if let list { try answer.set(list, to: .array(records)) }
        return answer
    }
}
