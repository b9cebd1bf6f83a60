import Wire

/// A fault that the bench tries.
enum Fault: Sendable {
    case none
    case kills(KillPlan)
    case killsInClass
    case brokerKilled(keepsMessages: Bool)
    case brokerRestarted
    case brokerFrozen
    case historyAway
    case network(NetworkFault)
    case disk(DiskFault, ServiceName)
    case secondInstance(ServiceName, sharesData: Bool)
    case deviceFlood
    case input(InputFault)

    static let all: [Fault] =
        [.none] + KillPlan.allCases.map { .kills($0) } + [.killsInClass]
        + [.brokerKilled(keepsMessages: true), .brokerKilled(keepsMessages: false), .brokerRestarted, .brokerFrozen]
        + NetworkFault.allCases.map { .network($0) }
        + DiskFault.allCases.flatMap { [.disk($0, .counter), .disk($0, .history)] }
        + [.historyAway, .deviceFlood]
        + [ServiceName.counter, .history].flatMap { name in
            [true, false].map { .secondInstance(name, sharesData: $0) }
        } + [.secondInstance(.ingest, sharesData: true)]
        + InputFault.allCases.map { .input($0) }

    /// What a person calls it.
    var name: String {
        switch self {
        case .none: "nothing"
        case .kills(let plan): plan.name
        case .killsInClass: "kill -9 of one service at any instant of a class"
        case .brokerKilled(true): "kill -9 of the broker, saved every second"
        case .brokerKilled(false): "kill -9 of the broker, nothing saved"
        case .brokerRestarted: "broker stopped in order and started again"
        case .brokerFrozen: "broker frozen"
        case .historyAway: "history away while everything is sent"
        case .network(let fault): "network: \(fault.rawValue)"
        case .disk(let fault, let service): "disk of \(service.rawValue) \(fault.rawValue) for a while"
        case .secondInstance(.ingest, _): "second ingest, which has no data"
        case .secondInstance(let service, true): "second \(service.rawValue) on the same data"
        case .secondInstance(let service, false): "second \(service.rawValue) with data of its own"
        case .deviceFlood: "very many device ids"
        case .input(let fault): fault.rawValue
        }
    }

    /// Whether the broker writes down what it holds.
    var keepsMessages: Bool {
        switch self {
        case .brokerKilled(false), .deviceFlood: false
        default: true
        }
    }

    /// What losses are listed under in the report; `nil` where the broker lives on.
    var brokerSituation: BrokerSituation? {
        switch self {
        case .brokerKilled(true): .killedSavingEverySecond
        case .brokerKilled(false): .killedSavingNothing
        case .brokerRestarted: .stoppedInOrder
        case .brokerFrozen: .frozen
        default: nil
        }
    }

    /// Which service has a disk that can be filled.
    var smallDisk: ServiceName? {
        if case .disk(.full, let service) = self { service } else { nil }
    }

    /// Whether the broker itself may lose frames, which are then to be told and not to be counted.
    var losesFrames: Bool {
        if case .brokerKilled = self { true } else { false }
    }

    /// Whether frames may come so long after later ones that they are counted by themselves: what a network still holds
    /// is overtaken when it is fast again, and so is what a broker had to be sent again.
    var overtakesFrames: Bool {
        if case .network(.latency) = self { true } else { losesFrames }
    }

    /// Whether two stores each count a part of the frames.
    var dividesFrames: Bool {
        if case .secondInstance(.counter, sharesData: false) = self { true } else { false }
    }

    /// Whether the truth depends on when ingest received the frames.
    var goesByArrival: Bool {
        if case .input(.clockAhead) = self { true } else { false }
    }

    /// The most resident memory of a service meanwhile, in megabytes.
    var maximumMegabytes: Double {
        if case .deviceFlood = self { MemoryWatch.maximumFloodMegabytes } else { MemoryWatch.maximumMegabytes }
    }

    /// Whether all connections go through a network that can be spoiled.
    var needsProxy: Bool {
        if case .network = self { true } else { false }
    }
}

/// What became of the broker in a fault.
enum BrokerSituation: String, Sendable, Codable, CaseIterable {
    case killedSavingEverySecond = "kill -9, persistence on, saved every second"
    case killedSavingNothing = "kill -9, persistence off"
    case stoppedInOrder = "stopped in order (SIGTERM), persistence on"
    case frozen = "frozen (SIGSTOP) beyond two keep-alives"
}
