import Values

/// Why a plugin, or one of its effects, could not be used. ``description`` is one sentence for
/// people.
package struct PluginError: Error, Hashable, Sendable, CustomStringConvertible {
    package struct Code: Hashable, Sendable {
        let name: String
        /// No such file or folder.
        package static let missing = Code(name: "missing")
        /// The dynamic loader refuses the file.
        package static let notALibrary = Code(name: "not-a-library")
        /// A library without a Cutroom entry.
        package static let notAPlugin = Code(name: "not-a-plugin")
        /// Built for an interface that this Cutroom does not have.
        package static let incompatible = Code(name: "incompatible")
        package static let initializationFailed = Code(name: "initialization-failed")
        /// The plugin describes itself or an effect wrongly.
        package static let invalidDescriptor = Code(name: "invalid-descriptor")
        package static let unknownEffect = Code(name: "unknown-effect")
        /// A kind of effect that is not hosted yet.
        package static let unsupportedKind = Code(name: "unsupported-kind")
        /// Frames that this effect, or this host, cannot do.
        package static let unsupportedFormat = Code(name: "unsupported-format")
        package static let invalidParameter = Code(name: "invalid-parameter")
        /// The effect returned an error; ``PluginError/status`` has it.
        package static let failed = Code(name: "failed")
        /// The effect wrote to memory that is not its own.
        package static let strayWrite = Code(name: "stray-write")
        /// The effect asked to be tried again.
        package static let retry = Code(name: "retry")
        package static let cancelled = Code(name: "cancelled")
    }

    package var code: Code
    /// What was being done, as a verb: `load`, `create`, `process`.
    package var operation: String
    /// The library's path.
    package var path: String
    /// The library's name for people; nil before it is known.
    package var plugin: String?
    package var effectID: String?
    package var place: PluginPlace?
    /// What the plugin returned (`cutroom_status`).
    package var status: Int32?
    /// What is wrong and what to do; no capital, no full stop.
    package var reason: String
    /// The data files that the library declares, where one of them cannot be read.
    package var dataFiles: [String] = []

    package var description: String {
        var text = "plugin " + (plugin.map { "‘\($0)’ (\(path))" } ?? path)
        if let effectID { text = "effect \(effectID) of \(text)" }
        if let place { text += ", \(place)" }
        return "\(text): \(reason)"
    }

    /// What a status means where the plugin gave no text of its own.
    package static func meaning(of status: Int32) -> String {
        switch status {
        case -1: "it cannot work with frames of this format or size"
        case -2: "it refuses the value of a parameter"
        case -3: "it ran out of memory"
        case -4: "it says that it was cancelled, which it was not"
        case -5: "it failed for a passing reason and asks to be tried again"
        case -6: "it does not support what was asked of it"
        case -7: "it failed and its instance cannot go on"
        default: "it returned the unknown status \(status)"
        }
    }
}

/// The place in a render at which a plugin was called.
package enum PluginPlace: Hashable, Sendable, CustomStringConvertible {
    /// The output's frame, or the effect's own where there is no output.
    case frame(Int)
    /// Output time, for sound.
    case time(Time)

    package var description: String {
        switch self {
        case .frame(let frame): "frame \(frame)"
        case .time(let time): "at \(time.forPeople) s"
        }
    }
}

/// A library, or an effect in one, that a scan could not use. The rest of the scan is not touched
/// by it.
package struct PluginProblem: Hashable, Sendable {
    package var path: String
    /// One sentence, with the path.
    package var reason: String
}
