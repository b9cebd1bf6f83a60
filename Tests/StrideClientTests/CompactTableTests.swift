import StrideClient
import Testing

@testable import Wire

@Suite("Replies as CSV")
struct CompactTableTests {
    @Test("Each compact form has as many columns as names")
    func columns() throws {
        let device = try DeviceID("watch-3")
        let segment = ActivitySegment(start: 0, end: 60, activity: .walking, confidence: .high)
        let entry = DeviceEntry(
            device: device, kind: .wearable, zone: "UTC", firstT: 0, lastT: 60, steps: 1, revolutions: 0)
        let forms: [(RequestVerb, any CompactPayload)] = [
            (.historyDays, DaysData(device: device, days: [DayTotals(date: "2026-11-20", zone: "UTC")])),
            (.historySeries, SeriesData(device: device, bucket: .hour, buckets: [SeriesBucket(start: 0)])),
            (.historyInterval, IntervalData(device: device, from: 0, to: 60)),
            (.historyActivity, ActivityData(device: device, segments: [segment])),
            (.devices, DevicesData(devices: [entry])),
            (.people, PersonData(person: "Anna", zone: "UTC", bucket: .day, buckets: [PersonBucket(start: 0)])),
        ]
        for (verb, form) in forms {
            #expect(verb.compactColumns?.count == form.compact.rows.first?.count, "\(verb)")
        }
        #expect(RequestVerb.allCases.filter { $0.compactColumns != nil }.count == forms.count)
    }

    @Test("Text with a comma or a quotation mark is quoted, numbers are as they came")
    func quoting() {
        let data = CompactData(rows: [[.string("a,b"), .string("say \"x\""), .number(1.5), .unsigned(7)]])
        #expect(
            data.csvLines(of: .devices) == [
                "device,kind,first_t,last_t,steps,revolutions", "\"a,b\",\"say \"\"x\"\"\",1.5,7",
            ])
    }
}
