import Wire

extension FrameDecoder {
    /// Decodes a payload into a new frame.
    func decode(_ payload: [UInt8]) throws(WireError) -> Frame {
        var frame = Frame()
        try payload.withRawBytes { bytes throws(WireError) in try decode(bytes, into: &frame) }
        return frame
    }

    /// Decodes text into a new frame.
    func decode(_ text: String) throws(WireError) -> Frame {
        try decode(Array(text.utf8))
    }
}
