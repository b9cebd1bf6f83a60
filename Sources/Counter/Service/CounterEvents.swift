package import Wire

extension CounterLoop {
    /// A message of the bus that could be read.
    package enum Message {
        /// Device messages, as ingest batched them.
        case motion([UInt8])
        /// The config of a device; empty where it was taken back.
        case config(DeviceID, [UInt8])
        /// History has missed rows.
        case resend(CountsResend)
        /// The counts of a device must be forgotten.
        case forget(CountsForget)
    }

    /// One thing that happens to the counter.
    package enum Event {
        /// Messages came; they are to be acknowledged together.
        case batch([Message])
        /// The payloads of the last `log` are on the disk.
        case logged
        /// The batch is acknowledged: the next one may come in while this one is counted.
        case acknowledged
        /// The stored states and configs of the devices of the last `load`.
        case loaded([StoredDevice])
        /// The last `store` is done, and what became of its claims.
        case stored([ClaimOutcome])
        /// The last `forget` is done; whether the store had a state of the device.
        case forgotten(hadState: Bool)
        /// Time has passed.
        case tick(nowMicroseconds: Int64)
        /// At the start: a record that the log has beyond the store.
        case replayed([UInt8], position: UInt64)
        /// No more is read: everything is to be stored.
        case stopping
    }

    /// One thing that the counter is to do, in the order given.
    package enum Effect {
        /// Append the payloads to the log, and answer `logged` when they are on the disk.
        case log([[UInt8]])
        /// Answer `loaded`.
        case load([DeviceID])
        /// Keep the damaged states of devices apart.
        case setAside([DeviceID])
        /// Begin to store this, and answer `stored` later.
        case store(CounterCommit)
        /// Answer `stored` before anything else.
        case awaitStored
        /// Forget in the store and take back what the broker retains, then answer `forgotten`.
        case forget(CountsForget)
        /// Send rows again.
        case resend(CountsResend)
        /// Acknowledge the batch, and answer `acknowledged`.
        case acknowledge
        /// Publish, if the connection takes it.
        case publish([LiveOutput])
        /// A message could not be read.
        case refuse(WireError)
    }
}
