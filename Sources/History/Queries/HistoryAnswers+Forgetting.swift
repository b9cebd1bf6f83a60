import Wire

extension HistoryAnswers {
    /// `devices/forget`: everything that was ever kept about a device is deleted. What it measures from the present
    /// minute on is kept again.
    func forgetDevice(_ request: HistoryRequest, nowMinute: Int64) async throws -> ForgetData {
        let device = try await subject(of: request).record.device
        desk?.begin(device)
        defer { desk?.end(device) }
        let isKnown = try await store.device(device) != nil
        let whole = Forgetting(device: device, minutes: 0..<max(0, nowMinute), isWhole: true)
        let minutes = try await carryOut([whole], person: nil)
        return ForgetData(devices: isKnown ? 1 : 0, minutes: minutes)
    }

    /// `people/forget`: what a person's devices counted while they were the person's is deleted, and whose they were.
    func forgetPerson(_ request: HistoryRequest, nowMinute: Int64) async throws -> ForgetData {
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        let devices = Set(try await store.assignments(of: person).map(\.device)).sorted()
        for device in devices { desk?.begin(device) }
        defer { for device in devices { desk?.end(device) } }
        var forgettings: [Forgetting] = []
        for device in devices {
            let ranges = AssignmentBook.minutes(of: person, in: try await store.assignments(of: device))
            // Whoever has the device next begins after what there is of it.
            let last = max(try await store.device(device)?.lastMinute ?? 0, nowMinute)
            for range in ranges.map({ $0.clamped(to: 0..<last + 1) }) where !range.isEmpty {
                forgettings.append(Forgetting(device: device, minutes: range, isWhole: false))
            }
        }
        let minutes = try await carryOut(forgettings, person: person)
        return ForgetData(devices: UInt64(devices.count), minutes: minutes)
    }

    private func carryOut(_ forgettings: [Forgetting], person: String?) async throws(HistoryError) -> UInt64 {
        var minutes = 0
        for forgetting in try await store.begin(forgettings, person: person) {
            minutes += try await store.carryOut(forgetting)
            board?.change([forgetting.device])
        }
        return UInt64(clamping: minutes)
    }
}
