import Testing
import Wire

@testable import History

@Suite("Leases on notices", .timeLimit(.minutes(5)))
struct LiveLeasesTests {
    let watch: DeviceID
    let folder: TemporaryFolder
    static let minute: Int64 = 29_919_900
    static let now = Double(minute) * 60 + 20

    init() throws {
        watch = try DeviceID("watch-3")
        folder = try TemporaryFolder()
    }

    @Test("A notice is due at n, 2n, 3n, and counts that fall take none back and add none")
    func multiples() throws {
        var leases = LiveLeases()
        let startedLease = leases.start(lease(every: 10))
        let lease = try #require(startedLease)
        for (counted, numbers) in [(9, []), (10, [1]), (35, [2, 3]), (15, []), (39, []), (40, [4])]
            as [(Int64, [UInt64])]
        {
            let notices = leases.note(lease, counted: counted, today: 7, nowSeconds: Self.now).notices
            #expect(notices.map(\.number) == numbers)
            #expect(notices.map(\.counted) == numbers.map { $0 * 10 })
        }
    }

    @Test("Of more notices than the limit only the last are sent")
    func burst() throws {
        var leases = LiveLeases()
        let startedLease = leases.start(lease(every: 1))
        let lease = try #require(startedLease)
        let notices = leases.note(lease, counted: 1000, today: 0, nowSeconds: Self.now).notices
        #expect(notices.map(\.number) == Array(1001 - UInt64(LiveLeases.maximumNotices)...1000))
    }

    @Test("Only leases of devices that have changed are counted")
    func due() throws {
        var leases = LiveLeases()
        let other = try DeviceID("other")
        _ = leases.start(lease(every: 1))
        _ = leases.start(lease(every: 1, of: other))
        #expect(leases.takeDue().isEmpty)
        leases.change([watch])
        #expect(leases.takeDue().map(\.device) == [watch])
        leases.change([other])
        #expect(leases.takeDue().map(\.device) == [other])
        #expect(leases.takeDue().isEmpty)
    }

    @Test("A renewal goes on with the same numbers, and what has come since the last notice is still said")
    func renewal() throws {
        var leases = LiveLeases()
        let startedFirst = leases.start(lease(every: 10))
        let first = try #require(startedFirst)
        _ = leases.note(first, counted: 15, today: 0, nowSeconds: Self.now)
        var again = lease(every: 10)
        (again.counted, again.reached, again.expiresSeconds) = (25, 2, Self.now + 200)
        let startedRenewed = leases.start(again)
        let renewed = try #require(startedRenewed)
        #expect(renewed.reached == 1)
        #expect(renewed.expiresSeconds == Self.now + 200)
        #expect(leases.takeDue() == [renewed])
        let notices = leases.note(renewed, counted: 25, today: 0, nowSeconds: Self.now).notices
        #expect(notices.map(\.number) == [2])
        #expect(leases.count == 1)
        let startedOther = leases.start(lease(every: 5))
        let other = try #require(startedOther)
        #expect(other.reached == 0)
        #expect(leases.count == 1)
    }

    @Test("A lease that is not renewed ends by itself")
    func expiry() throws {
        var leases = LiveLeases()
        _ = leases.start(lease(every: 1))
        #expect(leases.endExpired(nowSeconds: Self.now + 30) == 0)
        #expect(leases.endExpired(nowSeconds: Self.now + 31) == 1)
        let wasThere = leases.stop(watch, topic: Array("stride/reply/app".utf8))
        #expect(!wasThere)
    }

    @Test("More leases of a device than the limit are refused, renewals are not")
    func limit() {
        var leases = LiveLeases()
        for number in 0..<LiveLeases.maximumLeasesADevice {
            #expect(leases.start(lease(every: 1, topic: "stride/reply/\(number)")) != nil)
        }
        #expect(leases.start(lease(every: 1, topic: "stride/reply/one-more")) == nil)
        #expect(leases.start(lease(every: 1, topic: "stride/reply/7")) != nil)
        #expect(leases.start(lease(every: 2, topic: "stride/reply/7")) != nil)
    }

    @Test("A lease counts the whole minute of its beginning, as an interval does", arguments: StoreKind.available)
    func from(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([row(-6, revision: 1, steps: 99), row(-5, revision: 2, steps: 25)])
        let from = TimePoint.instant(seconds: Double(Self.minute - 5) * 60 + 42)
        var request = HistoryRequest(verb: .liveStart, device: watch, from: from)
        request.every = 10
        let answers = HistoryAnswers(store: store)
        let requester = try Requester("stride/reply/app")
        guard case .startLease(let lease) = await answers.answer(request, from: requester, nowSeconds: Self.now) else {
            Issue.record("no lease")
            return
        }
        #expect((lease.counted, lease.reached) == (25, 2))
        #expect(lease.startMinute == Self.minute - 5)
        let interval = HistoryRequest(verb: .historyInterval, device: watch, from: from)
        let data = try await store.ask(interval, at: Self.now, as: IntervalData.self)
        #expect(data.steps == 25)
        #expect(data.cutsResolution)
        _ = try await store.keep([row(-5, revision: 3, steps: 30), row(0, revision: 4, steps: 11)])
        let progress = try await answers.progress(of: lease, nowSeconds: Self.now)
        #expect(progress.counted == 41)
        #expect(progress.today == 140)
    }

    @Test("A renewal that does not say since when goes on from the lease's beginning")
    func renewedWithoutFrom() throws {
        var leases = LiveLeases()
        let payload = #"{"device":"watch-3","every":10,"reply_to":"stride/reply/app"}"#
        let admitted = try #require(try Admission("live/start", payload).request)
        let (request, topic) = (try admitted.request.get(), admitted.requester.address.topic)
        #expect(leases.renewed(request, to: topic).from == nil)
        _ = leases.start(lease(every: 10))
        #expect(leases.renewed(request, to: topic).from == .instant(seconds: Double(Self.minute) * 60))
        #expect(leases.renewed(request, to: Array("stride/reply/another".utf8)).from == nil)
    }

    private func lease(every: Int64, of device: DeviceID? = nil, topic: String = "stride/reply/app") -> LiveLease {
        LiveLease(
            device: device ?? watch, topic: Array(topic.utf8), counts: .steps, every: every, startMinute: Self.minute,
            expiresSeconds: Self.now + 30)
    }

    private func row(_ minute: Int64, revision: UInt64, steps: UInt32) -> MinuteTotals {
        var row = MinuteTotals(device: watch, minute: Self.minute + minute, epoch: 1, revision: revision)
        row.steps = steps
        return row
    }
}
