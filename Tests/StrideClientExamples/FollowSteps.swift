import StrideClient

func followSteps(of pedometer: Pedometer) async throws {
    for try await data in pedometer.updates(every: 100) {
        print(data.steps, "steps,", data.distanceMetres ?? 0, "m")
    }
}
