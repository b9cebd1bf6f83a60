import Glibc

/// One direction of a link: bytes that were taken and are not yet given on.
struct ProxyPipe {
    private struct Chunk {
        /// When it may go on, in seconds of the monotonic clock.
        var dueSeconds: Double
        var bytes: [UInt8]
    }

    private let source: Int32
    private let sink: Int32
    private var chunks: [Chunk] = []
    private var sent = 0
    private var heldBytes = 0
    /// Whether the source has said that nothing more comes.
    private(set) var hasEnded = false
    /// Whether one of the two is broken.
    private(set) var isBroken = false
    /// Whether any byte has come through.
    private(set) var hasCarried = false

    /// The most bytes that are held; a fuller pipe takes nothing, as a network's buffers do.
    private static let maximumHeldBytes = 4_194_304
    /// The most bytes taken at a time.
    private static let readBytes = 65_536
    /// The most bytes given on one by one in a round.
    private static let bytesARound = 2_048

    init(from source: Int32, to sink: Int32) {
        self.source = source
        self.sink = sink
    }

    var takesMore: Bool { !hasEnded && !isBroken && heldBytes < Self.maximumHeldBytes }
    var isEmpty: Bool { chunks.isEmpty }
    /// When there is something to give on; `nil` when nothing is held.
    var dueSeconds: Double? { chunks.first?.dueSeconds }

    /// Takes what the source has; what is swallowed goes nowhere.
    mutating func take(dueSeconds: Double, swallows: Bool) {
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readBytes) { buffer, count in
            let result = recv(source, buffer.baseAddress, Self.readBytes, 0)
            count = max(result, 0)
            if result == 0 { hasEnded = true }
            if result < 0, errno != EAGAIN, errno != EINTR { isBroken = true }
        }
        guard !bytes.isEmpty, !swallows else { return }
        chunks.append(Chunk(dueSeconds: dueSeconds, bytes: bytes))
        heldBytes += bytes.count
    }

    /// Gives on what is due.
    mutating func give(nowSeconds: Double, byteAtATime: Bool) {
        var left = byteAtATime ? Self.bytesARound : Int.max
        while let chunk = chunks.first, chunk.dueSeconds <= nowSeconds, left > 0, !isBroken {
            let length = byteAtATime ? 1 : chunk.bytes.count - sent
            let result = chunk.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { send(sink, $0 + sent, length, Int32(MSG_NOSIGNAL)) } ?? 0
            }
            guard result > 0 else {
                if result < 0, errno != EAGAIN, errno != EINTR { isBroken = true }
                return
            }
            hasCarried = true
            sent += result
            heldBytes -= result
            left -= 1
            if sent == chunk.bytes.count {
                chunks.removeFirst()
                sent = 0
            }
        }
    }
}
