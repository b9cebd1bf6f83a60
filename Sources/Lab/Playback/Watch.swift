import MQTT
package import StrideClient
package import Wire

/// There was no connection to the bus when something was to be shown; `description` is one line with the reason.
package struct NoConnection: Error, CustomStringConvertible {
    package let description: String
}

/// Shows what is published about every device: a table in place on a terminal, lines in a pipe.
package struct Watch: Sendable {
    /// The form of the output.
    package enum Form: Sendable {
        /// A table that is redrawn on a terminal; in a pipe a line a report.
        case live
        /// Each message as a JSON object on a line of its own.
        case events
        /// The table once, after a few seconds.
        case table
    }

    /// The time until devices are shown once, where none is given, s: a moving device sends a cadence once a second,
    /// and what is retained comes at once.
    private static let onceSeconds = 3.0

    private let observer: BusObserver
    private let form: Form
    private let seconds: Double?
    private let device: DeviceID?
    private let table = LiveTable()

    /// A watch of all devices or of one, with an observer that is closed at the end; for some seconds, or until the
    /// task is cancelled, or once for three seconds.
    package init(observer: BusObserver, form: Form = .live, seconds: Double?, device: DeviceID? = nil) {
        (self.observer, self.form, self.seconds, self.device) = (observer, form, seconds, device)
    }

    /// - Throws: `MQTTError` when the connection ends for good.
    package func run() async throws {
        let isOnce = form == .table
        let isRedrawn = form == .live && LiveScreen.isTerminal
        table.note(connectionProblem: "no broker has answered yet: is it running, and is the address right?")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe { note($0, printsLines: form == .live && !isRedrawn) } }
            group.addTask { try await followConnection(printsLines: !isRedrawn) }
            if isRedrawn { group.addTask { await redraw() } }
            group.addTask { try await Output.untilNobodyReads() }
            if let seconds = seconds ?? (isOnce ? Self.onceSeconds : nil) {
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    await observer.close()
                }
            }
            try await group.next()
            group.cancelAll()
        }
        // What is shown once must be what is so.
        if isOnce, let problem = table.problem { throw NoConnection(description: problem) }
        if isOnce { table.lines(at: .now).forEach(Output.line) }
    }

    private func note(_ event: BusEvent, printsLines: Bool) {
        guard device == nil || event.device == device else { return }
        guard form != .events else {
            if let line = event.encodedJSON() { Output.json(line) }
            return
        }
        table.note(event, at: .now)
        guard printsLines else { return }
        switch event {
        case .cadence(let device, _), .steps(let device, _), .activity(let device, _):
            if let line = table.line(about: device) { Output.line(line) }
        default: return
        }
    }

    /// A line on standard error would shift a block that is redrawn, so there the block itself shows what is wrong.
    private func followConnection(printsLines: Bool) async throws {
        for await state in observer.connectionStates {
            if case .failed(let error) = state { throw error }
            if case .connected = state { table.note(connectionProblem: nil) }
            guard case .disconnected(let error) = state else { continue }
            let words = "\(error.message); trying again"
            table.note(connectionProblem: words)
            if printsLines { Output.errorLine("watch: \(words)") }
        }
    }

    private func redraw() async {
        var screen = LiveScreen()
        while !Task.isCancelled {
            screen.redraw(table.lines(at: .now))
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}
