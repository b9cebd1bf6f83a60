import Foundation

/// Takes SIGINT and SIGTERM, so that an interrupted bench leaves no process and no file behind.
struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(directory: RunDirectory) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                ServiceProcess.killAll()
                directory.remove()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Stops taking signals.
    func end() {
        for source in sources { source.cancel() }
    }
}
