import Motion
import Wire

/// The lives of a device that counts itself, and the number of its newest message.
struct MessageOrder: Sendable, Equatable {
    /// Lives that are remembered, so that a message of one of them is known as old.
    static let maximumBoots = 8

    enum Age {
        case newer, older, repeated, olderBoot, newBoot
        /// The message has neither a boot nor a number.
        case unknown
    }

    /// The life that is under way; `nil` where messages name none.
    private(set) var boot: BootID?
    private var sequence: UInt64?
    private var pastBoots: [BootID] = []

    func age(boot: BootID?, sequence: UInt64?) -> Age {
        guard let boot, let current = self.boot else { return .unknown }
        guard boot == current else { return pastBoots.contains(boot) ? .olderBoot : .newBoot }
        guard let sequence, let newest = self.sequence else { return .unknown }
        return sequence == newest ? .repeated : sequence < newest ? .older : .newer
    }

    /// Remembers a message that was taken.
    mutating func note(boot: BootID?, sequence: UInt64?) {
        if let old = self.boot, let boot, boot != old {
            if pastBoots.count == Self.maximumBoots { pastBoots.removeFirst() }
            pastBoots.append(old)
        }
        if boot != nil { self.boot = boot }
        self.sequence = sequence
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        let none = BootID(rawValue: 0)
        coder.code(optional: &boot, empty: none) { $0.code(&$1) }
        coder.code(optional: &sequence, empty: 0) { $0.code(bits: &$1) }
        coder.code(array: &pastBoots, maximum: Self.maximumBoots, empty: none) { $0.code(&$1) }
    }
}
