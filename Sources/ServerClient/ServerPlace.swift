import ArgumentParser
import Foundation
import Glibc
import HostCore
import Values

/// The folder of a server, with its files and its socket.
package struct ServerPlace: Sendable {
    package let folder: String

    /// `sun_path` has 108 bytes including its terminating zero (unix(7)).
    private static let longestSocketPath = 107

    /// Chooses the folder.
    /// - Parameter wished: the folder; nil: `$XDG_STATE_HOME/cutroom`, else
    ///   `~/.local/state/cutroom`.
    package init(_ wished: String?) throws(HostError) {
        let environment = ProcessInfo.processInfo.environment
        if let wished {
            folder = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = state + "/cutroom"
        } else {
            folder = (environment["HOME"] ?? NSTemporaryDirectory()) + "/.local/state/cutroom"
        }
        guard socketPath.utf8.count <= Self.longestSocketPath else {
            throw HostError(
                .usage,
                "The path of the server's folder ‘\(folder)’ is too long for a socket; choose a shorter one (--state).")
        }
    }

    /// The socket for clients on this machine.
    package var socketPath: String { folder + "/door" }
    /// The parts of renders that have not ended.
    package var parts: String { folder + "/parts" }

    /// Creates the folders if they are missing. Only the server's user may access them.
    /// - Returns: a sentence about changed permissions; nil if nothing was changed.
    /// - Throws: if the folder belongs to another user, or others may write to it.
    package func make() throws(HostError) -> String? {
        var code = makeOwn()
        let notice = code == 0 ? try takeRights() : nil
        if code == 0 { code = makeFolders(parts) }
        guard code == 0 else {
            throw HostError(.cannotCreate, "Cannot create the server's folder ‘\(folder)’: \(systemText(code)).")
        }
        return notice
    }

    /// Creates the folder, accessible only to its user, if it is missing.
    /// - Returns: 0, or errno.
    package func makeOwn() -> Int32 {
        let code = makeFolders((folder as NSString).deletingLastPathComponent)
        guard code == 0 else { return code }
        return mkdir(folder, 0o700) == 0 || errno == EEXIST ? 0 : errno
    }

    private func takeRights() throws(HostError) -> String? {
        var info = stat()
        guard stat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else { return nil }
        guard info.st_uid == geteuid() else {
            throw HostError(
                .cannotCreate,
                "The server's folder ‘\(folder)’ belongs to another user; give the server its own folder (--state)."
            )
        }
        let mode = String(info.st_mode & 0o777, radix: 8)
        // A group with the user's own number contains only that user, by the convention of most
        // systems.
        let writers: mode_t = info.st_gid == info.st_uid ? 0o002 : 0o022
        guard info.st_mode & writers == 0 else {
            throw HostError(
                .cannotCreate,
                "Other users can write to the server's folder ‘\(folder)’ (mode \(mode)); check its contents, then run ‘chmod 700 \(folder)’."
            )
        }
        guard info.st_mode & 0o077 != 0 else { return nil }
        guard chmod(folder, 0o700) == 0 else {
            throw HostError(
                .cannotCreate, "Cannot change the permissions of the server's folder ‘\(folder)’: \(systemText(errno))."
            )
        }
        return
            "other users could access the server's folder ‘\(folder)’ (mode \(mode)); its mode is now 700"
    }
}

/// The options of commands that use the folder of a server on this machine.
package struct ServerFolderOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "The server's folder, with its journal and its socket. Default: $XDG_STATE_HOME/cutroom, else ~/.local/state/cutroom.",
            valueName: "folder"), completion: .directory)
    package var state: String?

    package var place: ServerPlace { get throws { try ServerPlace(state) } }
}
