import Foundation
import Synchronization

/// A network between the clients and the broker that can be spoiled: a TCP proxy on a loopback port, with a thread of
/// its own.
final class NetworkProxy: Sendable {
    /// What the proxy is asked to do once.
    private enum Command {
        case cut(resets: Bool)
        case abandon
        case end
    }

    private struct State {
        var weather = NetworkWeather.clear
        var commands: [Command] = []
        var servedLinks = 0
        var hasEnded = false
    }

    /// What the bench is told when there is no port for it.
    struct NoPort: Error, CustomStringConvertible {
        var description: String { "no loopback port is free for the proxy: close some programs and try again" }
    }

    /// The port that clients connect to.
    let port: Int
    private let listener: Int32
    private let brokerPort: Int
    private let state = Mutex(State())

    /// How long the thread waits for bytes before it looks at its orders, in milliseconds.
    private static let roundMilliseconds: Int32 = 5

    init(to brokerPort: Int) throws {
        self.brokerPort = brokerPort
        (listener, port) = LoopbackSocket.listening()
        guard listener >= 0 else { throw NoPort() }
        Thread.detachNewThread { self.run() }
    }

    /// Links on which the broker has answered and that still carry bytes.
    var servedLinks: Int { state.withLock { $0.servedLinks } }

    func set(_ weather: NetworkWeather) { state.withLock { $0.weather = weather } }

    /// Ends every link, with FIN or with RST.
    func cut(resets: Bool) { order(.cut(resets: resets)) }

    /// Makes every link half-open: nothing arrives any more and nobody is told. Later links are whole.
    func abandonLinks() { order(.abandon) }

    /// Ends everything.
    func end() { order(.end) }

    /// Gives an order and counts no link as served until it has been carried out.
    private func order(_ command: Command) {
        state.withLock {
            $0.commands.append(command)
            $0.servedLinks = 0
        }
    }

    private func run() {
        var links: [ProxyLink] = []
        while true {
            let (weather, commands) = state.withLock { state in
                defer { state.commands.removeAll() }
                return (state.weather, state.commands)
            }
            for command in commands where !obey(command, &links) { return }
            carry(weather, &links)
            links.removeAll { link in
                if link.isOver { link.end(resets: false) }
                return link.isOver
            }
            let served = links.count(where: \.isServed)
            state.withLock { if $0.commands.isEmpty { $0.servedLinks = served } }
        }
    }

    /// Answers whether there is more to do.
    private func obey(_ command: Command, _ links: inout [ProxyLink]) -> Bool {
        switch command {
        case .abandon:
            for index in links.indices { links[index].isAbandoned = true }
            return true
        case .cut(let resets):
            for link in links { link.end(resets: resets) }
            links.removeAll()
            return true
        case .end:
            for link in links { link.end(resets: true) }
            close(listener)
            return false
        }
    }

    private func carry(_ weather: NetworkWeather, _ links: inout [ProxyLink]) {
        var now = Self.nowSeconds
        var polls = links.flatMap { $0.polls(weather, nowSeconds: now) }
        polls.append(pollfd(fd: listener, events: weather == .stalled ? 0 : Int16(POLLIN), revents: 0))
        poll(&polls, nfds_t(polls.count), Self.roundMilliseconds)
        guard weather != .stalled else { return }
        now = Self.nowSeconds
        for index in links.indices {
            links[index].carry(
                clientIsReadable: polls[index * 2].revents != 0, brokerIsReadable: polls[index * 2 + 1].revents != 0,
                weather, nowSeconds: now)
        }
        guard polls[polls.count - 1].revents != 0 else { return }
        let client = LoopbackSocket.accepted(by: listener)
        guard client >= 0 else { return }
        let broker = LoopbackSocket.connected(to: brokerPort)
        if broker >= 0 { links.append(ProxyLink(client: client, broker: broker)) } else { close(client) }
    }

    private static var nowSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
