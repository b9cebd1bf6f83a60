import Foundation

/// A folder for one test, removed with it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        let url = FileManager.default.temporaryDirectory.appending(path: "stridebus-test-\(UUID().uuidString)")
        do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) } catch {
            fatalError("\(error)")
        }
        path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and says where it is.
    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    /// The names of what is in it.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
