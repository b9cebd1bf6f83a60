import StrideClient
import Wire

func showMinutes(of pedometer: Pedometer) async throws {
    let (from, to) = try (TimePoint(parsing: "2026-01-01"), TimePoint(parsing: "2027-01-01"))
    let year = try await pedometer.bus.series(device: pedometer.device, from: from, to: to, bucket: .minute)
    for minute in year.rows where minute.steps > 0 { print(minute.start, minute.steps) }
}
