extension UnsafeRawBufferPointer {
    /// The text behind a byte order mark (EF BB BF), which some programs write before UTF-8. No frame and no notification
    /// of Bluetooth begins with these bytes.
    var withoutByteOrderMark: UnsafeRawBufferPointer {
        count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF ? Self(rebasing: self[3...]) : self
    }
}

/// Text that is nearly JSON, as microcontrollers write it: a NUL behind it, and numbers that are none.
enum TextRepair {
    private static let words = [Array("nan".utf8), Array("infinity".utf8), Array("inf".utf8)]

    /// The text without NUL bytes at its end, and with `null` for `NaN`, `-nan`, `inf` and `Infinity` outside of
    /// strings; `nil` where there is nothing to mend.
    static func repaired(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        var text: [UInt8] = []
        text.reserveCapacity(end + 16)
        var index = 0
        var isInString = false
        var isMended = end < bytes.count
        while index < end {
            let byte = bytes[index]
            if isInString, byte == UInt8(ascii: "\\"), index + 1 < end {
                text += [byte, bytes[index + 1]]
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if !isInString, let length = wordLength(bytes, at: index, before: end) {
                if text.last == UInt8(ascii: "-") { text.removeLast() }
                text += "null".utf8
                index += length
                isMended = true
                continue
            }
            text.append(byte)
            index += 1
        }
        return isMended ? text : nil
    }

    private static func wordLength(_ bytes: UnsafeRawBufferPointer, at index: Int, before end: Int) -> Int? {
        words.first { word in
            index + word.count <= end && word.indices.allSatisfy { bytes[index + $0] | 0x20 == word[$0] }
        }?.count
    }
}
