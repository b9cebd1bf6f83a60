import Wire

/// Asks phones with OwnTracks for the steps of each hour that has ended, because they tell them when asked.
///
/// A phone is known by its first message of an `owntracks` source, such as its location. It is asked for the last day
/// then, so that an outage leaves no gap, and in each hour for the two before it: an answer replaces an earlier one of
/// the same hour. Source: OwnTracks booklet, "Pedometer".
struct OwnTracksPolling {
    /// The most phones that are asked; a further one is not.
    static let maximumPhones = 1_024
    /// The hours that a phone is asked for when it is new.
    static let hoursOfNewPhone: Int64 = 24

    /// The topic of each phone, with the first hour since 1970 that it has not been asked for.
    private var phones: [String: Int64] = [:]

    /// Notes a phone by a topic of its own: `owntracks/{user}/{device}`, with or without further levels.
    mutating func note(_ levels: [Substring]) {
        let topic = levels.prefix(3).joined(separator: "/")
        guard levels.count >= 3, phones[topic] == nil, phones.count < Self.maximumPhones else { return }
        phones[topic] = 0
    }

    /// The requests that are due, each with its topic.
    mutating func questions(nowMicroseconds now: Int64) -> [(topic: String, payload: [UInt8])] {
        let hour = now / 3_600_000_000
        return phones.filter { $0.value < hour }.sorted { $0.key < $1.key }.flatMap { topic, next in
            phones[topic] = hour
            return (max(next - 1, hour - Self.hoursOfNewPhone)..<hour).map { start in
                var request = JSONWriter()
                request.beginObject()
                request.field("_type", "cmd")
                request.field("action", "reportSteps")
                request.field("from", start * 3600)
                request.field("to", (start + 1) * 3600)
                request.endObject()
                return ("\(topic)/cmd", request.bytes)
            }
        }
    }
}
