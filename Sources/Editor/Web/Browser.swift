import CPosix
import Foundation

/// Opens addresses in the user's browser.
enum Browser {
    /// Opens an address, if there is a screen and a program that can open browsers. Failures are
    /// ignored.
    static func open(_ url: String) {
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        Detached.run(["xdg-open", url])
    }
}

/// Starts programs that run independently.
enum Detached {
    /// Starts a program.
    /// - Parameter words: the program's name, which is looked up in `$PATH`, or its path, and its
    ///   arguments.
    /// - Returns: whether it was started.
    @discardableResult static func run(_ words: [String]) -> Bool {
        guard let name = words.first, let path = find(name) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(words.dropFirst())
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice, FileHandle.nullDevice
        )
        do { try process.run() } catch { return false }
        return true
    }

    private static func find(_ name: String) -> String? {
        if name.contains("/") { return name }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(
            separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
