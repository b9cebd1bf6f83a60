import Wire

/// A fault that the bench tries.
enum Fault: Sendable {
    case none
    case kills(KillPlan)
    case brokerKilled(keepsMessages: Bool)
    case brokerFrozen
    case diskFull(ServiceName)
    case input(InputFault)

    static let all: [Fault] =
        [.none] + KillPlan.allCases.map { .kills($0) }
        + [.brokerKilled(keepsMessages: true), .brokerKilled(keepsMessages: false), .brokerFrozen]
        + [.diskFull(.counter), .diskFull(.history)]
        + InputFault.allCases.map { .input($0) }

    /// What a person calls it.
    var name: String {
        switch self {
        case .none: "nothing"
        case .kills(.anyInstant): "kill -9 of one service at any instant"
        case .kills(.allAtOnce): "kill -9 of all three at once"
        case .kills(.duringStart): "kill -9 during start-up"
        case .kills(.duringShutdown): "kill -9 during shutdown"
        case .kills(.twiceInASecond): "kill -9 twice within a second"
        case .brokerKilled(true): "kill -9 of the broker, saved every second"
        case .brokerKilled(false): "kill -9 of the broker, nothing saved"
        case .brokerFrozen: "broker frozen for 12 s"
        case .diskFull(let service): "disk of \(service.rawValue) full for a while"
        case .input(.twice): "every frame twice"
        case .input(.shuffled): "frames shuffled within 10 s"
        case .input(.thinned): "30 % of frames lost before the broker"
        case .input(.besideGarbage): "a device that sends garbage beside good ones"
        }
    }

    /// Whether the broker writes down what it holds.
    var keepsMessages: Bool {
        if case .brokerKilled(false) = self { false } else { true }
    }

    /// Which service has a disk that can be filled.
    var smallDisk: ServiceName? {
        if case .diskFull(let service) = self { service } else { nil }
    }

    /// Whether the broker itself may lose frames, which are then to be told and not to be counted.
    var losesFrames: Bool {
        if case .brokerKilled = self { true } else { false }
    }
}
