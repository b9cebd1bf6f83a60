package import Wire

/// Something to publish about a device, after the commit that it follows from.
package struct LiveOutput: Sendable {
    /// What is told.
    package enum Payload: Sendable {
        /// Cadence, once a second.
        case cadence(CadenceReport)
        /// Steps as they are counted.
        case steps(StepsReport)
        /// What the wearer is doing, when it changes.
        case activity(ActivityReport)
        /// What is wrong with the device's data, when it changes.
        case health(DeviceHealth)
    }

    /// Of whom.
    package var device: DeviceID
    /// What.
    package var payload: Payload

    /// An output from its parts.
    package init(device: DeviceID, payload: Payload) {
        self.device = device
        self.payload = payload
    }

    /// The topic's last level.
    package var channel: DeviceChannel {
        switch payload {
        case .cadence: .cadence
        case .steps: .steps
        case .activity: .activity
        case .health: .health
        }
    }

    /// Whether the broker keeps it for those who come later.
    package var isRetained: Bool {
        switch payload {
        case .cadence, .steps: false
        case .activity, .health: true
        }
    }

    /// The payload's bytes.
    package func encodedJSON() -> [UInt8] {
        switch payload {
        case .cadence(let report): report.encodedJSON()
        case .steps(let report): report.encodedJSON()
        case .activity(let report): report.encodedJSON()
        case .health(let report): report.encodedJSON()
        }
    }
}
