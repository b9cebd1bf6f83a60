import Seeded

/// What goes wrong in one run, and how often a step: each seed draws its own mixture, so that rare faults also meet
/// runs in which nothing else disturbs them.
struct FaultRates {
    var processCrash: Double
    var brokerCrash: Double
    var endings: [SimulatedBus.Ending]
    var connectionBreak: Double
    var storeFailure: Double
    var duplicate: Double
    var stall: Double
    var lostHistory: Double
    /// How often the store does not get on.
    var storeStandstill: Double
    /// How often a device gets another config.
    var config: Double
    /// How often somebody asks history something, and sends what no service reads.
    var (request, junk) = (0.0, 0.0)
    /// Whether something is forgotten in the middle of the day.
    var forgets = false
    /// Whether the broker gives history again behind newer messages what it did not acknowledge.
    var redeliversLate: Bool

    init(_ random: inout SeededGenerator) {
        processCrash = random.chance(0.8) ? [0.001, 0.004, 0.015][random.below(3)] : 0
        brokerCrash = random.chance(0.5) ? [0.001, 0.004][random.below(2)] : 0
        endings = random.chance(0.5) ? SimulatedBus.Ending.allCases : [.orderly]
        connectionBreak = random.chance(0.5) ? 0.005 : 0
        storeFailure = random.chance(0.5) ? 0.2 : 0
        duplicate = random.chance(0.7) ? 0.1 : 0
        stall = random.chance(0.5) ? 0.003 : 0
        lostHistory = random.chance(0.2) ? 0.2 : 0
        storeStandstill = random.chance(0.3) ? 0.97 : 0
        config = random.chance(0.5) ? 0.1 : 0
        redeliversLate = random.chance(0.25)
    }

    /// Somebody asks history, and a store with what people are is not lost.
    ///
    /// An order to forget that a broker loses is lost, so in such runs nothing is forgotten before its last end.
    mutating func admitPeople(_ random: inout SeededGenerator) {
        lostHistory = 0
        request = [0.02, 0.2, 0.6][random.below(3)]
        junk = random.chance(0.5) ? 0.1 : 0
        forgets = !losesMessages && random.chance(0.6)
    }

    /// Whether the broker may lose what it has confirmed.
    var losesMessages: Bool { brokerCrash > 0 && endings != [.orderly] }

    /// Only processes end: nothing that a broker loses by itself.
    mutating func spareBroker() {
        brokerCrash = 0
        endings = [.orderly]
    }

    /// Nothing goes wrong.
    mutating func end() {
        spareBroker()
        (processCrash, connectionBreak, storeFailure, duplicate, stall, lostHistory) = (0, 0, 0, 0, 0, 0)
        (storeStandstill, config) = (0, 0)
        (request, junk, forgets) = (0, 0, false)
    }
}

extension SeededGenerator {
    /// True with a probability.
    mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) / 9_007_199_254_740_992 < probability
    }

    /// A number below a bound.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(bound, 1)))
    }
}
