import MQTT
import StrideClient

func form(over publisher: MotionPublisher, isReadable: Bool) async -> MotionPublisher.Form? {
    for await state in publisher.connectionStates {
        if case .connected = state { return isReadable ? .json : .compactJSON }
    }
    return nil
}

func remedy(for error: MotionPublisherError) -> String {
    switch error {
    case .full: "wait for the broker"
    case .frameTooLarge(let bytes): "send \(bytes) bytes in two frames"
    case .closed: error.description
    }
}
