import MQTT
public import StrideClient

/// Shows what the bus says about every device: a table in place on a terminal, lines in a pipe.
public struct Watch: Sendable {
    private let observer: BusObserver
    private let seconds: Double?
    private let printsJSON: Bool
    private let board = DeviceBoard()

    /// A watch that has not started.
    ///
    /// - Parameters:
    ///   - observer: what listens to the bus; it is closed at the end.
    ///   - seconds: how long to watch; nil watches until the task is cancelled.
    ///   - printsJSON: whether to print each event as a JSON object on a line of its own instead.
    public init(observer: BusObserver, seconds: Double?, printsJSON: Bool = false) {
        self.printsJSON = printsJSON
        self.observer = observer
        self.seconds = seconds
    }

    /// Watches.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    public func run() async throws {
        let isTerminal = LiveScreen().isTerminal && !printsJSON
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await observer.observe { note($0, printsLines: !isTerminal) } }
            group.addTask { await tellConnection() }
            if isTerminal { group.addTask { await redraw() } }
            if let seconds {
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    await observer.close()
                }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func note(_ event: BusEvent, printsLines: Bool) {
        guard !printsJSON else {
            if let line = event.encodedJSON() { Output.line(String(decoding: line, as: UTF8.self)) }
            return
        }
        board.note(event)
        guard printsLines else { return }
        switch event {
        case .cadence(let device, _), .steps(let device, _), .activity(let device, _):
            if let line = board.line(about: device) { Output.line(line) }
        default: return
        }
    }

    private func tellConnection() async {
        for await state in observer.connectionStates {
            if case .disconnected(let error) = state { Output.errorLine("watch: \(error.message); trying again") }
        }
    }

    private func redraw() async {
        var screen = LiveScreen()
        while !Task.isCancelled {
            Output.write(screen.redraw(board.lines))
            try? await Task.sleep(for: .milliseconds(500))
        }
    }
}
