import CMosquitto
import Glibc

/// An eventfd that ends a thread's `poll`, from any thread.
final class WakeUp: Sendable {
    /// For `poll`; -1 when the system had no descriptor left.
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func signal() {
        var one: UInt64 = 1
        // Only a full counter refuses, and then the thread is awake anyway.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
