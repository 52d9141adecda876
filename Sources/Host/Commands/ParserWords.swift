import HostCore
import Values

/// Rewrites messages of the option parser in the style of all other messages. Unknown messages are
/// left unchanged.
enum ParserWords {
    static func ours(_ said: String) -> String {
        if let found = said.wholeMatch(of: /Missing expected argument '(?<name>.+)'/) {
            return "‘\(found.name)’ is required."
        }
        if let found = said.wholeMatch(of: /Missing value for '(?<name>.+)'/) {
            return "‘\(found.name)’ needs a value."
        }
        if let found = said.wholeMatch(of: /Unexpected argument '(?<word>(.|\n)*)'/) {
            return
                "‘\(found.word)’ is an unexpected argument; remove it, or put quotes around a name that contains spaces."
        }
        if let found = said.wholeMatch(of: /\d+ unexpected arguments: '(?<words>(.|\n)*)'/) {
            let words = found.words.replacing("', '", with: "’, ‘")
            return "‘\(words)’ are unexpected arguments; remove them, or put quotes around a name that contains spaces."
        }
        if let found = said.wholeMatch(
            of: /The option '(?<name>.+)' does not take any value, but '(?<value>(.|\n)*)' was specified\./)
        {
            return "‘\(found.name)’ takes no value, but was given ‘\(found.value)’."
        }
        return wrongValue(said) ?? said
    }

    private static func wrongValue(_ said: String) -> String? {
        let form =
            /The value '(?<value>(.|\n)*)' is invalid for '(?<name>[^']+)'(\. Please provide one of (?<known>.+)\.)?/
        guard let found = said.wholeMatch(of: form) else { return nil }
        guard let known = found.known else { return "‘\(found.name)’ cannot be ‘\(found.value)’." }
        let names = known.matches(of: /'([^']+)'/).map { String($0.1) }
        return sentence("‘\(found.name)’ cannot be ‘\(found.value)’\(suggestion(for: String(found.value), in: names))")
    }
}
