import Wire

extension HistoryAnswers {
    /// `devices/forget`: everything that was ever kept about a device is deleted. What it sends from now on is kept
    /// again.
    func forgetDevice(_ request: HistoryRequest) async throws -> ForgetData {
        let device = try await subject(of: request).record.device
        guard try await store.device(device) != nil else { return ForgetData(devices: 0, minutes: 0) }
        let minutes = try await store.forget(device)
        board?.change([device])
        return ForgetData(devices: 1, minutes: UInt64(clamping: minutes))
    }

    /// `people/forget`: what a person's devices counted while they were the person's is deleted, and whose they were.
    func forgetPerson(_ request: HistoryRequest) async throws -> ForgetData {
        guard let person = request.person else {
            throw ReplyError(code: .badRequest, message: "'person' is missing; give a name such as \"Anna\"")
        }
        var data = ForgetData(devices: 0, minutes: 0)
        for device in Set(try await store.assignments(of: person).map(\.device)).sorted() {
            let ranges = AssignmentBook.minutes(of: person, in: try await store.assignments(of: device))
            var erased = 0
            for range in ranges { erased += try await store.erase(device, in: range) }
            data.minutes += UInt64(clamping: erased)
            data.devices += 1
            board?.change([device])
        }
        try await store.forget(person: person)
        return data
    }
}
