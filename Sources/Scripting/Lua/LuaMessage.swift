import Values

/// An entry that a script asked a list for, and that the list does not have.
struct MissedEntry {
    var list: ListName
    var origin: Origin
    /// The entry that is not there: `entry 3; it has 2, counted from 1`.
    var entry: () -> String

    fileprivate var refusal: String { "draft.\(list.rawValue) has no \(entry())" }

    /// The sentence for what was to be a method of the list.
    fileprivate func refusal(ofMethod name: String) -> String {
        let noun = list.singular
        return
            "draft.\(list.rawValue) has no function ‘\(name)’; draft:add_\(noun), draft:remove_\(noun) and draft:move_\(noun) change the list"
    }
}

/// Lua's own messages, as sentences like all others.
enum LuaMessage {
    /// - Parameters:
    ///   - text: Lua's message without its place.
    ///   - names: what the script could have named there.
    ///   - missed: the entry that was asked for on the same line.
    ///   - line: the script's line; nil where it is not known.
    /// - Returns: a sentence without its place; `text` itself where it says enough.
    static func forPeople(_ text: String, names: [String], missed: MissedEntry?, line: String?) -> String {
        // Where the prelude has called a function of Lua's for the script.
        let text = text.hasPrefix("[cutroom]:") ? String(text.trimmingPrefix(#/\[cutroom\]:\d+: /#)) : text
        if let sentence = ofLoop(text) ?? ofNumbers(text) ?? ofSyntax(text, line: line) { return sentence }
        if let found = text.rest(after: "attempt to ")?
            .wholeMatch(of: /(.+?) an? (.+) value(?: \((\w+) '(.*)'\))?/)
        {
            let variable = found.3.flatMap { kind in found.4.map { Variable(kind: String(kind), name: String($0)) } }
            return refusal(of: String(found.1), type: String(found.2), variable, names, missed)
        }
        if let found = text.rest(after: "attempt to compare two ")?.wholeMatch(of: /(.+) values/) {
            return "\(plural(String(found.1))) cannot be compared"
        }
        if let found = text.rest(after: "attempt to compare ")?.wholeMatch(of: /(.+) with (.+)/) {
            return "\(word(String(found.1))) cannot be compared with \(word(String(found.2)))"
        }
        if let argument = text.rest(after: "bad argument #") { return ofArgument(argument) ?? text }
        return text
    }

    /// An argument that a function does not take; nil where the message is about something else.
    /// - Parameter text: the message, from the argument's number on.
    private static func ofArgument(_ text: Substring) -> String? {
        if let found = text.wholeMatch(of: /(\d+) to '(.+)' \((.+) expected, got (.+)\)/) {
            return
                "‘\(found.2)’ wants \(word(String(found.3))) as its argument \(found.1), but was given \(word(String(found.4)))"
        }
        guard let found = text.wholeMatch(of: /(\d+) to '(.+)' \((.+)\)/) else { return nil }
        return found.3 == "value expected"
            ? "‘\(found.2)’ wants a value as its argument \(found.1), but was given nothing"
            : "‘\(found.2)’ does not take its argument \(found.1): \(found.3)"
    }

    /// What `for` is given; nil where the message is about something else.
    private static func ofLoop(_ text: String) -> String? {
        if let found = text.rest(after: "attempt to call a")?.wholeMatch(of: /n? (.+) value \(for iterator .*\)/) {
            return "‘for … in’ goes through what pairs(…) or ipairs(…) gives, but was given \(word(String(found.1)))"
        }
        if let found = text.rest(after: "bad argument #1 to 'for iterator' (")?
            .wholeMatch(of: /(.+) expected, got (.+)\)/)
        {
            return "‘for … in’ wants \(word(String(found.1))) to go through, but was given \(word(String(found.2)))"
        }
        if let found = text.rest(after: "bad 'for' ")?.wholeMatch(of: /(.+) \(number expected, got (.+)\)/) {
            return "‘for’ wants a number as its \(found.1), but was given \(word(String(found.2)))"
        }
        return text == "'for' step is zero" ? "the step of a ‘for’ is 0, so that it would never end" : nil
    }

    /// Calculations with texts, which Lua tells of in other words, and numbers that do not fit.
    private static func ofNumbers(_ text: String) -> String? {
        if let found = text.rest(after: "attempt to ")?.wholeMatch(of: /\w+ a '(.+)' with a '(.+)'/) {
            let types = [String(found.1), String(found.2)]
            let wrong = types.first { $0 != "number" && $0 != "string" } ?? "string"
            return "one side of the calculation is \(word(wrong)), but must be a number"
        }
        if let found = text.rest(after: "invalid value (")?
            .wholeMatch(of: /(?:a |an )?(.+)\) at index (\d+) in table for '(.+)'/)
        {
            return "‘\(found.3)’ joins texts and numbers, but entry \(found.2) is \(word(String(found.1)))"
        }
        if let found = text.rest(after: "variable '")?.wholeMatch(of: /(.*)' got a non-closable value/) {
            return "the variable ‘\(found.1)’ is <close>, but its value has nothing that closes it"
        }
        return switch text {
        case "attempt to perform 'n//0'", "attempt to perform 'n%%0'", "attempt to perform 'n%0'",
            "attempt to divide by zero":
            "a whole number is divided by 0"
        case "number has no integer representation": "a number has a fraction, but must be whole"
        case "table index is nil", "index is nil": "the key in the brackets is nothing; keys are names or numbers"
        case "table index is NaN", "index is NaN": "the key in the brackets is 0/0, which is not a number"
        case "assertion failed!": "what ‘assert’ was given does not hold; assert(value, \"text\") says what is wrong"
        default: nil
        }
    }

    private struct Variable {
        /// `global`, `local`, `upvalue`, `field`, `method` or `constant`.
        var kind: String
        var name: String

        var isVariable: Bool { ["global", "local", "upvalue"].contains(kind) }
        var forPeople: String { isVariable ? "the variable ‘\(name)’" : "‘\(name)’" }
        /// Lua names the field of a number in brackets so.
        var isNumbered: Bool { kind == "field" && (name == "integer index" || name == "?") }
    }

    private static func refusal(
        of operation: String, type: String, _ variable: Variable?, _ names: [String], _ missed: MissedEntry?
    ) -> String {
        let isNothing = type == "nil"
        let isCall = operation == "call"
        if isNothing, let missed, let variable, ["field", "method"].contains(variable.kind),
            isCall || operation == "index"
        {
            return isCall ? missed.refusal(ofMethod: variable.name) : missed.refusal
        }
        if isNothing, let variable, variable.kind == "global" {
            if variable.name == "cutroom" {
                return "there is no variable ‘cutroom’; begin the script with: local cutroom = require \"cutroom\""
            }
            let near = nearestName(to: variable.name, in: names).map { "; did you mean ‘\($0)’?" } ?? ""
            return "there is no \(isCall ? "function" : "variable") ‘\(variable.name)’\(near)"
        }
        let what = variable.map { $0.isNumbered ? "the entry of that number" : $0.forPeople }
        switch operation {
        case "index":
            let hint = isNothing && variable?.isNumbered == true ? "; lists count from 1" : ""
            return "\(what ?? "what comes before the point or bracket") is \(word(type)), and has no fields\(hint)"
        case "call":
            if isNothing, let variable, !variable.isVariable, !variable.isNumbered {
                return "there is no \(variable.kind == "method" ? "method" : "function") ‘\(variable.name)’"
            }
            return "\(what ?? "what is called") is \(word(type)), not a function"
        case "get length of": return "\(what ?? "what ‘#’ is asked of") is \(word(type)), and has no length"
        case "concatenate":
            return "\(what ?? "one side of ‘..’") is \(word(type)), but must be a text or a number"
        default: return "\(what ?? "one side of the calculation") is \(word(type)), but must be a number"
        }
    }

    /// A type as Lua calls it, or several with slashes between, for people.
    private static func word(_ type: String) -> String {
        let types = type.split(separator: "/").map { String($0) }
        if types.count > 1, let last = types.last {
            return types.dropLast().map(word).joined(separator: ", ") + " or " + word(last)
        }
        return switch type {
        case "nil", "no value": "nothing"
        case "boolean": "true or false"
        case "string": "a text"
        default: (type.first.map { "aeiou".contains($0) } ?? false ? "an " : "a ") + type
        }
    }

    private static func plural(_ type: String) -> String {
        switch type {
        case "nil": "nothing and nothing"
        case "boolean": "true and false"
        case "string": "two texts"
        default: "two \(type)s"
        }
    }
}

extension String {
    /// Everything behind a text's beginning; nil where the text begins otherwise. A pattern is read
    /// anew wherever it is used, so the beginning decides whether there is anything to find.
    func rest(after beginning: String) -> Substring? {
        hasPrefix(beginning) ? self[utf8.index(startIndex, offsetBy: beginning.utf8.count)...] : nil
    }
}
