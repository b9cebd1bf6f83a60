import Wire

/// What is done to the network between the clients and the broker.
enum NetworkFault: String, CaseIterable, Sendable {
    case cuts = "every connection cut, again and again"
    case halfOpen = "every connection half-open"
    case stalled = "nothing carried for more than two keep-alives"
    case latency = "5 s each way"
    case byteAtATime = "a byte at a time"

    /// Two keep-alives of the services' connections (MQTT 5 section 3.1.2.10; 5 s is the least that libmosquitto
    /// allows): by then a dead connection is known to be dead, and the path works again.
    static let maximumRecoverySeconds = 10.0
    /// How long it is waited for a recovery that is not in time, in seconds.
    private static let patienceSeconds = 40.0
    /// How long the network stands still, in seconds.
    private static let stalledSeconds = 12.0
    /// How long everything comes late, in seconds.
    private static let latencySeconds = 15.0
    /// How long bytes come one by one, in seconds.
    private static let trickleSeconds = 6.0
    /// Between two cuts, in seconds.
    private static let cutPauseSeconds = 0.7

    func wallSeconds(_ scale: BenchScale) -> Double {
        switch self {
        case .cuts: scale.cutSeconds + Self.maximumRecoverySeconds + 4
        case .halfOpen, .stalled: Self.stalledSeconds + 14
        case .latency: Self.latencySeconds + 14
        case .byteAtATime: Self.trickleSeconds + 10
        }
    }

    /// Spoils the network, and answers how long after each fault the whole path worked again, in seconds.
    func strike(_ proxy: NetworkProxy, _ watch: BusWatch, scale: BenchScale) async throws -> [Double] {
        try await ContinuousClock().sleep(for: .seconds(2))
        let links = proxy.servedLinks
        switch self {
        case .cuts:
            var recoveries: [Double] = []
            let end = ContinuousClock.now + .seconds(scale.cutSeconds)
            while ContinuousClock.now < end {
                proxy.cut(resets: recoveries.count.isMultiple(of: 2))
                recoveries.append(await recovery(proxy, watch, links: links))
                try await ContinuousClock().sleep(for: .seconds(Self.cutPauseSeconds))
            }
            return recoveries
        case .halfOpen:
            proxy.abandonLinks()
            return [await recovery(proxy, watch, links: links)]
        case .stalled: return try await spoil(proxy, watch, .stalled, seconds: Self.stalledSeconds, links)
        case .latency:
            return try await spoil(proxy, watch, .delayed(seconds: 5), seconds: Self.latencySeconds, links)
        case .byteAtATime: return try await spoil(proxy, watch, .byteAtATime, seconds: Self.trickleSeconds, links)
        }
    }

    /// A spell of bad weather; the recovery is measured from its end.
    private func spoil(
        _ proxy: NetworkProxy, _ watch: BusWatch, _ weather: NetworkWeather, seconds: Double, _ links: Int
    ) async throws -> [Double] {
        proxy.set(weather)
        try await ContinuousClock().sleep(for: .seconds(seconds))
        proxy.set(.clear)
        return [await recovery(proxy, watch, links: links)]
    }

    /// How long it takes from now until as many links are served as before, and every service has been heard.
    private func recovery(_ proxy: NetworkProxy, _ watch: BusWatch, links: Int) async -> Double {
        let begin = ContinuousClock.now
        watch.expectRecovery(of: ServiceName.allCases)
        while begin.duration(to: .now) < .seconds(Self.patienceSeconds) {
            if !watch.awaitsRecovery, proxy.servedLinks >= links { break }
            try? await ContinuousClock().sleep(for: .milliseconds(20))
        }
        return begin.duration(to: .now) / .seconds(1)
    }
}
