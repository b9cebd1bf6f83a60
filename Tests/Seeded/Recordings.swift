package import Foundation

/// The recorded files of people, which are not part of this repository.
package enum Recordings {
    /// `STRIDEBUS_RECORDINGS`, or the folder beside the package; nil where there is none.
    package static let folder: URL? = {
        let package = URL(filePath: #filePath).appending(path: "../../..").standardized
        let path =
            ProcessInfo.processInfo.environment["STRIDEBUS_RECORDINGS"]
            ?? package.appending(path: "../shared/recordings").path
        return FileManager.default.fileExists(atPath: path + "/index.csv") ? URL(filePath: path) : nil
    }()
}
