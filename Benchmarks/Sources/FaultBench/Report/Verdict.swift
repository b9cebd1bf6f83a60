/// What one fault did.
struct Verdict: Codable, Sendable {
    var fault: String
    var holds = false
    var kills = 0
    var framesSent = 0
    var framesLost = 0
    var framesMissingTold = 0
    /// Messages of devices beyond the limit, or that make no sense, which the services say they refused.
    var messagesRefused = 0
    /// The longest time after a fault until the whole path worked again; `nil` where nothing was measured.
    var recoverySeconds: Double?
    /// The resident memory of the service that used most: before the fault, at its most, and at the end, in megabytes.
    var memory: Memory?
    /// What became of the broker, where that is the fault.
    var broker: BrokerSituation?
    var seconds = 0.0
    var detail = ""

    /// Memory of one service.
    struct Memory: Codable, Sendable {
        var service: String
        var beforeMegabytes: Double
        var peakMegabytes: Double
        var afterMegabytes: Double
        var boundMegabytes: Double
    }

    init(fault: Fault) {
        self.fault = fault.name
        broker = fault.brokerSituation
    }

    /// The verdict in a word.
    var word: String { holds ? "holds" : "BROKEN" }

    /// Adds to the detail, and to the verdict whether it holds.
    mutating func note(_ text: String, holds isHeld: Bool = true) {
        detail += detail.isEmpty ? text : "; \(text)"
        if !isHeld { holds = false }
    }
}
