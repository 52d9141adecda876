import Foundation
import HostCore

/// The user's text editor, which opens lines of a script.
enum OwnEditor {
    /// The command: `$CUTROOM_EDITOR` with `{file}` and `{line}`, else a `$VISUAL` or `$EDITOR`
    /// that has its own window.
    private static var words: [String]? {
        let environment = ProcessInfo.processInfo.environment
        if let command = environment["CUTROOM_EDITOR"], !command.isEmpty {
            return command.split(separator: " ").map(String.init)
        }
        for name in ["VISUAL", "EDITOR"] {
            guard let words = environment[name]?.split(separator: " ").map(String.init), let program = words.first
            else {
                continue
            }
            if let arguments = windowed[(program as NSString).lastPathComponent] { return words + arguments }
        }
        return nil
    }

    /// The arguments with which editors with windows open a line.
    private static let windowed = [
        "code": ["--goto", "{file}:{line}"], "codium": ["--goto", "{file}:{line}"], "subl": ["{file}:{line}"],
        "zed": ["{file}:{line}"], "gvim": ["+{line}", "{file}"], "kate": ["--line", "{line}", "{file}"],
        "gedit": ["+{line}", "{file}"], "emacsclient": ["-n", "+{line}", "{file}"],
    ]

    static var isThere: Bool { words != nil }

    /// Opens a file.
    /// - Parameter file: an absolute path that the editor itself has chosen.
    static func open(_ file: String, line: Int?) throws(HostError) {
        guard let words else {
            throw HostError(
                .usage,
                "No editor was found; set $CUTROOM_EDITOR to a command such as ‘code --goto {file}:{line}’."
            )
        }
        let filled = words.map {
            $0.replacingOccurrences(of: "{file}", with: file).replacingOccurrences(of: "{line}", with: "\(line ?? 1)")
        }
        guard Detached.run(filled) else { throw HostError(.unavailable, "‘\(words[0])’ could not be started.") }
    }
}
