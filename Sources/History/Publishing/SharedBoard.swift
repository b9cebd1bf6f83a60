import Synchronization
import Wire

/// The board, shared by the task that commits and the one that publishes.
final class SharedBoard: Sendable {
    private let board = Mutex(RetainedBoard())

    func change(_ devices: some Sequence<DeviceID>) {
        board.withLock { $0.change(devices) }
    }

    func recall(_ devices: some Sequence<DeviceID>) {
        board.withLock { $0.recall(devices) }
    }

    func take(nowSeconds: Double, limit: Int) -> [DeviceID] {
        board.withLock { board in
            let devices = board.due(nowSeconds: nowSeconds, limit: limit)
            for device in devices { board.take(device, nowSeconds: nowSeconds) }
            return devices
        }
    }

    func published(_ device: DeviceID, dayEndMinute: Int64) {
        board.withLock { $0.published(device, dayEndMinute: dayEndMinute) }
    }
}
