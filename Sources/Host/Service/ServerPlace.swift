import ArgumentParser
import Draft
import Foundation
import Glibc

/// Where a server keeps what it knows, and where it is spoken to.
struct ServerPlace: Sendable {
    let folder: String

    /// `sun_path` has 108 bytes with its final zero (unix(7)).
    private static let longestSocketPath = 107

    /// - Parameter wished: the folder; nil: `$XDG_STATE_HOME/cutroom`, else `~/.local/state/cutroom`.
    init(_ wished: String?) throws(HostError) {
        let environment = ProcessInfo.processInfo.environment
        if let wished {
            folder = absolutePath(wished, in: FileManager.default.currentDirectoryPath)
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = state + "/cutroom"
        } else {
            folder = (environment["HOME"] ?? NSTemporaryDirectory()) + "/.local/state/cutroom"
        }
        guard door.utf8.count <= Self.longestSocketPath else {
            throw HostError(
                .usage,
                "The path of the server's folder ‘\(folder)’ is too long for a socket; give a shorter one (--state).")
        }
    }

    /// The socket at which submitters knock.
    var door: String { folder + "/door" }
    /// The parts of renders that have not ended.
    var parts: String { folder + "/parts" }

    /// Makes the folders where they are missing. What a server knows of its user's work is that user's alone.
    func make() throws(HostError) {
        var code = makeFolders((folder as NSString).deletingLastPathComponent)
        if code == 0 { code = mkdir(folder, 0o700) == 0 || errno == EEXIST ? 0 : errno }
        if code == 0 { code = makeFolders(parts) }
        guard code == 0 else {
            throw HostError(.cannotCreate, "The server's folder ‘\(folder)’ cannot be made: \(systemText(code)).")
        }
    }
}

/// The options of commands that speak to a server.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's folder, with its journal and its socket. Default: $XDG_STATE_HOME/cutroom, else ~/.local/state/cutroom.",
            valueName: "folder"), completion: .directory)
    var state: String?

    var place: ServerPlace { get throws { try ServerPlace(state) } }
}
