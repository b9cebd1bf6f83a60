#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes whole texts to the standard streams, at once and without a buffer in between: a reader of a pipe sees a line
/// when it is said.
public enum Output {
    /// Writes a text to standard output.
    public static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes a line to standard output.
    public static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes a text to standard error.
    public static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Writes a line to standard error.
    public static func errorLine(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, base, count)
        #else
            Darwin.write(descriptor, base, count)
        #endif
    }
}
