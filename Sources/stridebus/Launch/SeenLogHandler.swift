import Logging
import Wire

/// A handler in whose values nothing is unseen: names come from the bus, and a line's end or an escape of the terminal in
/// one of them would forge a line, or hide it.
struct SeenLogHandler: LogHandler {
    private var handler: any LogHandler

    init(_ handler: any LogHandler) { self.handler = handler }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.metadata = event.metadata?.mapValues { .string(NameText.shown("\($0)")) }
        handler.log(event: event)
    }
}
