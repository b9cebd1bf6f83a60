/// The topics below one root: parses received topics and builds topics to publish.
///
/// A received topic is read level by level into a `Topic`; none of its text is ever copied into a topic to publish.
/// Parsing allocates nothing for device topics.
package struct TopicTree: Sendable, Hashable {
    /// The root, `stride` unless configured: one or more levels of `[a-z0-9_-]`.
    package let root: String
    private let prefix: [UInt8]

    /// The maximum number of levels of a root. Eight levels in all are portable across brokers: a device's topics and the
    /// services' need three at most, a user's request five, so that below a root of four it needs a broker that takes nine.
    package static let maximumRootLevels = 4
    package static let maximumRootBytes = 128
    package static let maximumReplyBytes = 128

    package init(root: String = "stride") throws(WireError) {
        let levels = root.levels
        guard levels.count <= Self.maximumRootLevels, root.utf8.count <= Self.maximumRootBytes,
            levels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isPortable) })
        else { throw .unknownTopic }
        self.root = root
        prefix = Array(root.utf8) + [UInt8(ascii: "/")]
    }

    package func parse(_ topic: UnsafeRawBufferPointer) throws(WireError) -> Topic {
        guard topic.count > prefix.count, topic.prefix(prefix.count).elementsEqual(prefix) else {
            throw .unknownTopic
        }
        let levels = UnsafeRawBufferPointer(rebasing: topic[prefix.count...])
        if let slash = levels.firstIndex(of: UInt8(ascii: "/")),
            let device = try? DeviceID(bytes: UnsafeRawBufferPointer(rebasing: levels[..<slash]))
        {
            let tail = UnsafeRawBufferPointer(rebasing: levels[(slash + 1)...])
            for channel in DeviceChannel.allCases where tail.elementsEqual(channel.rawValue.utf8) {
                return .device(device, channel)
            }
            throw .unknownTopic
        }
        return try Self.parse(levels: String(decoding: levels, as: UTF8.self).levels)
    }

    package func parse(_ topic: String) throws(WireError) -> Topic {
        try Array(topic.utf8).withRawBytes { bytes throws(WireError) in try parse(bytes) }
    }

    /// The user of a request topic whose verb may be none of ours; nil on the operators' way.
    /// - Throws: `WireError` for a topic below users that is no user's request.
    package func user(ofRequest topic: UnsafeRawBufferPointer) throws(WireError) -> DeviceID? {
        let head = prefix + Array("user/".utf8)
        guard topic.starts(with: head) else { return nil }
        let levels = String(decoding: topic.dropFirst(head.count), as: UTF8.self).levels
        guard levels.count > 2, levels[1] == "request" else { throw .unknownTopic }
        return try DeviceID(String(levels[0]))
    }

    package func bytes(_ topic: Topic) -> [UInt8] {
        var bytes = prefix
        switch topic {
        case .device(let device, let channel):
            device.append(to: &bytes)
            bytes.append(UInt8(ascii: "/"))
            bytes.append(contentsOf: channel.rawValue.utf8)
        case .person(let person, let channel):
            bytes.append(contentsOf: "person/\(person)/\(channel.rawValue)".utf8)
        case .wall: bytes.append(contentsOf: "wall".utf8)
        case .runningClass: bytes.append(contentsOf: "class".utf8)
        case .request(let verb): bytes.append(contentsOf: "request/\(verb.rawValue)".utf8)
        case .reply(let path): bytes.append(contentsOf: "reply/\(path)".utf8)
        case .userRequest(let user, let verb): bytes.append(contentsOf: "user/\(user)/request/\(verb.rawValue)".utf8)
        case .userReply(let user, let path): bytes.append(contentsOf: "user/\(user)/reply/\(path)".utf8)
        case .userRole(let user): bytes.append(contentsOf: "user/\(user)/role".utf8)
        case .motion(let range): bytes.append(contentsOf: "service/motion/\(range)".utf8)
        case .counts(let partition): bytes.append(contentsOf: "service/counts/\(partition.number)".utf8)
        case .forget(let partition): bytes.append(contentsOf: "service/forget/\(partition.number)".utf8)
        case .resend: bytes.append(contentsOf: "service/resend/counts".utf8)
        case .serviceStatus(let name): bytes.append(contentsOf: "service/\(name.rawValue)/status".utf8)
        case .serviceHealth(let name): bytes.append(contentsOf: "service/\(name.rawValue)/health".utf8)
        case .instanceStatus(let name, let instance):
            bytes.append(contentsOf: "service/\(name.rawValue)/\(instance)/status".utf8)
        case .instanceHealth(let name, let instance):
            bytes.append(contentsOf: "service/\(name.rawValue)/\(instance)/health".utf8)
        case .audit: bytes.append(contentsOf: "service/history/audit".utf8)
        }
        return bytes
    }

    package func text(_ topic: Topic) -> String {
        String(decoding: bytes(topic), as: UTF8.self)
    }

    /// The filter that matches one channel of every device.
    package func filter(every channel: DeviceChannel) -> String { "\(root)/+/\(channel.rawValue)" }

    /// The filters that match every request, whatever its number of levels: the operators' and the users'.
    package var requestFilters: [String] { ["\(root)/request/#", "\(root)/user/+/request/#"] }

    /// The filter that matches every user's role.
    package var roleFilter: String { "\(root)/user/+/role" }

    private static func isPortable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    /// Reads a topic that is of no device.
    private static func parse(levels: [Substring]) throws(WireError) -> Topic {
        func id() throws(WireError) -> DeviceID { try DeviceID(String(levels[1])) }
        switch (levels[0], levels.count) {
        case ("wall", 1): return .wall
        case ("class", 1): return .runningClass
        case ("request", _): return .request(try verb(levels.dropFirst()))
        case ("reply", _): return .reply(try replyPath(levels.dropFirst()))
        case ("user", 3) where levels[2] == "role": return .userRole(try id())
        case ("user", 4...) where levels[2] == "request": return .userRequest(try id(), try verb(levels.dropFirst(3)))
        case ("user", 4...) where levels[2] == "reply": return .userReply(try id(), try replyPath(levels.dropFirst(3)))
        case ("person", 3):
            for channel in [DeviceChannel.day, .total, .workout] where levels[2] == channel.rawValue {
                return .person(try id(), channel)
            }
            throw .unknownTopic
        case ("service", 3...4): return try parseService(levels)
        case ("user", _), ("person", _), ("service", _), (_, 1): throw .unknownTopic
        default: throw .invalidDeviceID
        }
    }

    private static func parseService(_ levels: [Substring]) throws(WireError) -> Topic {
        switch (levels[1], levels[2], levels.count) {
        case ("motion", let text, 3):
            guard let range = PartitionRange(text), text == "\(range)" else { throw .unknownTopic }
            return .motion(range)
        case ("counts", let text, 3): return .counts(try partition(text))
        case ("forget", let text, 3): return .forget(try partition(text))
        case ("resend", "counts", 3): return .resend
        case ("history", "audit", 3): return .audit
        default:
            guard let name = ServiceName(rawValue: String(levels[1])) else { throw .unknownTopic }
            switch (levels[levels.count - 1], levels.count) {
            case ("status", 3): return .serviceStatus(name)
            case ("health", 3): return .serviceHealth(name)
            case ("status", _): return .instanceStatus(name, try DeviceID(String(levels[2])))
            case ("health", _): return .instanceHealth(name, try DeviceID(String(levels[2])))
            default: throw .unknownTopic
            }
        }
    }

    /// A partition has exactly one topic, so its number has no leading zero.
    private static func partition(_ text: Substring) throws(WireError) -> Partition {
        guard let number = Int(text), text == "\(number)" else { throw .unknownTopic }
        return try Partition(number: number)
    }

    private static func verb(_ levels: ArraySlice<Substring>) throws(WireError) -> RequestVerb {
        guard let verb = RequestVerb(rawValue: levels.joined(separator: "/")) else { throw .unknownTopic }
        return verb
    }

    /// A reply topic is untrusted: only portable characters and levels, so that an answer never leaves `reply/`.
    private static func replyPath(_ levels: ArraySlice<Substring>) throws(WireError) -> String {
        let path = levels.joined(separator: "/")
        guard !path.isEmpty, path.utf8.count <= maximumReplyBytes,
            levels.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isPortable) })
        else { throw .unknownTopic }
        return path
    }
}

extension String {
    fileprivate var levels: [Substring] { split(separator: "/", omittingEmptySubsequences: false) }
}

/// Every topic of the bus, below its root.
package enum Topic: Hashable, Sendable {
    /// `{device}/{channel}`
    case device(DeviceID, DeviceChannel)
    /// `person/{person}/day`, `…/total` and `…/workout`: a person by `DeviceID(person:)`, for that person and operators alone.
    case person(DeviceID, DeviceChannel)
    /// `wall`: what a screen on the wall shows, retained.
    case wall
    /// `class`: the class that runs, retained.
    case runningClass
    /// `request/{verb}`: the operators' requests.
    case request(RequestVerb)
    /// `reply/{path}`: answers to operators; the client chooses the path.
    case reply(String)
    /// `user/{user}/request/{verb}`: a request of a user, whose name the broker's access list vouches for.
    case userRequest(DeviceID, RequestVerb)
    /// `user/{user}/reply/{path}`: answers to that user.
    case userReply(DeviceID, String)
    /// `user/{user}/role`: what a user may do, retained.
    case userRole(DeviceID)
    /// `service/motion/{range}`: batches of device messages, ingest to the counter of these partitions.
    case motion(PartitionRange)
    /// `service/counts/{partition}`: batches of minute rows, counter to history; the partition is the first that the
    /// counter owns, so that the messages of each counter stay in order.
    case counts(Partition)
    /// `service/resend/counts`: history requests missing rows from every counter.
    case resend
    /// `service/forget/{partition}`: history orders the counter to delete counts.
    case forget(Partition)
    /// `service/{name}/status`: a service's birth and last will.
    case serviceStatus(ServiceName)
    /// `service/{name}/health`: the counts of a service, and its refusals.
    case serviceHealth(ServiceName)
    /// `service/{service}/{instance}/status`: birth and last will of one of several counters, named by its partitions.
    case instanceStatus(ServiceName, DeviceID)
    /// `service/{service}/{instance}/health`: what one of several counters counted and refused.
    case instanceHealth(ServiceName, DeviceID)
    /// `service/history/audit`: what somebody did.
    case audit
}

/// The last level of a device's topics.
package enum DeviceChannel: String, Hashable, Sendable, CaseIterable {
    /// Raw motion frames, device to ingest.
    case imu
    /// A count of crank revolutions, device to ingest.
    case rev
    /// Bluetooth Cycling Speed and Cadence or Running Speed and Cadence bytes, device to ingest.
    case csc
    /// Bluetooth Fitness Machine bytes, device to ingest.
    case ftms
    /// A heart rate, device to ingest.
    case hr
    /// Steps counted by the device itself, device to ingest.
    case count
    /// Seconds that another device recorded, device to ingest.
    case seconds
    /// A workout begins or ends here, device to history.
    case mark
    /// The operator's settings for the device, retained.
    case config
    /// `online` or `offline`, retained.
    case status
    /// Cadence, once a second while moving.
    case cadence
    /// Steps as they are counted.
    case steps
    /// Heart rate, once a second where one is known.
    case heart
    /// Power, once a second where one is known.
    case power
    /// The activity of the wearer, retained.
    case activity
    /// A workout, when it has ended.
    case workout
    /// Today's totals, retained.
    case day
    /// All-time totals, retained.
    case total
    /// Problems with this device's data, retained.
    case health
}

/// The services on the bus.
public enum ServiceName: String, Hashable, Sendable, CaseIterable {
    /// Raw messages in, motion batches out.
    case ingest
    /// Motion batches in, cadence, steps and minute rows out.
    case counter
    /// Minute rows in, answers out.
    case history
    /// The private broker on the network, with its users and certificate; it is not there on every bus.
    case network

    /// The three that every bus has.
    public static let allCases: [ServiceName] = [.ingest, .counter, .history]
}
