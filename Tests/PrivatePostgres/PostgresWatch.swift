import Foundation

/// A shell that starts the server, waits for the end of its input, which comes with our end too, and ends the server.
final class PostgresWatch: Sendable {
    private let process: Process
    private let input: Pipe

    private init(process: Process, input: Pipe) {
        self.process = process
        self.input = input
    }

    /// The port that names the socket of a server that listens on no other.
    static let usualPort = 5432

    /// Says `ready`, or why not. In tests `fsync` is off, because what they keep need not survive the machine.
    private static let script = """
        trap '' INT HUP TERM
        bin=$1 folder=$2 durable=$3 port=$4 encrypted=$5
        if [ ! -d "$folder/data" ]; then
            "$bin/initdb" -D "$folder/data" -A trust -U stridebus -E UTF8 --locale=C -N >"$folder/initdb.log" 2>&1 ||
                { echo "initdb: $(tail -n 1 "$folder/initdb.log")"; exit 1; }
            [ $encrypted = off ] || (umask 077 && openssl req -new -x509 -days 2 -nodes -subj /CN=127.0.0.1 \\
                -addext subjectAltName=IP:127.0.0.1 -out "$folder/data/server.crt" -keyout "$folder/data/server.key" \\
                >>"$folder/initdb.log" 2>&1) || { echo "openssl: $(tail -n 1 "$folder/initdb.log")"; exit 1; }
            cat >>"$folder/data/postgresql.conf" <<END
        listen_addresses = '$([ $encrypted = on ] && echo 127.0.0.1)'
        port = $port
        ssl = $encrypted
        unix_socket_directories = '$folder'
        max_connections = 300
        shared_buffers = 64MB
        fsync = $durable
        full_page_writes = $durable
        END
        fi
        "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 start >/dev/null 2>&1 ||
            { echo "the server: $(tail -n 1 "$folder/log")"; exit 1; }
        echo ready
        read -r word || word=
        "$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1
        [ "$word" = keep ] || rm -rf "$folder"
        """

    /// Starts the server of a folder, and makes its data first if there is none.
    static func start(_ program: PostgresProgram, folder: String, isDurable: Bool, port: Int?) async throws
        -> PostgresWatch
    {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        let words = [isDurable ? "on" : "off", "\(port ?? usualPort)", port == nil ? "off" : "on"]
        let arguments =
            program.launcher + ["/bin/sh", "-c", script, "postgres-watch", program.directory, folder] + words
        process.executableURL = URL(filePath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/tmp")
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = await onThread { output.fileHandleForReading.availableData }
        guard String(decoding: said, as: UTF8.self).hasPrefix("ready") else {
            throw PrivatePostgresError(problem: String(decoding: said, as: UTF8.self))
        }
        return PostgresWatch(process: process, input: input)
    }

    /// Ends the server, and returns when it has ended.
    func end(keepsFolder: Bool) async {
        if keepsFolder { try? input.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8)) }
        try? input.fileHandleForWriting.close()
        await onThread { self.process.waitUntilExit() }
    }
}

/// Does something that blocks on a thread that nobody shares.
private func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
