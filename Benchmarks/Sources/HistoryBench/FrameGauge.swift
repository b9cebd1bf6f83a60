import Wire

/// How many frames a second an ingest takes, from what its health says between the first and the last time.
struct FrameGauge {
    private var first: (t: Double, frames: UInt64)?
    private var last: (t: Double, frames: UInt64)?

    /// Whether any frame has been taken.
    var hasBegun: Bool { first != nil }

    /// Frames a second; 0 where too little is known.
    var framesASecond: Int {
        guard let first, let last, last.t > first.t, last.frames >= first.frames else { return 0 }
        return Int((Double(last.frames - first.frames) / (last.t - first.t)).rounded())
    }

    /// Takes a message of `service/ingest/health`.
    mutating func note(_ payload: some Sequence<UInt8>) {
        guard let health = try? ServiceHealth(json: Array(payload)), let frames = health["accepted"], frames > 0 else {
            return
        }
        last = (health.t, frames)
        first = first ?? last
    }
}
