import TestBroker
import Testing

@testable import MQTT

@Suite("The producer's queue")
struct OutgoingQueueTests {
    @Test("Connections that end otherwise refuse nothing")
    func otherEnds() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits())
        queue.add(PublishRequest(publications(1)))
        for _ in 0..<20 {
            #expect(sent(&queue, 2) == ["0"])
            _ = queue.connectionLost()
        }
    }

    @Test("A request is complete with its last answer and keeps the first error")
    func completion() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits())
        let request = PublishRequest(publications(3))
        queue.add(request)
        _ = sent(&queue, 3)
        let early = [
            queue.complete(2, error: nil),
            queue.complete(0, error: MQTTError(.notAuthorized, "no")),
            queue.complete(0, error: nil),
        ]
        #expect(early.allSatisfy { $0 == nil })
        let complete = queue.complete(1, error: MQTTError(.refused, "no"))
        #expect(complete === request)
        let error = #expect(throws: MQTTError.self) { try request.takeCompletion().result.get() }
        #expect(error?.code == .notAuthorized)
        #expect(queue.isEmpty)
        #expect(queue.queuedBytes == 0)
    }

    @Test("A publication larger than the limit passes when it is alone")
    func largePublication() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits(maximumQueuedBytes: 4))
        let large = MQTTPublication(topic: "t", payload: Array(repeating: 0, count: 100))
        queue.add(PublishRequest([large, large]))
        #expect(queue.queuedMessages == 1)
    }

    @Test("The window spans positions, so that no message id is used twice in it")
    func window() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits(maximumInFlight: 3))
        queue.add(PublishRequest(publications(9)))
        #expect(sent(&queue, 9) == ["0", "1", "2"])
        _ = queue.complete(1, error: nil)
        _ = queue.complete(2, error: nil)
        #expect(sent(&queue, 9) == [])
        _ = queue.complete(0, error: nil)
        #expect(sent(&queue, 9) == ["3", "4", "5"])
    }

    @Test("Offers need a connection and room, never wait behind others, and are dropped with the connection")
    func offers() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits(maximumQueuedMessages: 2))
        let offer = publications(1)[0]
        let answers = [false, true, true, true].map { queue.offer(offer, isConnected: $0) }
        #expect(answers == [false, true, true, false])
        _ = queue.connectionLost()
        #expect(queue.isEmpty)
    }

    @Test("An offer that the broker is to keep is sent again after a connection broke, in its place")
    func retainedOffers() {
        var queue = OutgoingQueue(limits: MQTTProducerLimits())
        for publication in publications(3) {
            var offer = publication
            offer.retain = publication.payload == publications(2)[1].payload
            _ = queue.offer(offer, isConnected: true)
        }
        #expect(sent(&queue, 9) == ["0", "1", "2"])
        _ = queue.connectionLost()
        #expect(queue.queuedMessages == 1)
        #expect(sent(&queue, 9) == ["1"])
    }

    private func publications(_ count: Int) -> [MQTTPublication] {
        (0..<count).map { MQTTPublication("t", String($0)) }
    }

    private func sent(_ queue: inout OutgoingQueue, _ count: Int) -> [String] {
        (0..<count).compactMap { _ in
            queue.takeNext().map { String(decoding: $0.publication.payload, as: UTF8.self) }
        }
    }
}
