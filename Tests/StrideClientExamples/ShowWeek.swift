import StrideClient
import Wire

func showWeek(of person: String, on bike: DeviceID, bus: StrideBus) async throws {
    try await bus.checkIn(person, on: bike)
    let week = try await bus.person(person)
    for day in week.buckets { print(day.steps, day.revolutions, day.distanceMetres) }
}
