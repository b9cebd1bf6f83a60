import ServiceKit
import History
import Testing
import Wire

@Suite("A local calendar over minutes of UTC")
struct DayCalendarTests {
    @Test(
        "Days have the hours that people lived",
        arguments: [
            ("Europe/Berlin", "2026-03-29", 23), ("Europe/Berlin", "2026-10-25", 25),
            ("Europe/Berlin", "2026-11-20", 24),
            ("America/Sao_Paulo", "2018-11-04", 23), ("America/Sao_Paulo", "2018-02-17", 25),
            ("Pacific/Apia", "2011-12-30", 0), ("UTC", "2026-03-29", 24),
        ])
    func hours(zone: String, date: String, hours: Int) throws {
        let calendar = try DayCalendar(zone: zone)
        let day = try #require(LocalDate(date))
        #expect(calendar.minutes(of: day).count == hours * 60)
    }

    @Test("A day that starts at 04:00 takes the night with it")
    func dayStart() throws {
        let calendar = try DayCalendar(zone: "Europe/Berlin", dayStartMinutes: 240)
        let friday = try #require(LocalDate("2026-11-20"))
        // 2026-11-20T03:00Z is 04:00 in Berlin.
        #expect(calendar.startMinute(of: friday) == 1_795_143_600 / 60)
        #expect(calendar.date(ofMinute: 1_795_143_600 / 60 - 1) == friday.advanced(by: -1))
    }

    @Test("Dates survive the way through text and through the calendar")
    func dates() throws {
        for number in stride(from: 0, to: 84_000, by: 1) {
            let date = LocalDate(dayNumber: number)
            let (year, month, day) = date.components
            #expect(LocalDate(year: year, month: month, day: day) == date)
            if number % 97 == 0 { #expect(LocalDate(date.description) == date) }
        }
        #expect(LocalDate("2026-11-20")?.startOfWeek(from: .monday).description == "2026-11-16")
        #expect(LocalDate("2024-02-29")?.startOfNextMonth.description == "2024-03-01")
    }

    @Test(
        "What is no date is none",
        arguments: ["2026-02-29", "2026-13-01", "2026-00-10", "20261120", "2026-1-1", "-026-01-01", "", "2300-01-01"])
    func wrongDates(text: String) {
        #expect(LocalDate(text) == nil)
    }

    @Test("What is no zone is refused with an example", arguments: ["Mars/Olympus", "CET+1", "", "../../etc/passwd"])
    func wrongZone(name: String) {
        #expect(throws: SettingError.self) { try DayCalendar(zone: name) }
    }

    @Test("Buckets of every width tile a range across a change of the clocks", arguments: Bucket.allCases)
    func bucketsTile(width: Bucket) throws {
        for zone in ["Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo"] {
            let calendar = try DayCalendar(zone: zone)
            let start = calendar.startMinute(of: try #require(LocalDate("2018-10-01"))) + 17
            let range = start..<start + (width == .minute ? 3000 : 220 * 1440)
            let buckets = calendar.buckets(width, in: range, limit: .max)
            #expect(buckets.first?.lowerBound == range.lowerBound)
            #expect(buckets.last?.upperBound == range.upperBound)
            for (one, next) in zip(buckets, buckets.dropFirst()) {
                #expect(one.upperBound == next.lowerBound)
                #expect(
                    calendar.bucket(width, containing: one.lowerBound)
                        == calendar.bucket(width, containing: one.upperBound - 1))
            }
        }
    }
}
