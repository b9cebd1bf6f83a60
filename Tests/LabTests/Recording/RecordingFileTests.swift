@testable import Lab
import Testing
import Wire

@Suite("Recording files")
struct RecordingFileTests {
    private func parse(_ text: String) throws(RecordingError) -> RecordingFile {
        try RecordingFile(csv: Array(text.utf8), path: "a.csv")
    }

    @Test("Columns are found by name; a sensor with empty fields is absent")
    func columns() throws {
        let file = try parse(
            "t_s,note,gz,gy,gx,ax,ay,az,mx,my,mz\r\n0,x,3,2,1,-0.5,1e-3,9.81,,,\r\n0.02,,,,,1,2,3,4,5,6\n")
        #expect(file.samples.count == 2)
        #expect(
            file.samples[0]
                == RecordedSample(
                    timeSeconds: 0, acceleration: SIMD3(-0.5, 0.001, 9.81), angularVelocity: SIMD3(1, 2, 3)))
        #expect(
            file.samples[1]
                == RecordedSample(
                    timeSeconds: 0.02, acceleration: SIMD3(1, 2, 3), magneticField: SIMD3(4, 5, 6)))
        #expect(file.durationSeconds == 0.02)
    }

    @Test("A barometer speaks on some lines")
    func pressure() throws {
        let file = try parse("t_s,ax,ay,az,pressure_hpa\n0,0,0,9.81,1013.25\n0.02,0,0,9.8,\n")
        #expect(file.samples.map(\.pressureHectopascals) == [1013.25, nil])
    }

    @Test(
        "Numbers are read as the standard library reads them",
        arguments: [
            "0", "-0", "7", "-12.25", "+3.5", ".5", "5.", "0.1", "123456789.123456", "1e5", "-2.5E-3",
            "0.3333333333333333",
            "99999999999",
        ])
    func numbers(text: String) throws {
        let file = try parse("ax,ay,az,t_s\n1,1,1,\(text)\n")
        #expect(file.samples.first?.timeSeconds == Double(text.hasSuffix(".") ? text + "0" : text))
    }

    @Test(
        "Errors name the line and what is wrong",
        arguments: [
            ("", "a.csv: is empty"), ("time,ax\n", "a.csv:1: the header has no column t_s"),
            (head + "0,1,2,3\n1,1,x,3\n", "a.csv:3: ay is not"),
            (head + "0,1,2,3\n\n1,1,nan,3\n", "a.csv:4: ay is not"),
            (head + "0,1,2,3,4\n", "a.csv:2: the fields do not fit"),
            (head + "0,1,,3\n", "a.csv:2: the fields do not fit"),
            (head + ",1,2,3\n", "a.csv:2: the fields do not fit"), (head + "0,-,2,3\n", "a.csv:2: ax is not"),
            (head + "0,1,2,3\n0,1,2,3\n", "a.csv:3: t_s must increase"),
            (head + "0,1,2,3\n1e300,1,2,3\n", "a.csv:3: t_s must be seconds"),
            ("t_s,x,y,z\n0,1,2,3\n", "a.csv: no line has a sample"),
        ])
    func errors(text: String, words: String) {
        let error = #expect(throws: RecordingError.self) { try parse(text) }
        #expect(error?.description.hasPrefix(words) == true)
    }

    private static let head = "t_s,ax,ay,az\n"

    @Test("A header alone is an empty recording, and the last line needs no end")
    func ends() throws {
        #expect(try parse("t_s,ax,ay,az").samples.isEmpty)
        #expect(try parse("t_s,ax,ay,az\n0,1,2,3").samples.count == 1)
        #expect(try parse("t_s,ax,ay,az\n").durationSeconds == 0)
        #expect(try parse("t_s,ax,ay,az\r0,1,2,3\r1,1,2,3\r").durationSeconds == 1)
    }

    @Test(
        "A recording is played from its first sample on, whatever its zero is", arguments: [-100.0, 0, 1_795_000_000])
    func played(zero: Double) throws {
        let recording = try parse("t_s,ax,ay,az\n\(zero),1,2,3\n\(zero + 1.5),1,2,3\n")
        let item = RecordingSource.Item(name: "a.csv", recording: recording, configuration: DeviceConfig())
        var source = RecordingSource(items: [item], startMicroseconds: 1_000_000)
        #expect(source.nextDueMicroseconds == 1_000_000)
        #expect(source.takeDue(untilMicroseconds: 2_500_000).count == 2)
    }
}
