import StrideClient
import Wire

func showWorkouts(_ bus: StrideBus, of person: String, on bike: DeviceID) async throws {
    try await bus.startWorkout(person: person)
    if let ride = try await bus.stopWorkout(person: person) {
        try await bus.edit(workout: ride.id, title: "Monday hills")
        let seconds = try await bus.workout(ride.id)
        print(ride.movingSeconds, "s,", ride.energy?.kilocalories ?? 0, "kcal,", seconds.watts?.count ?? 0, "rows")
    }
    for workout in try await bus.workouts(person: person) { print(workout.kind, workout.distanceMetres ?? 0, "m") }
    print(try await bus.workouts(device: bike).count, "rides on", bike)
}
