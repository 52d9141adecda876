import Draft
import Foundation

/// Names of properties that machines have and renders need.
package enum Tags {
    /// The maximum number of tags of a render.
    package static let most = 32

    /// Parses a list of tags.
    /// - Parameter text: names, separated by commas.
    package static func list(_ text: String) -> Set<String> {
        Set(text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
    }

    package static func isValid(_ tag: String) -> Bool {
        (1...64).contains(tag.utf8.count) && !tag.hasInvisibleCommands
            && !tag.contains { $0 == "," || $0.isWhitespace || $0.isNewline }
    }

    package static func problem(_ tag: String, _ option: String) -> String {
        "‘\(option)’ contains ‘\(tag.prefix(80).printableLine)’, but a tag has 1 to 64 bytes without spaces, commas and control characters."
    }
}
