import StrideClient
import Wire

func followRide(on bike: DeviceID, bus: StrideBus) async {
    async let pauses: Void = {
        for await event in Pedometer(bus: bus, device: bike).events {
            switch event.kind {
            case .pause: print("paused at", event.t)
            case .resume: print("resumed at", event.t)
            }
        }
    }()
    for await report in Cadence(bus: bus, device: bike).reports {
        print(report.cadenceRPM ?? 0, "rpm")
    }
    await pauses
}
