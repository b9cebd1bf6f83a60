import ArgumentParser

/// Where the page is that the private broker serves.
struct PageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the page that the private broker serves, or 'off' (default: the one beside the program).",
            valueName: "directory"),
        completion: .directory)
    var page: String?

    @Option(
        help: ArgumentHelp("The page's port; 0 takes any free one (default: 9001 where it is free).", valueName: "port")
    )
    var pagePort: Int?

    /// The options that were given, by configuration key.
    var flags: [String: String] {
        var flags: [String: String] = [:]
        flags["page"] = page
        flags["page-port"] = pagePort.map { "\($0)" }
        return flags
    }
}
