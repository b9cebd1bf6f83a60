import Wire

/// Lets each message of a self-counting device through once, and none that is older than one that went through: such
/// numbers are cumulative, so the newest holds what the older ones said.
struct SequenceFilter: Sendable, Equatable {
    private struct Boot: Sendable, Equatable {
        var boot: BootID
        var newest: UInt64
    }

    /// The most boots that are remembered.
    static let maximumBoots = 8

    private var boots: [Boot] = []
    private var recent = RecentHashes()

    /// Whether a message is new.
    mutating func admit(_ identity: FrameIdentity, time: FrameTime) -> Bool {
        switch identity {
        case .unsequenced(let hash):
            switch time {
            case .utc(let microseconds), .uptime(let microseconds):
                return recent.insert(hash ^ (UInt64(bitPattern: microseconds) &* 31))
            case .absent: return recent.insert(hash)
            }
        case .sequenced(let boot, let sequence): return admit(boot, sequence)
        }
    }

    private mutating func admit(_ boot: BootID, _ sequence: UInt64) -> Bool {
        guard let index = boots.lastIndex(where: { $0.boot == boot }) else {
            if boots.count == Self.maximumBoots { boots.removeFirst() }
            boots.append(Boot(boot: boot, newest: sequence))
            return true
        }
        guard index == boots.count - 1, sequence > boots[index].newest else { return false }
        boots[index].newest = sequence
        return true
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &boots, maximum: Self.maximumBoots, empty: Boot(boot: BootID(rawValue: 0), newest: 0)) {
            $0.code(&$1.boot)
            $0.code(&$1.newest)
        }
        recent.transfer(&coder)
    }
}
