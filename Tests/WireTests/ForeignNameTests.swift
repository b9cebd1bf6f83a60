import Testing
import Wire

@Suite("Names of devices in other systems")
struct ForeignNameTests {
    @Test("No two names become one device")
    func distinct() throws {
        let names = [
            "bike-1", "bike_1", "bike.1", "bike 1", "bike-1-", "-bike-1", "bike--1", "Bike-1", "BIKE_1", "bike/1",
            "a.1", "a-1",
            "A 1", "1.2", "1-2", "1 2", "ba.d", "ba-d", "Велосипед 1", "Тренажёр 1", "bike-1\n",
        ]
        let ids = try names.map { try DeviceID(foreign: $0.utf8) }
        #expect(Set(ids).count == names.count)
        #expect(ids[0].description == "bike-1" && ids[11].description == "a-1")
        #expect(ids[1].description.hasPrefix("bike-1-") && ids[1].count == "bike-1-".count + 6)
    }

    @Test("A hardware address is one device in every spelling")
    func addresses() throws {
        let spellings = ["AA:BB:CC:DD:EE:0F", "aa-bb-cc-dd-ee-0f", "Aa.Bb.Cc.Dd.Ee.0f"]
        #expect(Set(try spellings.map { try DeviceID(foreign: $0.utf8).description }) == ["aa-bb-cc-dd-ee-0f"])
        #expect(try DeviceID(foreign: "AABBCCDDEE0F".utf8).description == "aabbccddee0f")
        #expect(try DeviceID(foreign: "AA:BB:CC:DD:EE".utf8).description != "aa-bb-cc-dd-ee")
    }
}
