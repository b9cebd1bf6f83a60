/// Why a queue of frames cannot be opened, or did not take a frame.
public enum MotionQueueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no room: so many frames of the call were refused. The others are in the queue.
    case full(refusedFrames: Int)
    /// A frame is larger than any that is counted; none of the call is in the queue.
    case frameTooLarge(bytes: Int)
    /// More devices than `MotionQueue.maximumDevices` send through one queue; no frame of the call is in it.
    case tooManyDevices
    /// Another queue, of this process or another, has the file.
    case inUse(path: String)
    /// The file is something else, or of a version that is not known.
    case notAQueue(path: String)
    /// The operating system says no. Where a frame could not be written, it and those after it were refused.
    case system(operation: String, path: String, code: Int32)
    /// The queue was closed.
    case closed

    /// One line that says what is wrong and what to do.
    public var description: String {
        switch self {
        case .full(let refused):
            "\(refused) frames refused: the queue is full; wait until the broker is reached, or give it more room"
        case .frameTooLarge(let bytes): "a frame of \(bytes) bytes is too large: send fewer samples in one"
        case .tooManyDevices: "more than \(MotionQueue.maximumDevices) devices in one queue: open a second"
        case .inUse(let path): "\(path) is in use by another queue: close that one, or take another file"
        case .notAQueue(let path): "\(path) is no queue of frames of this version: take another file"
        case .system(let operation, let path, let code):
            "cannot \(operation) \(path): \(SystemFile.words(of: code))"
        case .closed: "the queue was closed: open it again"
        }
    }
}
