extension JSONWriter {
    /// Writes a parsed document.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .unsigned(let number): self.value(number)
        case .number(let number): self.value(number)
        case .string(let text): self.value(text)
        case .array(let values):
            beginArray()
            for element in values { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                key(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }
}
