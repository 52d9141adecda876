import Draft

/// Why a plugin, or one of its effects, could not be used. ``description`` is one sentence for people.
struct PluginError: Error, Hashable, Sendable, CustomStringConvertible {
    struct Code: Hashable, Sendable {
        let name: String
        /// No such file or folder.
        static let missing = Code(name: "missing")
        /// The dynamic loader refuses the file.
        static let notALibrary = Code(name: "not-a-library")
        /// A library without a Cutroom entry.
        static let notAPlugin = Code(name: "not-a-plugin")
        /// Built for an interface that this Cutroom does not have.
        static let incompatible = Code(name: "incompatible")
        static let initializationFailed = Code(name: "initialization-failed")
        /// The plugin describes itself or an effect wrongly.
        static let invalidDescriptor = Code(name: "invalid-descriptor")
        static let unknownEffect = Code(name: "unknown-effect")
        /// A kind of effect that is not hosted yet.
        static let unsupportedKind = Code(name: "unsupported-kind")
        /// Frames that this effect, or this host, cannot do.
        static let unsupportedFormat = Code(name: "unsupported-format")
        static let invalidParameter = Code(name: "invalid-parameter")
        /// The effect returned an error; ``PluginError/status`` has it.
        static let failed = Code(name: "failed")
        /// The effect wrote to memory that is not its own.
        static let strayWrite = Code(name: "stray-write")
        /// The effect asked to be tried again.
        static let retry = Code(name: "retry")
        static let cancelled = Code(name: "cancelled")
    }

    var code: Code
    /// What was being done, as a verb: `load`, `create`, `process`.
    var operation: String
    /// The library's path.
    var path: String
    /// The library's name for people; nil before it is known.
    var plugin: String?
    var effectID: String?
    var place: PluginPlace?
    /// What the plugin returned (`cutroom_status`).
    var status: Int32?
    /// What is wrong and what to do; no capital, no full stop.
    var reason: String

    var description: String {
        var text = "plugin " + (plugin.map { "‘\($0)’ (\(path))" } ?? path)
        if let effectID { text = "effect \(effectID) of \(text)" }
        if let place { text += ", \(place)" }
        return "\(text): \(reason)"
    }

    /// What a status means where the plugin gave no text of its own.
    static func meaning(of status: Int32) -> String {
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

/// Where in a render a plugin was called.
enum PluginPlace: Hashable, Sendable, CustomStringConvertible {
    /// The output's frame, or the effect's own where there is no output.
    case frame(Int)
    /// Of sound: output time.
    case time(Time)

    var description: String {
        switch self {
        case .frame(let frame): "frame \(frame)"
        case .time(let time): "at \(time.forPeople) s"
        }
    }
}

/// A library, or an effect in one, that a scan could not use. The rest of the scan is not touched by it.
struct PluginProblem: Hashable, Sendable {
    var path: String
    /// One sentence, with the path.
    var reason: String
}
