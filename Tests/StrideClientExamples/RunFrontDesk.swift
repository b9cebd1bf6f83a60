import StrideClient
import Wire

func runFrontDesk(_ bus: StrideBus, for person: String, on bike: DeviceID, from: TimePoint, to: TimePoint) async throws
{
    print(try await bus.devices().count, "devices,", try await bus.people().count, "people")
    try await bus.checkIn(person, on: bike, team: "Red")
    try await bus.configure(person: person, alias: "Champion")
    for stretch in try await bus.activities(person: person, from: from, to: to) { print(stretch.activity.name) }
    print(try await bus.interval(person: person, from: from, to: to).steps, "steps")
    print(try await bus.series(person: person, from: from, to: to, bucket: .hour).rows.count, "hours")
    try await bus.checkOut(of: bike)
    try await bus.forget(person: person)
}
