/// What another device recorded, second by second: the payload of `{device}/seconds`.
package struct RecordedSeconds: Sendable, Equatable {
    /// The first second, since 1970.
    package var start: Int64
    /// Whether the cadence is of steps, not of a crank.
    package var isOfSteps = false
    /// Of each channel a number a second, in whole revolutions or steps a minute, watts or beats a minute; `nil` where it is
    /// not known. A channel may end early.
    package var cadence: [Int?] = []
    package var watts: [Int?] = []
    package var bpm: [Int?] = []

    /// The most seconds of one message.
    package static let maximumSeconds = 600
    package static let maximumPayloadBytes = 16_384
    /// From 2001 to 2100, as every time of a device.
    private static let starts =
        FrameLimits.minimumTimeMicroseconds / 1_000_000..<FrameLimits.maximumTimeMicroseconds / 1_000_000

    package init(start: Int64) { self.start = start }

    /// The seconds that it has.
    package var count: Int { [cadence, watts, bpm].map(\.count).max() ?? 0 }

    /// The seconds of which something is known.
    package var knownCount: Int {
        (0..<count).count { place in [cadence, watts, bpm].contains { place < $0.count && $0[place] != nil } }
    }

    /// Reads `{"start":…,"cadence_rpm":[…],"watts":[…],"bpm":[…]}`, or `cadence_spm` for steps; `null` is not known.
    package init(json payload: UnsafeRawBufferPointer) throws(WireError) {
        let value = try JSONValue(parsing: payload, maximumBytes: Self.maximumPayloadBytes)
        guard let object = value.object else { throw .wrongType }
        guard let start = Int64(exactly: try object.value("start").timeSeconds()), Self.starts.contains(start) else {
            throw .absurdTime
        }
        self.init(start: start)
        let (rpm, spm) = (try object.numbers("cadence_rpm"), try object.numbers("cadence_spm"))
        guard rpm == nil || spm == nil else { throw .contradiction }
        (isOfSteps, cadence) = (spm != nil, rpm ?? spm ?? [])
        (watts, bpm) = (try object.numbers("watts") ?? [], try object.numbers("bpm") ?? [])
        guard count > 0 else { throw .noSamples }
    }

    /// The payload.
    package func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("start", UInt64(clamping: start))
            let channels = [(isOfSteps ? "cadence_spm" : "cadence_rpm", cadence), ("watts", watts), ("bpm", bpm)]
            for (name, numbers) in channels where numbers.contains(where: { $0 != nil }) {
                writer.key(name)
                writer.beginArray()
                for number in numbers {
                    if let number { writer.value(number) } else { writer.null() }
                }
                writer.endArray()
            }
        }
    }
}

extension JSONObject {
    fileprivate func numbers(_ name: String) throws(WireError) -> [Int?]? {
        guard let list = self[name] else { return nil }
        let elements = try list.elements()
        guard elements.count <= RecordedSeconds.maximumSeconds else { throw .tooManySamples }
        var numbers: [Int?] = []
        for element in elements {
            if case .null = element {
                numbers.append(nil)
            } else {
                numbers.append(Int(try element.number(in: 0...Double(Trace.Channel.maximum)).rounded()))
            }
        }
        return numbers
    }
}

extension ByteWriter {
    mutating func write(_ recorded: RecordedSeconds) {
        write(recorded.start)
        write(UInt8(recorded.isOfSteps ? 1 : 0))
        for numbers in [recorded.cadence, recorded.watts, recorded.bpm] {
            write(UInt16(truncatingIfNeeded: numbers.count))
            for number in numbers { write(number.map { UInt16(clamping: $0) } ?? .max) }
        }
    }
}

extension ByteReader {
    mutating func readRecordedSeconds() throws(WireError) -> RecordedSeconds {
        var recorded = RecordedSeconds(start: try read())
        recorded.isOfSteps = try read(UInt8.self) == 1
        recorded.cadence = try readNumbers()
        recorded.watts = try readNumbers()
        recorded.bpm = try readNumbers()
        return recorded
    }

    private mutating func readNumbers() throws(WireError) -> [Int?] {
        let count = Int(try read(UInt16.self))
        guard count <= RecordedSeconds.maximumSeconds else { throw .tooManySamples }
        var numbers: [Int?] = []
        for _ in 0..<count {
            let number: UInt16 = try read()
            numbers.append(number == .max ? nil : min(Int(number), Trace.Channel.maximum))
        }
        return numbers
    }
}
