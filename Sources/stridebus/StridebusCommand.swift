import ArgumentParser

@main
struct StridebusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stridebus",
        abstract: "Motion sensors in; cadence, steps and history out, over MQTT.",
        discussion: """
            Start everything with a private broker:      stridebus up
            Let a simulated gym train:                   stridebus simulate --bikes 2 --wearables 2
            Watch what is counted:                       stridebus watch
            Ask for today's minutes of a bike:           stridebus query series --device bike-1
            Count a recorded file without a bus:         stridebus count ride.csv --kind bike
            Say how well recordings are counted:         stridebus evaluate DIR

            Every option of the services can also be given as STRIDEBUS_OPTION in the environment or in a JSON file \
            (--config FILE).
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "SERVICES",
                subcommands: [
                    UpCommand.self, UsersCommand.self, IngestCommand.self, CounterCommand.self, HistoryCommand.self,
                ]),
            CommandGroup(
                name: "LOOKING AND ASKING",
                subcommands: [
                    WatchCommand.self, QueryCommand.self, DeviceCommand.self, DoctorCommand.self, ExportCommand.self,
                    CheckInCommand.self, CheckOutCommand.self, PersonCommand.self, ForgetCommand.self,
                    SchemaCommand.self,
                ]),
            CommandGroup(
                name: "TRYING OUT",
                subcommands: [
                    DemoCommand.self, SimulateCommand.self, ReplayCommand.self, CountCommand.self, EvaluateCommand.self,
                    EvaluateRidesCommand.self, EvaluateWalksCommand.self, FitCommand.self,
                ]),
        ])
}
