import StrideClient
import Wire

func showAvailability(of pedometer: Pedometer) async throws {
    let availability = try await pedometer.availability()
    for capability in [Capability.steps, .distance, .floors] {
        switch availability.availabilities[capability] {
        case .available?: print(capability.rawValue, "yes")
        case .unavailable(let why)?: print(capability.rawValue, "no:", why)
        case nil: print(capability.rawValue, "not known to this history")
        }
    }
}
