public import Wire

/// Something that is to be forgotten. It is noted in the store before anything is deleted, and stays there until this
/// store has forgotten it and the broker has the order for the counter, so that whatever ends in between, it is done.
public struct Forgetting: Sendable, Hashable {
    /// Its number in the store; nil before it is there.
    public internal(set) var id: Int64?
    /// Whose.
    public let device: DeviceID
    /// Minutes since 1970, UTC: what was counted for them, and what comes late for them.
    public let minutes: Range<Int64>
    /// Whether everything about the device is forgotten, whatever its minute.
    public let isWhole: Bool
    /// Whether this store has forgotten it.
    public internal(set) var isDone = false

    /// Something to forget, from its parts.
    public init(device: DeviceID, minutes: Range<Int64>, isWhole: Bool) {
        self.device = device
        self.minutes = minutes
        self.isWhole = isWhole
    }

    /// What the counter is told.
    var order: CountsForget { CountsForget(device: device, minutes: minutes, isWhole: isWhole) }
}

extension HistoryStore {
    /// Deletes everything about a device, in small transactions.
    /// - Returns: How many minutes and hours are gone.
    public func forget(_ device: DeviceID) async throws(HistoryError) -> Int {
        var rows = 0
        while case let deleted = try await deleteSome(of: device), deleted > 0 { rows += deleted }
        try await deleteRest(of: device)
        return rows
    }

    /// Deletes what a device counted in a range, from its days and totals too, in small transactions. The same rows do
    /// not come back when they are sent again.
    /// - Returns: How many minutes are empty now.
    public func erase(_ device: DeviceID, in range: Range<Int64>) async throws(HistoryError) -> Int {
        var erased = 0
        var rest = range
        while !rest.isEmpty {
            let (count, next) = try await eraseSome(of: device, in: rest)
            erased += count
            rest = next..<max(next, range.upperBound)
        }
        return erased
    }

    /// Forgets what was begun, and notes that it is done.
    /// - Returns: How many minutes and hours are gone.
    func carryOut(_ forgetting: Forgetting) async throws(HistoryError) -> Int {
        let rows =
            forgetting.isWhole
            ? try await forget(forgetting.device) : try await erase(forgetting.device, in: forgetting.minutes)
        try await noteDone(forgetting)
        return rows
    }

    /// Goes on with what was begun by a process that has ended; what was counted since stays.
    func resume(_ forgetting: Forgetting) async throws(HistoryError) {
        guard forgetting.isWhole, let record = try await device(forgetting.device),
            (record.lastMinute ?? .min) >= forgetting.minutes.upperBound
        else {
            _ = try await carryOut(forgetting)
            return
        }
        _ = try await erase(forgetting.device, in: forgetting.minutes)
        try await noteDone(forgetting)
    }
}
