import StrideClient
import Wire

func showWeek(of person: String, on bike: DeviceID, bus: StrideBus) async throws {
    try await bus.checkIn(person, on: bike)
    let week = try await bus.days(person: person)
    for day in week.rows { print(day.date, day.steps, day.revolutions) }
}
