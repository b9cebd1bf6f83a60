/// Every topic of the bus, below its root.
package enum Topic: Hashable, Sendable {
    /// `{device}/{channel}`
    case device(DeviceID, DeviceChannel)
    /// `request/{verb}`
    case request(RequestVerb)
    /// `reply/{path}`: where answers go; the path is the asker's.
    case reply(String)
    /// `service/motion/{partition}`: batches of device messages, ingest to counter.
    case motion(Partition)
    /// `service/counts/{partition}`: batches of minute rows, counter to history; the partition is the first that the
    /// counter owns, so that the messages of each counter stay in order.
    case counts(Partition)
    /// `service/resend/counts`: history asks every counter for the rows that it lacks.
    case resend
    /// `service/forget/{partition}`: history orders the counter to delete counts.
    case forget(Partition)
    /// `service/{name}/status`: a service's birth and last will.
    case serviceStatus(ServiceName)
    /// `service/{name}/health`: what a service counted and refused.
    case serviceHealth(ServiceName)
}

/// The last level of a device's topics.
package enum DeviceChannel: String, Hashable, Sendable, CaseIterable {
    /// Raw motion frames, device to ingest.
    case imu
    /// A count of crank revolutions, device to ingest.
    case rev
    /// Bluetooth Cycling Speed and Cadence or Running Speed and Cadence bytes, device to ingest.
    case csc
    /// Bluetooth Fitness Machine bytes, device to ingest.
    case ftms
    /// Steps counted by the device itself, device to ingest.
    case count
    /// The operator's settings for the device, retained.
    case config
    /// `online` or `offline`, retained.
    case status
    /// Cadence, once a second while moving.
    case cadence
    /// Steps as they are counted.
    case steps
    /// The activity of the wearer, retained.
    case activity
    /// Today's totals, retained.
    case day
    /// Totals for ever, retained.
    case total
    /// Problems with this device's data, retained.
    case health
}

/// The services on the bus.
public enum ServiceName: String, Hashable, Sendable, CaseIterable {
    /// Raw messages in, motion batches out.
    case ingest
    /// Motion batches in, cadence, steps and minute rows out.
    case counter
    /// Minute rows in, answers out.
    case history
}

/// The verbs of `request/{verb}`.
public enum RequestVerb: String, Hashable, Sendable, CaseIterable {
    /// Totals a calendar day.
    case historyDays = "history/days"
    /// One record for any interval.
    case historyInterval = "history/interval"
    /// Buckets of minutes, hours, days, weeks or months.
    case historySeries = "history/series"
    /// Segments of activity.
    case historyActivity = "history/activity"
    /// A notice every n steps.
    case liveStart = "live/start"
    /// The end of such notices.
    case liveStop = "live/stop"
    /// The devices that the bus has seen.
    case devices
    /// The capabilities of a device, with a reason for each that it lacks.
    case capabilities
    /// Devices of people, and merged totals.
    case people
    /// A device is assigned to a person.
    case peopleCheckin = "people/checkin"
    /// The assignment of a device ends.
    case peopleCheckout = "people/checkout"
    /// Everything about a person is deleted.
    case peopleForget = "people/forget"
    /// An operator's config is checked and retained on the device's `config`.
    case devicesConfigure = "devices/configure"
    /// Everything about a device is deleted.
    case devicesForget = "devices/forget"
}
