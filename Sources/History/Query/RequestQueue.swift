import Wire

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
    package static let maximumWaitingOfUser = 16
    /// The most that are answered at the same time: more than the store has readers, because an answer takes until the
    /// broker has it.
    package static let maximumAnswering = 16

    private var waiting: [AdmittedRequest] = []
    private var answering = 0

    package init() {}

    /// Takes a request in.
    package mutating func take(_ request: AdmittedRequest) -> Place {
        guard answering >= Self.maximumAnswering else {
            answering += 1
            return .now
        }
        let user = request.requester.user
        let ofUser = user == nil ? 0 : waiting.count { $0.requester.user == user }
        guard waiting.count < Self.maximumWaiting, ofUser < Self.maximumWaitingOfUser else { return .tooBusy }
        waiting.append(request)
        return .waits
    }

    /// One is answered; gives the one that has waited longest, which takes its place.
    package mutating func next() -> AdmittedRequest? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        answering -= 1
        return nil
    }
}
