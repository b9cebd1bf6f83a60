import CSchemas

/// The texts of `schemas/` that the program carries with it.
package enum EmbeddedSchemas {
    /// The topics below the root, with the files of their payloads.
    package static let topics: [(address: String, files: [String])] = {
        var topics: [(address: String, files: [String])] = []
        var entry = stridebus_topics()
        while let topic = entry?.pointee, let address = topic.address {
            let files = String(cString: topic.files).split(separator: " ").map(String.init)
            topics.append((String(cString: address), files))
            entry = entry?.successor()
        }
        return topics
    }()

    /// The text of a file; nil if there is none of that name.
    package static func text(of name: String) -> String? {
        var entry = stridebus_schemas()
        while let file = entry?.pointee, let found = file.name {
            if String(cString: found) == name { return String(cString: file.text) }
            entry = entry?.successor()
        }
        return nil
    }
}
