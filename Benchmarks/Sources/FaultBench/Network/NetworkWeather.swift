/// What a network does to the bytes that it carries.
enum NetworkWeather: Sendable, Hashable {
    /// It carries them at once.
    case clear
    /// It carries nothing and says nothing; what was sent waits, and so does who wants to connect.
    case stalled
    /// It carries everything, later.
    case delayed(seconds: Double)
    /// It carries each byte in a packet of its own.
    case byteAtATime
}
