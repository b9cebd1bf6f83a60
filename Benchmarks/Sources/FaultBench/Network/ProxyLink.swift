import Glibc

/// A client's connection and the one to the broker that was made for it.
struct ProxyLink {
    let client: Int32
    let broker: Int32
    var up: ProxyPipe
    var down: ProxyPipe
    /// Half-open: both ends believe in it, and nothing that they send arrives.
    var isAbandoned = false

    init(client: Int32, broker: Int32) {
        self.client = client
        self.broker = broker
        up = ProxyPipe(from: client, to: broker)
        down = ProxyPipe(from: broker, to: client)
    }

    /// Whether the broker has answered on it and bytes still go through.
    var isServed: Bool { down.hasCarried && !isAbandoned && !isOver }

    /// Whether nothing more can come through, in one direction at least.
    var isOver: Bool {
        if isAbandoned { return false }
        return up.isBroken || down.isBroken || (up.hasEnded && up.isEmpty) || (down.hasEnded && down.isEmpty)
    }

    /// Ends both connections, with FIN or with RST.
    func end(resets: Bool) {
        for descriptor in [client, broker] {
            if resets { LoopbackSocket.resetOnClose(descriptor) }
            close(descriptor)
        }
    }

    /// What is waited for, the client's end first.
    func polls(_ weather: NetworkWeather, nowSeconds: Double) -> [pollfd] {
        [
            poll(client, events(reading: up, writing: down, weather, nowSeconds)),
            poll(broker, events(reading: down, writing: up, weather, nowSeconds)),
        ]
    }

    /// A socket that nothing is wanted of is left out, because its hang-up would be told again and again.
    private func poll(_ descriptor: Int32, _ events: Int16) -> pollfd {
        pollfd(fd: events == 0 ? -1 : descriptor, events: events, revents: 0)
    }

    private func events(
        reading: ProxyPipe, writing: ProxyPipe, _ weather: NetworkWeather, _ nowSeconds: Double
    ) -> Int16 {
        if weather == .stalled { return 0 }
        let isDue = writing.dueSeconds.map { $0 <= nowSeconds } ?? false
        return (reading.takesMore ? Int16(POLLIN) : 0) | (isDue && !isAbandoned ? Int16(POLLOUT) : 0)
    }

    /// Carries bytes both ways.
    mutating func carry(clientIsReadable: Bool, brokerIsReadable: Bool, _ weather: NetworkWeather, nowSeconds: Double) {
        var due = nowSeconds
        if case .delayed(let seconds) = weather { due += seconds }
        if clientIsReadable, up.takesMore { up.take(dueSeconds: due, swallows: isAbandoned) }
        if brokerIsReadable, down.takesMore { down.take(dueSeconds: due, swallows: isAbandoned) }
        guard !isAbandoned else { return }
        up.give(nowSeconds: nowSeconds, byteAtATime: weather == .byteAtATime)
        down.give(nowSeconds: nowSeconds, byteAtATime: weather == .byteAtATime)
    }
}
