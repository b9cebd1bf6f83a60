import StrideClient
import Wire

func showHistory(of pedometer: Pedometer) async throws {
    let morning = try await pedometer.query(
        from: TimePoint(parsing: "2026-11-20T06:00:00+01:00"), to: TimePoint(parsing: "2026-11-20T12:00:00+01:00"))
    print("in the morning", morning.steps, "steps in", morning.coveredSeconds, "seconds that are known")
    for day in try await pedometer.days(from: TimePoint(parsing: "2020-01-01")) where day.steps > 0 {
        print(day.date, day.zone, day.steps)
    }
}
