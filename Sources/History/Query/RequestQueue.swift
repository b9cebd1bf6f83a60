package import Wire

/// The requests that are being answered, and those that wait.
package struct RequestQueue: Sendable {
    /// The place of a request: answered, waiting, or refused.
    package enum Place: Sendable {
        /// It is answered now.
        case now
        /// It waits, and `next` gives it.
        case waits
        /// Too many wait already.
        case tooBusy
    }

    package static let maximumWaiting = 256
    /// The requests of one user that wait at most, so that one cannot keep all others waiting.
    package static let maximumWaitingOfUser = 28
    /// The most that are answered at the same time: more than the store has readers, because an answer takes until the
    /// broker has it.
    package static let maximumAnswering = 16
    /// The most of one asker that are answered at the same time, so that expensive ones leave others answered.
    package static let maximumAnsweringOfOne = 4
    /// The longest time that an answer is worked on, in seconds.
    package static let maximumAnswerSeconds = 10.0

    private var waiting: [AdmittedRequest] = []
    /// The requests that are being answered, by who asked.
    private var answering: [[UInt8]: Int] = [:]

    package init() {}

    /// Takes a request in.
    package mutating func take(_ request: AdmittedRequest) -> Place {
        if hasRoom(for: request) {
            answering[request.asker, default: 0] += 1
            return .now
        }
        let user = request.requester.user
        let ofUser = user == nil ? 0 : waiting.count { $0.requester.user == user }
        guard waiting.count < Self.maximumWaiting, ofUser < Self.maximumWaitingOfUser else { return .tooBusy }
        waiting.append(request)
        return .waits
    }

    /// One is answered; gives the one that has waited longest of those that may take its place.
    package mutating func next(after answered: AdmittedRequest) -> AdmittedRequest? {
        let left = (answering[answered.asker] ?? 1) - 1
        answering[answered.asker] = left > 0 ? left : nil
        guard let index = waiting.firstIndex(where: hasRoom) else { return nil }
        let request = waiting.remove(at: index)
        answering[request.asker, default: 0] += 1
        return request
    }

    private func hasRoom(for request: AdmittedRequest) -> Bool {
        answering.values.reduce(0, +) < Self.maximumAnswering
            && answering[request.asker] ?? 0 < Self.maximumAnsweringOfOne
    }
}

extension AdmittedRequest {
    /// Who asks: a user, or on the operators' way whoever reads the topic of the answer.
    fileprivate var asker: [UInt8] { requester.user.map { Array("\($0)".utf8) } ?? requester.address.topic }
}

/// The time that answers take, in milliseconds: of all together, and of the slowest one of the last hour by verb.
package struct RequestCosts: Sendable {
    /// The time that one is remembered, in minutes.
    static let keptMinutes: Int64 = 60

    private var sum: UInt64 = 0
    /// The slowest answer of each minute that had one.
    private var slowest: [RequestVerb: [Int64: UInt64]] = [:]

    package init() {}

    /// Adds an answer.
    package mutating func note(milliseconds: UInt64, of verb: RequestVerb, nowSeconds: Double) {
        sum &+= milliseconds
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        var minutes = kept(slowest[verb] ?? [:], at: minute)
        minutes[minute] = max(milliseconds, minutes[minute] ?? 0)
        slowest[verb] = minutes
    }

    /// The counters on `service/history/health`.
    package func counters(nowSeconds: Double) -> [(name: String, value: UInt64)] {
        let minute = Int64(clampingSeconds: nowSeconds) / 60
        return [("requests_ms", sum)]
            + RequestVerb.allCases.compactMap { verb in
                kept(slowest[verb] ?? [:], at: minute).values.max().map { milliseconds in
                    ("dearest_\(verb.rawValue.replacing("/", with: "_"))_ms", milliseconds)
                }
            }
    }

    /// Those of the last hour; a clock that was set back keeps none of its future.
    private func kept(_ minutes: [Int64: UInt64], at minute: Int64) -> [Int64: UInt64] {
        minutes.filter { (minute - Self.keptMinutes...minute).contains($0.key) }
    }
}
