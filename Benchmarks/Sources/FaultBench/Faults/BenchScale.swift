/// How much of everything a run tries.
enum BenchScale: String, Sendable {
    case quick
    case long

    /// The length of the frames that are sent, in seconds of the devices' time.
    var workloadSeconds: Int { self == .quick ? 150 : 600 }

    /// How often processes are killed by a plan.
    func kills(_ plan: KillPlan) -> Int {
        switch (self, plan) {
        case (.quick, .anyInstant): 20
        case (.quick, _): 6
        case (.long, .anyInstant): 200
        case (.long, _): 30
        }
    }

    /// How long the frames are sent, in seconds on the wall: as long as the fault lasts, and its recovery.
    func wallSeconds(_ fault: Fault) -> Double {
        switch fault {
        case .kills(.anyInstant): self == .quick ? 20 : 160
        case .killsInClass: Double(classSeconds)
        case .network(let fault): fault.wallSeconds(self)
        case .brokerFrozen: frozenSeconds + 12
        case .brokerKilled, .brokerRestarted: self == .quick ? 8 : 50
        case .historyAway: self == .quick ? 10 : 60
        case .input(let fault) where fault.isInRealTime: Double(InputFault.clockSeconds)
        case .disk: self == .quick ? 20 : 40
        default: self == .quick ? 8 : 25
        }
    }

    /// The bikes of a class, how long it takes in seconds, and how often a service is killed meanwhile.
    var classBikes: Int { self == .quick ? 3 : 12 }
    var classSeconds: Int { self == .quick ? 60 : 600 }
    var classKills: Int { self == .quick ? 6 : 60 }

    /// How often the broker is killed, or stopped and started again.
    var brokerEnds: Int { self == .quick ? 2 : 10 }
    /// How long the broker stands still, in seconds: longer than two keep-alives.
    var frozenSeconds: Double { self == .quick ? 12 : 45 }
    /// How long a disk is bad at the least, in seconds.
    var badDiskSeconds: Double { self == .quick ? 4 : 20 }
    /// How long connections are cut again and again, in seconds.
    var cutSeconds: Double { self == .quick ? 8 : 60 }
    /// The devices of a flood of ids.
    var floodDevices: Int { self == .quick ? 20_000 : 1_000_000 }
}
