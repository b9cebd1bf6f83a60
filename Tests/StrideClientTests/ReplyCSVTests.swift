import StrideClient
import Testing

@testable import Wire

@Suite("Replies as CSV")
struct ReplyCSVTests {
    @Test("Each table has as many columns as names")
    func columns() throws {
        let device = try DeviceID("watch-3")
        let segment = ActivitySegment(start: 0, end: 60, activity: .walking, confidence: .high)
        let entry = DeviceEntry(
            device: device, kind: .wearable, zone: "UTC", firstT: 0, lastT: 60, steps: 1, revolutions: 0)
        let tables: [any CSVPayload] = [
            DaysData(device: device, days: [DayTotals(date: "2026-11-20", zone: "UTC")]),
            SeriesData(device: device, bucket: .hour, buckets: [SeriesBucket(start: 0)]),
            IntervalData(device: device, from: 0, to: 60), ActivityData(device: device, segments: [segment]),
            DevicesData(devices: [entry]),
            PersonData(person: "Anna", zone: "UTC", bucket: .day, buckets: [PersonBucket(start: 0)]),
        ]
        for table in tables {
            #expect(table.csvRows.map(\.count) == [type(of: table).csvColumns.count], "\(type(of: table))")
        }
    }

    @Test("Text with a comma or a quotation mark is quoted, numbers are rounded to tenths")
    func quoting() throws {
        let day = DayTotals(date: "a,b \"x\"", zone: "UTC", totals: Totals(steps: 7, distanceMetres: 1.46))
        let data = DaysData(device: try DeviceID("watch-3"), days: [day])
        #expect(DaysData.csvHeading == "date,steps,revolutions,distance_m,active_s,covered_s,revision")
        #expect(data.csvLines == ["\"a,b \"\"x\"\"\",7,0,1.5,0,0,0"])
    }
}
