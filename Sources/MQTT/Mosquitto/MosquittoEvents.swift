/// What libmosquitto's callbacks leave for the loop that called it. They only append: the library holds a lock while
/// they run. Owned by one connection's thread.
final class MosquittoEvents {
    /// The callbacks so far: whether a read met a packet, as far as callbacks tell.
    var callbackCount = 0
    /// CONNACK's code and flags.
    var connack: (reason: UInt8, sessionPresent: Bool)?
    /// The reason of the broker's DISCONNECT (MQTT 5).
    var disconnectReason: UInt8?
    /// The SUBSCRIBEs without their SUBACK.
    var pendingSubscriptions = 0
    /// The reason of a refused subscription.
    var refusedSubscription: UInt8?
    /// The message ids that PUBACK has named, with its reason.
    var publishAnswers: [(messageID: Int32, reason: UInt8)] = []
    /// Where received messages go; a producer has none.
    var arena: MessageArena?

    init(arena: MessageArena?) {
        self.arena = arena
    }
}
