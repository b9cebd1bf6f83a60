import ServiceKit
import Wire

/// Which devices and requests are a history's own, of several on one database.
///
/// All of them keep everything: a row that is written twice is the same row. Each device, with what is retained of it and
/// every question about it, is that of one, by the highest hash of device and name (rendezvous hashing; D. Thaler,
/// C. Ravishankar, "Using name-based mappings to increase hit rates", 1998), so that one that comes or goes changes only
/// its own. What changes people and configs is the first one's by name, so that there is one audit.
///
/// They know each other by their statuses, which each says every few seconds: in the moment of a change a question may
/// be answered twice, or not at all, and is asked again by its asker.
package struct HistoryShare: Sendable {
    /// The time between two statuses, and that after which one that is silent is gone, in seconds.
    static let sayingSeconds = 5.0
    static let silenceSeconds = 13.0

    /// This one's name; `nil` for the only history.
    let name: String?
    private var others: [String: Double] = [:]
    private var saidSeconds = -Double.infinity

    /// - Parameter others: The names of those that were there at the start.
    package init(name: String? = nil, others: [String] = [], nowSeconds: Double = 0) {
        self.name = name
        for other in others { self.others[other] = nowSeconds }
    }

    var members: [String] { (name.map { [$0] } ?? []) + others.keys }

    /// Whether this one does what only one does.
    var isFirst: Bool { name == nil || members.min() == name }

    /// `2/3`: this one's place by name, and how many there are.
    var text: String? {
        guard let name else { return nil }
        return "\((members.sorted().firstIndex(of: name) ?? 0) + 1)/\(members.count)"
    }

    /// Takes a status of another; true if the shares are others now.
    mutating func hear(_ status: InstanceStatus, nowSeconds: Double) -> Bool {
        guard name != nil, status.instance != name else { return false }
        guard status.status == .online else { return others.removeValue(forKey: status.instance) != nil }
        return others.updateValue(nowSeconds, forKey: status.instance) == nil
    }

    /// Lets go of those that have been silent; true if the shares are others now.
    mutating func expire(nowSeconds: Double) -> Bool {
        let count = others.count
        others = others.filter { nowSeconds - $0.value <= Self.silenceSeconds }
        return others.count != count
    }

    /// Whether it is time to say the own status.
    mutating func isToSay(nowSeconds: Double) -> Bool {
        guard name != nil, nowSeconds - saidSeconds >= Self.sayingSeconds else { return false }
        saidSeconds = nowSeconds
        return true
    }

    /// Whether what has these bytes as its name is this one's.
    func owns(_ bytes: some Sequence<UInt8>) -> Bool {
        guard let name, !others.isEmpty else { return true }
        var key = StableHash()
        key.combine(bytes)
        return members.max { Self.weight($0, key) < Self.weight($1, key) } == name
    }

    func owns(_ device: DeviceID) -> Bool {
        guard !others.isEmpty else { return true }
        return owns("\(device)".utf8)
    }

    /// FNV-1a mixes its last bytes little: the finaliser of MurmurHash3 does.
    private static func weight(_ name: String, _ key: StableHash) -> UInt64 {
        var hash = key
        hash.combine(name.utf8)
        var value = hash.value
        value = (value ^ value >> 33) &* 0xff51_afd7_ed55_8ccd
        value = (value ^ value >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return value ^ value >> 33
    }

    /// Whether a request is this one's.
    func owns(_ request: AdmittedRequest) -> Bool {
        guard !others.isEmpty, case .success(let question) = request.request else {
            return owns(request.requester.address.topic)
        }
        if Self.changing.contains(question.verb) { return isFirst }
        return question.device.map { owns($0) } ?? owns(request.requester.address.topic)
    }

    private static let changing: Set<RequestVerb> = [
        .peopleCheckin, .peopleCheckout, .peopleConfigure, .peopleForget, .devicesConfigure, .devicesForget,
    ]
}
