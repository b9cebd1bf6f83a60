import Foundation
import MQTT
import Lab
import ServiceLifecycle
import StrideClient
import Synchronization
import Watched
import Wire

/// A walk over a device's midnight, sent to a running bus, and what an app is told of today meanwhile.
///
/// Nobody waits for a midnight: the device's day starts at a minute that has just passed, the walk is sent as if that
/// minute were to come, and history's clock is the device's own.
final class MidnightWalk: Service {
    /// Seconds of frames in a second on the wall.
    static let speed = 4.0
    /// Standing, walking and standing.
    static let script = WalkScript(stretches: [(false, 4), (true, 45), (false, 15)])
    /// How long it takes until midnight, in seconds of frames.
    static let secondsBefore = 25

    private struct Heard {
        var online: Set<ServiceName> = []
        var totalSteps: UInt64 = 0
        var told: [StepsToday] = []
    }

    let device: DeviceID
    let expectedSteps: UInt64
    private let clock: MidnightClock
    private let bus: RunningBus
    private let gym: SimulatedGym
    private let heard = Watched(Heard())
    private let answered = Mutex<[DayTotals]>([])

    init(_ bus: RunningBus, clock: MidnightClock) throws {
        self.bus = bus
        self.clock = clock
        device = try DeviceID("walker-1")
        gym = Self.script.gym(of: [device], startMicroseconds: clock.startMicroseconds)
        expectedSteps = Self.script.steps(counting: gym, configuration: clock.configuration)[device] ?? 0
    }

    /// What the app was told, in its order.
    var told: [StepsToday] { heard.now.told }
    /// What history says of both days in the end.
    var days: [DayTotals] { answered.withLock { $0 } }

    /// Walks, and returns when everything has been counted and told.
    func run() async throws {
        let observer = try BusObserver(endpoint: bus.endpoint, root: bus.root)
        let client = try StrideBus(endpoint: bus.endpoint, root: bus.root)
        let pedometer = Pedometer(bus: client, device: device)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe(self.note) }
            await heard.wait { $0.online.count == ServiceName.allCases.count }
            group.addTask {
                for await today in pedometer.today { self.heard.change { $0.told.append(today) } }
            }
            try await walk()
            await heard.wait { $0.totalSteps >= self.expectedSteps }
            let days = try await pedometer.days(from: clock.firstDate, to: clock.endDate)
            await heard.wait { heard in
                heard.told.last.map { $0.date == days.last?.date && $0.steps == days.last?.steps } ?? false
            }
            answered.withLock { $0 = days }
            await observer.close()
            group.cancelAll()
        }
        await client.close()
    }

    private func walk() async throws {
        let publisher = try MotionPublisher(endpoint: bus.endpoint, root: bus.root)
        try await publisher.publish(clock.configuration, of: device)
        var player = FramePlayer(source: GymSource(gym: gym), pace: clock.start(), publisher: publisher)
        try await player.play(untilDevice: clock.startMicroseconds + Int64(Self.script.seconds) * 1_000_000)
        await publisher.close()
    }

    private func note(_ event: BusEvent) {
        switch event {
        case .service(let name, isOnline: true): heard.change { $0.online.insert(name) }
        case .total(device, let total): heard.change { $0.totalSteps = total.steps }
        default: break
        }
    }
}

/// The device's clock and history's: it stands before midnight until the walk begins, and then goes with the frames.
final class MidnightClock: Sendable {
    /// The minute at which the device's day starts: as long past as a walk at `MidnightWalk.speed` needs at least, so
    /// that no frame comes from the future.
    private let midnightSeconds: Int64
    private let pace = Mutex<Pace?>(nil)

    init() {
        let nowSeconds = Pace.nowMicroseconds / 1_000_000
        midnightSeconds = (nowSeconds - Int64(MidnightWalk.script.seconds)) / 60 * 60
    }

    var startMicroseconds: Int64 { (midnightSeconds - Int64(MidnightWalk.secondsBefore)) * 1_000_000 }

    /// The device's settings: its day starts at the minute.
    var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        (configuration.kind, configuration.placement, configuration.zone) = (.wearable, .hip, "UTC")
        configuration.dayStartMinutes = Int(midnightSeconds / 60 % 1440)
        return configuration
    }

    /// The date that the walk begins on, and the one after the next.
    var firstDate: TimePoint { Self.date(midnightSeconds - 86_400) }
    var endDate: TimePoint { Self.date(midnightSeconds + 86_400) }

    private static func date(_ seconds: Int64) -> TimePoint {
        let date = CivilDate.date(days: Int(seconds / 86_400))
        return .localDate(year: date.year, month: date.month, day: date.day)
    }

    /// The walk begins now.
    func start() -> Pace {
        let now = Pace.nowMicroseconds
        // Of so many seconds of frames a pace lets the last come now, so it begins where it is to.
        let seconds = Double(now - startMicroseconds) / 1e6 / (1 - 1 / MidnightWalk.speed)
        let pace = Pace(speed: MidnightWalk.speed, seconds: seconds, nowMicroseconds: now)
        self.pace.withLock { $0 = pace }
        return pace
    }

    /// Seconds since 1970.
    var nowSeconds: @Sendable () -> Double {
        { [self] in
            let now = Pace.nowMicroseconds
            let shown = pace.withLock { $0?.deviceMicroseconds(atWall: now) } ?? startMicroseconds
            return Double(shown) / 1e6
        }
    }
}
