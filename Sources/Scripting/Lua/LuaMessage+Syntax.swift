import Draft

/// What Lua says of a text that is not Lua, `… near '…'`, as sentences.
extension LuaMessage {
    /// - Parameters:
    ///   - text: Lua's message without its place.
    ///   - line: the script's line that it names; nil where that is not known.
    /// - Returns: nil where the message is about something else.
    static func ofSyntax(_ text: String, line: String?) -> String? {
        guard text.contains(" near "),
            let found = text.wholeMatch(of: /(.+) near (?:'(?<token>(?:.|\n)*)'|<eof>)/)
        else { return nil }
        let (said, token) = (String(found.1), found.token.map(String.init))
        if let line, let sentence = habit(said, token ?? "", line) { return sentence }
        let place = token.map { "‘\($0)’" } ?? "the end of the script"
        if said.hasPrefix("unfinished long") { return "what ‘[[’ or ‘[=[’ begins is not closed" }
        if let open = said.wholeMatch(of: /'(.+)' expected \(to close '(.+)' at line (\d+)\)/) {
            let missing = ["}", ")", "]"].contains(open.1) ? "a comma or ‘\(open.1)’" : "‘\(open.1)’"
            return "the ‘\(open.2)’ of line \(open.3) is not closed: \(missing) is missing before \(place)"
        }
        switch said {
        case "unfinished string": return "a text that begins here is not closed: its quotation mark is missing"
        case "malformed number": return "\(place) is not a number"
        case "<eof> expected" where closers.contains(token ?? ""):
            return "\(place) is one too many: nothing is open that it could close"
        case "<eof> expected": return "\(place) cannot stand here"
        case "cannot use '...' outside a vararg function":
            return "‘...’ stands in a function that takes no ‘...’ itself"
        case "invalid escape sequence":
            return "a text has a backslash that says nothing to Lua; one that is meant is written twice, \\\\"
        case "<name> expected": return "a name is missing before \(place)"
        case "'}' expected", "')' expected", "']' expected":
            return "a comma or ‘\(said.dropFirst().prefix(1))’ is missing before \(place)"
        case "unexpected symbol", "syntax error":
            guard let token else { return "the script ends in the middle of a statement" }
            guard !token.hasPrefix("<\\") else { return "there is a character that Lua does not know" }
            let isWord = keywords.contains(token)
            return "\(place)\(isWord ? ", a word of Lua's own," : "") cannot stand here"
        default:
            return said.wholeMatch(of: /'(.+)' expected/).map { "‘\($0.1)’ is missing before \(place)" }
        }
    }

    /// What Lua says of names and labels that it understands, but cannot take; nil where the
    /// message is about something else.
    /// - Returns: a sentence, and the line where the cause is where that is not the message's own.
    static func ofNames(_ text: String) -> (sentence: String, line: Int?)? {
        if let found = text.rest(after: "attempt to assign to const variable '")?.wholeMatch(of: /(.*)'/) {
            return ("the variable ‘\(found.1)’ is constant, <const>, and cannot be set again", nil)
        }
        if let found = text.rest(after: "unknown attribute '")?.wholeMatch(of: /(.*)'/) {
            return ("a variable cannot be <\(found.1)>; there are <const> and <close>", nil)
        }
        if let found = text.rest(after: "no visible label '")?
            .wholeMatch(of: /(.*)' for <?goto>? at line (\d+)/)
        {
            return ("there is no label ‘::\(found.1)::’ where ‘goto \(found.1)’ could go", Int(found.2))
        }
        if let found = text.rest(after: "<goto ")?
            .wholeMatch(of: /(.*)> at line (\d+) jumps into the scope of local '(.*)'/)
        {
            return ("‘goto \(found.1)’ would leave out where the variable ‘\(found.3)’ is made", Int(found.2))
        }
        if let found = text.rest(after: "label '")?.wholeMatch(of: /(.*)' already defined on line (\d+)/) {
            return ("the label ‘::\(found.1)::’ is there already, in line \(found.2)", nil)
        }
        if let found = text.rest(after: "break outside ")?
            .wholeMatch(of: /(?:a )?loop at line (\d+)(?: near .*)?/)
        {
            return ("‘break’ stands in no loop that it could end", Int(found.1))
        }
        return nil
    }

    /// What people write who come from other languages, or paste from a text; nil where it is none
    /// of these.
    private static func habit(_ said: String, _ token: String, _ line: String) -> String? {
        if token.hasPrefix("<\\"), let mark = line.first(where: { "“”„‟‘’‚«»".contains($0) }) {
            return "texts stand between straight quotation marks, \"…\" or '…', and not ‘\(mark)’"
        }
        if token == "[", said == "unexpected symbol" {
            return "lists stand in braces, as in { 0, 1 }, and not in brackets"
        }
        if let pair = line.firstMatch(of: /(?:"(\w+)"|\b(\w+))\s*:(?=\s|["'{\d-])/),
            ["<name> expected", "'}' expected", "'=' expected", "syntax error"].contains(said)
                || said.hasPrefix("function arguments expected") || said.hasPrefix("'}' expected (")
        {
            let name = pair.1 ?? pair.2 ?? ""
            return "an option is set with ‘=’: \(name) = …, and not \(name): …"
        }
        for (foreign, own) in operators where token == foreign.prefix(1) && line.contains(foreign) {
            return "‘\(foreign)’ is written ‘\(own)’ in Lua"
        }
        if let sum = line.firstMatch(of: /([\w.]+)\s*([-+*\/])\s*(?:=|\2)/), token == sum.2 || token == "=" {
            return "Lua has no ‘\(sum.2)=’ and no ‘\(sum.2)\(sum.2)’; write \(sum.1) = \(sum.1) \(sum.2) …"
        }
        if keywords.contains(token), line.contains(#/\b(end|repeat|in|for|not|and|or|then|function|until)\s*=/#) {
            let meant = token == "end" ? "; what is played of a file is its ‘range’, { start, duration }" : ""
            return "‘\(token)’ is a word of Lua's own, and no option is called so\(meant)"
        }
        return nil
    }

    private static let closers: Set<String> = ["end", "until", "else", "elseif", ")", "}", "]"]

    private static let operators: KeyValuePairs<String, String> = [
        "!=": "~=", "&&": "and", "||": "or", "!": "not", "?": "and … or",
    ]

    private static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
        "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]
}
