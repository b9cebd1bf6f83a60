@testable import Lab
import Testing

@testable import Wire

@Suite("An answer's records, for people and for programs")
struct RecordTableTests {
    private func records(_ json: String) throws -> [JSONObject] {
        let value = try Array(json.utf8).withUnsafeBytes { try JSONValue(parsing: $0) }
        return try #require(value.array).compactMap(\.object)
    }

    private let days = ["date", "steps", "revolutions", "distance_m", "covered_s", "zone"]

    @Test("A table has the columns of which some record has something, each in its unit")
    func table() throws {
        let table = RecordTable(
            try records(
                #"""
                [{"date":"2026-11-20","steps":7,"revolutions":0,"distance_m":1460,"covered_s":65,"zone":"UTC"},
                 {"date":"2026-11-21","steps":0,"revolutions":0,"distance_m":0,"covered_s":0,"zone":"UTC"}]
                """#), fields: days)
        #expect(
            table.table(zone: nil).lines == [
                "date        steps    km  covered  zone", "2026-11-20      7  1.46  0:01:05  UTC",
                "2026-11-21                        UTC",
            ])
        #expect(!table.saysNothing)
    }

    @Test("Times are local in a table, in UTC in CSV; a record's own zone comes first")
    func times() throws {
        let buckets = RecordTable(
            try records(#"[{"start":1795194000,"steps":3,"covered_s":60},{"start":1795219200}]"#),
            fields: ["start", "steps", "covered_s"])
        #expect(
            buckets.table(zone: "Asia/Kathmandu").lines.prefix(2) == [
                "start (Asia/Kathmandu)  steps  covered", "2026-11-20 22:45            3  0:01:00",
            ])
        #expect(buckets.table(zone: "nowhere").lines[2] == "2026-11-21")
        #expect(buckets.csvLines == ["2026-11-20T17:00:00Z,3,60", "2026-11-21T00:00:00Z,,"])
        let devices = RecordTable(
            try records(#"[{"device":"a","first_t":1795194000,"zone":"Europe/Berlin"}]"#),
            fields: ["device", "first_t", "zone"])
        #expect(devices.table(zone: nil).lines[1] == "a       2026-11-20 18:00  Europe/Berlin")
        #expect(!devices.saysNothing)
    }

    @Test("One record is a line a field, and an unknown field is shown as it is")
    func fields() throws {
        let record = RecordTable(
            try records(#"[{"device":"a","active_s":65,"cadence_avg_rpm":84.25,"is_new":true,"none":null}]"#),
            fields: ["device", "active_s", "cadence_avg_rpm", "is_new", "none"])
        #expect(
            record.fields(zone: nil).lines == [
                "what    UTC", "device  a", "active  0:01:05", "rpm     84.3", "is new  yes",
            ])
    }

    @Test("Text with a comma or a quotation mark is quoted in CSV, and what is not known is empty")
    func quoting() throws {
        let table = RecordTable(
            try records(#"[{"date":"a,b \"x\"","steps":7,"distance_m":1.46,"zone":null}]"#), fields: days)
        #expect(table.csvLines == ["\"a,b \"\"x\"\"\",7,,1.46,,"])
        #expect(RecordTable.csvHeading(days) == "date,steps,revolutions,distance_m,covered_s,zone")
    }

    @Test("Stretches in which nothing was counted say nothing; devices and people do")
    func nothing() throws {
        #expect(RecordTable([], fields: ["person"]).saysNothing)
        #expect(RecordTable(try records(#"[{"date":"x","steps":0,"covered_s":0}]"#), fields: days).saysNothing)
        #expect(!RecordTable(try records(#"[{"person":"Anna"}]"#), fields: ["person"]).saysNothing)
    }

    @Test("A text that a spreadsheet would take for a formula is shown as it is; a negative number is one")
    func formulas() throws {
        let table = RecordTable(
            try records(##"[{"person":"=HYPERLINK(1)","alias":"-2+3","watts":-5}]"##),
            fields: ["person", "alias", "watts"])
        #expect(table.csvLines == ["'=HYPERLINK(1),'-2+3,-5"])
    }
}
