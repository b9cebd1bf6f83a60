import History
import Seeded
import Wire

/// What is asked of history in the middle of a day.
struct SimulatedRequest {
    var verb: RequestVerb
    /// The payload.
    var json: String

    private static let people = ["Anna", "Ben", "Zo\u{EB}", "Zoe\u{308}"]
    static let forgetting: [RequestVerb] = [.peopleForget, .devicesForget]

    /// Check-ins of now and of before, who is forgotten, and every verb with every field at its limits and beyond.
    ///
    /// - Parameter mayForget: Whether something may be forgotten by it.
    static func draw(
        among devices: [DeviceID], nowSeconds: Int64, mayForget: Bool, _ random: inout SeededGenerator
    ) -> SimulatedRequest {
        let device = devices[random.below(devices.count)]
        let person = people[random.below(people.count)]
        func time(_ minutes: Int, _ random: inout SeededGenerator) -> String {
            "\(nowSeconds - Int64(random.below(minutes * 60)))"
        }
        switch random.below(12) {
        case 0...4:
            var fields = [#""device":"\#(device)","person":"\#(person)""#]
            if random.chance(0.6) { fields.append("\"from\":\(time(20, &random))") }
            if random.chance(0.4) { fields.append("\"to\":\(nowSeconds + Int64(random.below(900)) - 300)") }
            if random.chance(0.2) { fields.append("\"team\":\"\(random.below(3))\"") }
            return SimulatedRequest(verb: .peopleCheckin, json: "{\(fields.joined(separator: ","))}")
        case 5, 6:
            let to = random.chance(0.5) ? ",\"to\":\(time(10, &random))" : ""
            return SimulatedRequest(verb: .peopleCheckout, json: #"{"device":"\#(device)"\#(to)}"#)
        case 7 where mayForget:
            return SimulatedRequest(verb: .peopleForget, json: #"{"person":"\#(person)"}"#)
        case 8 where mayForget && random.chance(0.3):
            return SimulatedRequest(verb: .devicesForget, json: #"{"device":"\#(device)"}"#)
        default:
            let verbs = RequestVerb.allCases.filter { mayForget || !forgetting.contains($0) }
            return extreme(verbs[random.below(verbs.count)], device, person, nowSeconds, &random)
        }
    }

    /// Some of the fields of a verb, each at a limit or beyond it.
    private static func extreme(
        _ verb: RequestVerb, _ device: DeviceID, _ person: String, _ nowSeconds: Int64,
        _ random: inout SeededGenerator
    ) -> SimulatedRequest {
        let now = nowSeconds * 1_000_000
        let fields = verb.fields.filter { _ in random.chance(0.6) }.map { name in
            let value =
                switch name {
                case "device": [#""\#(device)""#, #""nobody""#, #""A/+""#, #""""#, "7"][random.below(5)]
                case "person": [#""\#(person)""#, #""""#, "\"\(String(repeating: "a", count: 257))\""][random.below(3)]
                case "from", "to":
                    random.chance(0.4)
                        ? #""2026-11-20""#
                        : random.chance(0.5)
                            ? SenderPlan.timeEdge(now, &random) : "\(nowSeconds - Int64(random.below(7_200)))"
                case "zone": [#""Asia/Kathmandu""#, #""Europe/Berlni""#, #""""#, "0"][random.below(4)]
                case "bucket": ["minute", "hour", "day", "week", "month", "year"].map { "\"\($0)\"" }[random.below(6)]
                case "limit": ["0", "1", "2", "100", "101", "1440", "1441", "-1", "1e308", "2.5"][random.below(10)]
                case "cursor": [#""""#, #""0""#, #""sender-1""#, #""Anna""#, "\"\u{7F}\""][random.below(5)]
                case "alias":
                    [#""The Flash""#, #""Ben""#, #""""#, "\"\(String(repeating: "\u{E9}", count: 129))\""][
                        random.below(4)]
                case "week_starts": [#""sunday""#, #""saturday""#, #""noon""#][random.below(3)]
                case "goal_steps_per_day", "goal_active_min_per_week", "goal_rides_per_week":
                    ["0", "1", "10080", "10081", "1000001", "-1", "1e308"][random.below(7)]
                case "config":
                    [
                        #"{"metres_per_stride":5}"#, #"{"metres_per_stride":5.01}"#, #"{"height_m":1.8}"#,
                        #"{"person":"Ben"}"#, #"{"metres_per_revolution":0.1}"#, "{}", "[]", "null",
                    ][random.below(8)]
                default: ["true", "false", "null", "7"][random.below(4)]
                }
            return "\"\(name)\":\(value)"
        }
        return SimulatedRequest(verb: verb, json: "{\(fields.joined(separator: ","))}")
    }
}
