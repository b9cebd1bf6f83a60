import ArgumentParser
import Foundation
import History
import Lab
import ServiceKit

/// For the package, whose older version must not be put upon stores that it cannot read.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats", abstract: "Print the layouts of the counter's store, history's and the log's.",
        shouldDisplay: false)

    func run() {
        let versions = DataFiles.versions
        Output.line("\(versions.counter) \(versions.history) \(versions.log)")
    }
}

/// For the package, whose program has a tenth of ICU's data: it must say of every zone what the program with all of it says.
struct ZonesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zones",
        abstract: "Print every time zone, each change of its offset up to 2100, and the local time then.",
        shouldDisplay: false)

    func run() throws {
        for name in TimeZoneName.known {
            let clock = LocalClock(zone: name)
            for change in try DayCalendar(zone: name).changes(untilSeconds: 4_102_444_800) {
                let local = clock.text(Double(change.seconds))
                Output.line("\(name) \(change.seconds) \(change.offsetSeconds) \(local)")
            }
        }
    }
}
