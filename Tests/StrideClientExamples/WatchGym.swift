import MQTT
import StrideClient
import Wire

func watchGym(on endpoint: MQTTEndpoint, for seconds: Double) async throws {
    let observer = try BusObserver(endpoint: endpoint)
    async let ending: Void = {
        for await state in observer.connectionStates {
            if case .connected = state { break }
        }
        try? await Task.sleep(for: .seconds(seconds))
        await observer.close()
    }()
    try await observer.observe { event in
        switch event {
        case .cadence(let device, let report): print(device, report.cadenceRPM ?? report.cadenceSPM ?? 0, "a minute")
        case .steps(let device, let report): print(device, report.steps, "steps for ever")
        case .heart(let device, let report): print(device, report.bpm, "beats a minute")
        case .power(let device, let report): print(device, report.watts, "W")
        case .activity(let device, let report): print(device, report.activity.name)
        case .day(let device, let day): print(device, day.steps, "steps on", day.date)
        case .total(let device, let total): print(device, total.revolutions, "turns for ever")
        case .health(let device, let health): if !health.ok { print(device, "is not well") }
        case .status(let device, let isOnline): print(device, isOnline ? "came" : "went")
        case .service(let name, let isOnline): print(name, isOnline ? "runs" : "is away")
        }
    }
    await ending
}
