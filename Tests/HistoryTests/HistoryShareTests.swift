import ServiceKit
import Testing
import Wire

@testable import History

@Suite("Several histories on one database")
struct HistoryShareTests {
    private let names = ["history-a", "history-b", "history-c"]
    private let devices: [DeviceID]

    init() throws { devices = try (1...300).map { try DeviceID("bike-\($0)") } }

    private func share(_ name: String, of names: [String]) -> HistoryShare {
        HistoryShare(name: name, others: names.filter { $0 != name })
    }

    private func status(_ name: String, _ word: InstanceStatus.Word = .online) -> InstanceStatus {
        InstanceStatus { ($0.instance, $0.status, $0.run) = (name, word, name) }
    }

    @Test("Each device is that of exactly one, and each has about as many")
    func divided() {
        let shares = names.map { share($0, of: names) }
        for device in devices { #expect(shares.count { $0.owns(device) } == 1) }
        for share in shares { #expect((60...140).contains(devices.count { share.owns($0) })) }
        #expect(shares.map(\.text) == ["1/3", "2/3", "3/3"])
        #expect(shares.map(\.isFirst) == [true, false, false])
    }

    @Test("The only history has everything and says nothing of it")
    func only() {
        var share = HistoryShare()
        #expect(devices.allSatisfy(share.owns) && share.isFirst && share.text == nil)
        let isToSay = share.isToSay(nowSeconds: 100)
        let isChanged = share.hear(status("history-b"), nowSeconds: 1)
        #expect(!isToSay && !isChanged)
    }

    @Test("One that ends, or is silent, gives its devices to the others and takes none of theirs")
    func leaving() {
        var share = share("history-a", of: names)
        let before = devices.filter(share.owns)
        let isChanged = share.hear(status("history-b", .offline), nowSeconds: 1)
        #expect(isChanged && share.text == "1/2")
        let after = devices.filter(share.owns)
        #expect(Set(before).isSubset(of: after) && after.count > before.count)
        let heard = share.hear(status("history-c"), nowSeconds: 10)
        let early = share.expire(nowSeconds: 10 + HistoryShare.silenceSeconds)
        let late = share.expire(nowSeconds: 11 + HistoryShare.silenceSeconds)
        #expect(!heard && !early && late)
        #expect(devices.allSatisfy(share.owns))
    }

    @Test("A history answers its share, and what changes people is the first one's")
    func requests() throws {
        let topics = try TopicTree()
        let shares = names.map { share($0, of: names) }
        func owners(_ verb: String, _ payload: String) -> [Int] {
            let request = "\(topics.root)/request/\(verb)".utf8
            let admission = Array(request).withUnsafeBytes { topic in
                Array(payload.utf8).withUnsafeBytes { bytes in
                    IncomingRequest(
                        topic: topic, payload: bytes, responseTopic: nil, correlationData: nil, isRetained: false,
                        expirySeconds: nil
                    ).admission(in: topics, nowSeconds: 0)
                }
            }
            guard case .answer(let request, _) = admission else { return [] }
            return shares.indices.filter { shares[$0].owns(request) }
        }
        for device in devices.prefix(20) {
            let payload = "{\"device\":\"\(device)\",\"reply_to\":\"stride/reply/x\"}"
            #expect(owners("history/days", payload) == shares.indices.filter { shares[$0].owns(device) })
        }
        #expect(owners("devices", "{\"reply_to\":\"stride/reply/x\"}").count == 1)
        #expect(
            owners("people/checkin", "{\"person\":\"a\",\"device\":\"bike-1\",\"reply_to\":\"stride/reply/x\"}") == [0])
    }
}
