import StrideClient
import Wire

func showMinutes(of pedometer: Pedometer) async throws {
    let (from, to) = try (TimePoint(parsing: "2026-01-01"), TimePoint(parsing: "2027-01-01"))
    for try await page in pedometer.bus.seriesPages(device: pedometer.device, from: from, to: to, bucket: .minute) {
        for minute in page.buckets where minute.steps > 0 { print(minute.start, minute.steps) }
    }
}
