import StrideClient
import Wire

func showRun(of pedometer: Pedometer, from: TimePoint, to: TimePoint) async throws {
    let run = try await pedometer.query(from: from, to: to)
    print(run.start, run.end, run.steps, "steps,", run.distanceMetres ?? 0, "m,", run.coveredSeconds, "s known")
    print("seconds a metre:", run.averageActivePaceSecondsPerMetre ?? 0, run.currentPaceSecondsPerMetre ?? 0)
    print("steps a second:", run.currentCadenceStepsPerSecond ?? 0)
    print("floors:", run.floorsAscended ?? 0, "up,", run.floorsDescended ?? 0, "down")
    for stretch in try await pedometer.activities(from: from, to: to) { print(stretch.start, stretch.activity.name) }
}
