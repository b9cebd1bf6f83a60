import Configuration
import Foundation
import ServiceKit

/// The folder of the page that browsers are shown, as `deploy/page` makes it.
enum PageFolder {
    /// The page's default port where it is free, so that a bookmark stays valid.
    private static let usualPort = 9001
    /// The value of `--page` for no page.
    private static let off = "off"

    /// The listener at which the private broker serves the page; nil where there is none.
    ///
    /// - Throws: `SettingError` for a folder without a page, or a port that there is not.
    static func listener(config: ConfigReader) throws(SettingError) -> PageListener? {
        guard let directory = try directory(named: config.string(forKey: "page")) else { return nil }
        let port = config.int(forKey: "page-port") ?? (LoopbackPort.accepts(port: usualPort) ? 0 : usualPort)
        guard (0...65_535).contains(port) else {
            throw SettingError(key: "page-port", problem: "is '\(port)'; give 0 to 65535; 0 takes any free one")
        }
        return PageListener(port: port, directory: directory)
    }

    /// The page's address, which says the root of the topics where it is not the usual one.
    static func url(_ base: String, root: String) -> String {
        guard root != "stride", let root = root.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            return base
        }
        return "\(base)?root=\(root)"
    }

    private static func directory(named name: String?) throws(SettingError) -> String? {
        guard let name else { return usual.first(where: hasPage) }
        guard name != off else { return nil }
        let path = URL(fileURLWithPath: name).standardizedFileURL.path
        guard hasPage(path) else {
            throw SettingError(
                key: "page", problem: "has no index.html in \(path); make one with deploy/page, or write off")
        }
        return path
    }

    /// Beside the program, where an installation has it, or in the folder that builds go to.
    private static var usual: [String] {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath()
        return ["page", "../share/stridebus/page", "../../page"].map {
            program.deletingLastPathComponent().appendingPathComponent($0).standardizedFileURL.path
        }
    }

    private static func hasPage(_ directory: String) -> Bool {
        FileManager.default.isReadableFile(atPath: directory + "/index.html")
    }
}
