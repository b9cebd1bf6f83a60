/// A listener for browsers: MQTT over WebSockets, and the files of a page, which Mosquitto serves from the same port.
package struct PageListener: Sendable, Hashable {
    /// The loopback port; 0 takes a free one.
    package var port: Int
    /// The folder with the page's `index.html`.
    package var directory: String

    package init(port: Int = 0, directory: String) {
        self.port = port
        self.directory = directory
    }

    /// The page's address. Browsers give motion sensors to `localhost`, which is secure as it is.
    package var url: String { "http://localhost:\(port)/" }
}

/// What a private broker is started with.
package struct EmbeddedBrokerConfiguration: Sendable {
    /// The loopback port to listen on; 0 takes a free one.
    package var port: Int
    /// Where the broker keeps its retained messages and sessions across restarts; `nil` keeps them in memory only.
    /// The directory is made if it is missing.
    package var persistenceDirectory: String?
    /// How often the state is written to `persistenceDirectory`, in seconds.
    package var autosaveSeconds: Int
    /// The messages that the broker holds for one client before it drops further ones.
    package var maximumQueuedMessages: Int
    /// The bytes that the broker holds for one client before it drops further messages.
    package var maximumQueuedBytes: Int
    /// The QoS 1 messages that may be on the way to one client without its PUBACK; 0 is no limit.
    package var maximumInFlightMessages: Int
    /// The longest MQTT packet that the broker takes, in bytes.
    package var maximumPacketBytes: Int
    /// Where the broker's log goes; `nil` is a file beside the configuration, removed when the broker stops.
    package var logFile: String?
    /// Where browsers reach the bus on loopback, and the page that they are shown; `nil` lets none in.
    package var page: PageListener?
    /// How long the broker may take until it accepts connections, in seconds.
    package var startSeconds: Double
    /// How long the broker may take to end after SIGTERM until it is killed, in seconds.
    package var stopSeconds: Double
    /// Lines to add to the broker's configuration as they are, such as another listener or an access list.
    package var extraLines: [String]
    /// Called with one line when something was mended at the start, such as a damaged database moved aside.
    package var note: @Sendable (String) -> Void

    /// A broker on a free loopback port, with the limits that one machine's bus needs.
    package init(
        port: Int = 0,
        persistenceDirectory: String? = nil,
        autosaveSeconds: Int = 5,
        maximumQueuedMessages: Int = 1_000_000,
        maximumQueuedBytes: Int = 268_435_456,
        maximumInFlightMessages: Int = 0,
        maximumPacketBytes: Int = 2_097_152,
        logFile: String? = nil,
        page: PageListener? = nil,
        startSeconds: Double = 15,
        stopSeconds: Double = 10,
        extraLines: [String] = [],
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.port = port
        self.persistenceDirectory = persistenceDirectory
        self.autosaveSeconds = autosaveSeconds
        self.maximumQueuedMessages = maximumQueuedMessages
        self.maximumQueuedBytes = maximumQueuedBytes
        self.maximumInFlightMessages = maximumInFlightMessages
        self.maximumPacketBytes = maximumPacketBytes
        self.logFile = logFile
        self.page = page
        self.startSeconds = startSeconds
        self.stopSeconds = stopSeconds
        self.extraLines = extraLines
        self.note = note
    }

    /// The text of `mosquitto.conf` for a listener on this port.
    func text(port: Int, isRoot: Bool) -> String {
        var lines = [
            "listener \(port) 127.0.0.1",
            "allow_anonymous true",
            "max_queued_messages \(maximumQueuedMessages)",
            "max_queued_bytes \(maximumQueuedBytes)",
            "max_inflight_messages \(maximumInFlightMessages)",
            "max_packet_size \(maximumPacketBytes)",
            "connection_messages false",
            "log_dest stderr",
            "log_type error",
            "log_type warning",
            "log_type notice",
            "log_type information",
            "set_tcp_nodelay true",
        ]
        if let persistenceDirectory {
            lines += [
                "persistence true",
                "persistence_location \(persistenceDirectory)/",
                "autosave_interval \(autosaveSeconds)",
            ]
        }
        if let page {
            lines += ["listener \(page.port) 127.0.0.1", "protocol websockets", "http_dir \(page.directory)"]
        }
        // A root broker must stay root, because changing the user clears the parent-death signal (prctl(2)).
        if isRoot { lines.append("user root") }
        return (lines + extraLines).joined(separator: "\n") + "\n"
    }
}
