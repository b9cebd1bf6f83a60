import Seeded
import Testing
import Wire

@Suite("Times in requests")
struct TimePointTests {
    @Test(
        "One instant, written in many ways",
        arguments: [
            "2026-11-20T17:00:00Z", "2026-11-20T18:00:00+01:00", "2026-11-20T12:30:00-0430", "2026-11-21T03:00:00+10",
            "2026-11-20 17:00Z", "2026-11-20t17:00:00.000z", "2026-11-20T16:59:60Z", "2026-11-20T17:00:00,0Z",
        ])
    func instants(text: String) throws {
        #expect(try TimePoint(parsing: text) == .instant(seconds: 1_795_194_000))
    }

    @Test("A date alone is a day of the device's calendar")
    func localDate() throws {
        #expect(try TimePoint(parsing: "2028-02-29") == .localDate(year: 2028, month: 2, day: 29))
        #expect(try TimePoint(parsing: "2028-02-29").text == "2028-02-29")
    }

    @Test("A number is seconds since 1970")
    func seconds() throws {
        #expect(try TimePoint(value: .integer(1_795_194_000)) == .instant(seconds: 1_795_194_000))
        #expect(try TimePoint(value: .number(1_795_194_000.25)) == .instant(seconds: 1_795_194_000.25))
        #expect(throws: WireError.absurdTime) { try TimePoint(value: .integer(1_795_194_000_000)) }
        #expect(throws: WireError.absurdTime) { try TimePoint(value: .integer(-1)) }
        #expect(throws: WireError.wrongType) { try TimePoint(value: .bool(true)) }
    }

    @Test(
        "What is no time is refused",
        arguments: [
            ("", WireError.malformed), ("now", .malformed), ("20261120", .malformed),
            ("2026-11-20T17:00:00", .malformed),
            ("2026-11-20T", .malformed), ("2026-11-20T17:00:00Zulu", .malformed), ("2026-11-20T17:00:00.Z", .malformed),
            ("2026-11-31", .absurdTime), ("2027-02-29", .absurdTime), ("2100-02-29", .absurdTime),
            ("2026-13-01", .absurdTime), ("0000-01-01", .absurdTime), ("2026-11-20T24:00Z", .absurdTime),
            ("2026-11-20T17:60Z", .absurdTime), ("2026-11-20T17:00+24:00", .absurdTime), ("２026-11-20", .malformed),
            ("2026-11-20T17:00:00.00000000000000000000000000000Z", .outOfRange),
        ])
    func refused(text: String, error: WireError) {
        #expect(throws: error) { try TimePoint(parsing: text) }
    }

    @Test("Every day from year 1 to 9999 is one after the day before it, and is read back from its text")
    func everyDay() throws {
        var days = CivilDate.days(year: 1, month: 1, day: 1)
        for year in 1...9999 {
            for month in 1...12 {
                let length = CivilDate.daysInMonth(year: year, month: month)
                for day in [1, length] {
                    let date = CivilDate.date(days: days + day - 1)
                    guard date == (year, month, day) else {
                        Issue.record("\(year)-\(month)-\(day) is \(date)")
                        return
                    }
                }
                days += length
            }
        }
        #expect(CivilDate.days(year: 1970, month: 1, day: 1) == 0)
    }

    @Test("An instant reads back from its text to the microsecond", arguments: 0..<500)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let microseconds = Int64.random(in: 0...4_102_444_800_000_000, using: &generator)
        let time = TimePoint.instant(seconds: Double(microseconds) / 1e6)
        guard case .instant(let seconds) = try TimePoint(parsing: time.text) else {
            Issue.record("not an instant: \(time.text)")
            return
        }
        #expect(abs(seconds - Double(microseconds) / 1e6) < 1e-6)
    }
}
