import CMosquitto
import Glibc
import Synchronization

/// The result of one `poll` on a wake-up and a socket. Not `select`, which refuses descriptors from 1024.
struct SocketPoll {
    var isReadable = false
    var isWritable = false
    var hasHungUp = false

    /// POLLRDHUP (poll(2)), which Swift's Glibc module leaves out.
    private static let peerHasClosed: Int32 = 0x2000

    /// Waits for input, for room to write, or for the peer to close the connection.
    ///
    /// - Parameters:
    ///   - socket: the connection, or -1 for none.
    ///   - seconds: the longest wait.
    static func wait(
        _ wakeUp: WakeUp, socket: Int32, input: Bool, output: Bool, seconds: Double
    ) -> SocketPoll {
        var events = Int16(peerHasClosed)
        if input { events |= Int16(POLLIN) }
        if output { events |= Int16(POLLOUT) }
        var descriptors = (
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: events, revents: 0)
        )
        let milliseconds = Int32(min(max(seconds * 1_000, 0), 3_600_000).rounded(.up))
        let count = withUnsafeMutableBytes(of: &descriptors) { bytes in
            poll(bytes.assumingMemoryBound(to: pollfd.self).baseAddress, 2, milliseconds)
        }
        guard count > 0 else { return SocketPoll() }
        if descriptors.0.revents != 0 { wakeUp.clear() }
        let found = Int32(descriptors.1.revents)
        return SocketPoll(
            isReadable: found & Int32(POLLIN) != 0, isWritable: found & Int32(POLLOUT) != 0,
            hasHungUp: found & (Int32(POLLHUP) | Int32(POLLERR) | peerHasClosed) != 0)
    }
}

/// An eventfd that ends a thread's `poll`, from any thread.
final class WakeUp: Sendable {
    /// For `poll`; -1 when the system had no descriptor left.
    let descriptor: Int32
    /// True from the first signal to the next `clear`. Signals in between write nothing, to save system calls.
    private let isSignalled = Atomic(false)

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // The write fails only on a full counter, and then the thread is awake anyway.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        // After the read: the thread looks at its work next, so it sees the work of every signal before this line.
        isSignalled.store(false, ordering: .sequentiallyConsistent)
    }
}
