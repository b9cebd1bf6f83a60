import Wire

extension FuzzTarget {
    /// A request that is read is written as it was.
    static func request(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let verb = choice(first, of: RequestVerb.allCases)
        let json = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        guard let request = try? HistoryRequest(verb: verb, json: json) else { return }
        let encoded = request.encodedJSON()
        let again = try? HistoryRequest(verb: verb, json: encoded)
        promise(again?.encodedJSON() == encoded, "a request goes round")
    }

    static func client(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let json = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch first % 13 {
        case 0: _ = try? HistoryReply(json: json)
        case 1: goRound(CadenceReport.self, json)
        case 2: goRound(StepsReport.self, json)
        case 3: goRound(ActivityReport.self, json)
        case 4: goRound(DeviceHealth.self, json)
        case 5: _ = try? ServiceHealth(json: json).encodedJSON()
        case 6: goRound(DayTotals.self, json)
        case 7: goRound(Page<DayTotals>.self, json)
        case 8: goRound(IntervalData.self, json)
        case 9: goRound(Page<SeriesBucket>.self, json)
        case 10: goRound(Page<DeviceEntry>.self, json)
        case 11: goRound(CapabilitiesData.self, json)
        default: goRound(Page<ActivitySegment>.self, json)
        }
    }

    static func config(_ bytes: UnsafeRawBufferPointer) {
        goRound(DeviceConfig.self, bytes)
    }

    /// A topic that is understood is written as it came.
    static func topic(_ bytes: UnsafeRawBufferPointer) {
        guard let topics = try? TopicTree(), let topic = try? topics.parse(bytes) else { return }
        promise(topics.bytes(topic).elementsEqual(bytes), "a topic goes round")
    }

    /// What is read is written so that it is read as the same.
    private static func goRound<Payload: JSONPayload>(_ type: Payload.Type, _ json: UnsafeRawBufferPointer) {
        guard let payload = try? Payload(json: json) else { return }
        let encoded = payload.encodedJSON()
        guard encoded.count <= Payload.maximumBytes else { return }
        let again = try? Payload(json: encoded)
        promise(again?.encodedJSON() == encoded, "\(type) goes round")
    }
}
