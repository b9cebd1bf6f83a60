import Foundation

/// What the kernel says about a process (proc(5)).
struct ProcessStatus: Sendable {
    /// Memory that is in use now, in megabytes.
    var residentMegabytes: Double
    /// Open descriptors.
    var descriptors: Int

    /// The status now; `nil` when the process has gone.
    init?(of process: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return nil }
        residentMegabytes = kilobytes / 1024
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
    }
}
