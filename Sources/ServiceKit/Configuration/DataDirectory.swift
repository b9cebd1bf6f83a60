import Foundation

/// A directory for the files of a run.
package enum DataDirectory {
    /// The default of `data`.
    package static let usualPath = "stridebus-data"

    /// Makes a directory, with its parents, and checks that it can be written.
    ///
    /// - Throws: `LaunchError.Code.unwritableDirectory`.
    package static func make(_ path: String) throws(LaunchError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw unwritable(path)
        }
        guard FileManager.default.isWritableFile(atPath: path) else { throw unwritable(path) }
    }

    /// Makes a directory of its own for a run that keeps nothing.
    package static func makeTemporary() throws(LaunchError) -> String {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("stridebus-\(UInt64.random(in: .min ... .max))").path
        try make(path)
        return path
    }

    /// Removes a directory of `makeTemporary`.
    package static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func unwritable(_ path: String) -> LaunchError {
        LaunchError(
            .unwritableDirectory, "cannot write in \(path): check its owner and rights, or name another with --data")
    }
}
