import Wire

extension Workload.Item {
    /// The same samples with the device's clock wrong by an offset in microseconds.
    func timed(by offset: Int64) -> Workload.Item {
        guard case .utc(let microseconds) = frame.time else { return self }
        var copy = self
        copy.frame.time = .utc(microseconds: microseconds + offset)
        copy.payload = copy.frame.encodedJSON()
        return copy
    }

    /// The same samples under another number of the same boot.
    func numbered(_ sequence: UInt64) -> Workload.Item {
        guard case .sequenced(let boot, _) = frame.identity else { return self }
        var copy = self
        copy.frame.identity = .sequenced(boot: boot, sequence: sequence)
        copy.payload = copy.frame.encodedJSON()
        return copy
    }
}
