import ArgumentParser
import HostCore
import Values

/// An error in a command line. The parser detects it, but does not say what was meant, or says
/// something misleading.
struct CommandMistake {
    private let message: String
    /// The usage of the command, in lines; empty if the parser prints none.
    private let usage: String

    init(_ error: any Error) {
        let words = Array(CommandLine.arguments.dropFirst())
        let said = CutroomCommand.message(for: error)
        let all = CutroomCommand.fullMessage(for: error)
        let rest = all.range(of: said).map { String(all[$0.upperBound...].drop { $0 == "\n" }) } ?? ""
        if let needless = Self.needless(said, words) {
            message = needless
            // A missing argument is another error.
            usage = rest.split(separator: "\n").filter { !$0.hasPrefix("Help:") }.joined(separator: "\n")
        } else {
            message = Self.unknownOption(said, words) ?? Self.bareOutput(said, words) ?? ParserWords.ours(said)
            usage = rest
        }
    }

    /// Describes an error.
    /// - Parameter command: the command whose usage is shown.
    private init(_ message: String, _ command: any ParsableCommand.Type) {
        self.message = sentence(message)
        let words = CutroomCommand.usageString(for: command)
        let name = words.prefix { !"<[".contains($0) }.split(separator: " ").joined(separator: " ")
        usage = "Usage: \(words)\n  See '\(name) --help' for more information."
    }

    func tell() {
        Console.complain(HostError(.usage, message), verbose: false)
        if !Console.isJSON, !usage.isEmpty { Console.note(usage) }
    }

    // MARK: Commands

    /// Returns whether a command line only asks for help, which needs no resources.
    static func asksForHelp(_ words: [String]) -> Bool {
        let words = words.prefix { $0 != "--" }
        return words.first == "help"
            || words.contains {
                ["--help", "-h", "--help-hidden", "--version", "--generate-completion-script"].contains($0)
            }
    }

    /// Returns the error in a command's name, also in requests for help; nil if there is none.
    static func unknownCommand(_ words: [String]) -> CommandMistake? {
        let (command, next) = command(of: words.first == "help" ? Array(words.dropFirst()) : words)
        let names = command.configuration.subcommands.map { $0._commandName }
        guard let next, !names.isEmpty else { return nil }
        let hint = suggestion(for: next, in: names, otherNames: otherCommands)
        return CommandMistake("There is no command ‘\(next)’\(hint)", command)
    }

    private static let otherCommands = OtherNames([
        "clear": "clean prune purge wipe delete empty rm remove", "list": "ls all", "info": "describe help man",
        "show": "info status size du", "new": "init create", "render": "export encode build make run write",
        "check": "validate lint verify test", "cover": "thumbnail poster frame still screenshot grab",
        "snapshots": "thumbnails frames contact_sheet contactsheet storyboard screenshots stills",
        "probe": "ffprobe mediainfo inspect", "save": "dump", "plan": "explain", "params": "parameters args options",
        "schema": "jsonschema json_schema",
        "plugin": "plugins effects",
    ])

    /// Returns the command that the first words name, and the next word if it could also name one.
    private static func command(of words: [String]) -> (command: any ParsableCommand.Type, next: String?) {
        var command: any ParsableCommand.Type = CutroomCommand.self
        for word in words {
            guard !word.hasPrefix("-"), word != "help" else { return (command, nil) }
            guard let found = command.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return (command, word)
            }
            command = found
        }
        return (command, nil)
    }

    // MARK: Options

    /// Returns the error about an unknown option, with a suggestion; nil if the parser's message is
    /// about something else.
    private static func unknownOption(_ said: String, _ words: [String]) -> String? {
        let opening = "Unknown option '"
        guard said.hasPrefix(opening) else { return nil }
        let parsed = String(said.dropFirst(opening.count).prefix { $0 != "'" })
        let written = written(words)
        // For several letters after one dash, the parser names the unknown one.
        let isCluster: (String) -> Bool = {
            parsed.count == 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.dropFirst().contains(parsed.suffix(1))
        }
        let option = written.first { $0 == parsed } ?? written.first(where: isCluster) ?? parsed
        return unknown(option, words)
    }

    /// Returns the options as they were written, without their values.
    private static func written(_ words: [String]) -> [String] {
        words.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
    }

    /// Returns the error about superfluous words if the parser reports something missing: they come
    /// first, and the missing option was meant for them.
    private static func needless(_ said: String, _ words: [String]) -> String? {
        guard said.hasPrefix("Missing expected argument") else { return nil }
        let known = options(of: command(of: words).command)
        return written(words).first { $0.hasPrefix("--") && !known.contains($0) }.map { unknown($0, words) }
    }

    /// Returns the error about an output without its option, which other programs take last; nil
    /// for other superfluous words.
    private static func bareOutput(_ said: String, _ words: [String]) -> String? {
        guard let word = said.wholeMatch(of: /Unexpected argument '(?<word>.*)'/)?.word,
            let dot = word.lastIndex(of: "."), !scripts.contains(word[word.index(after: dot)...].lowercased()),
            !words.contains(where: { $0.hasPrefix("-o") || $0.hasPrefix("--output") }),
            options(of: command(of: words).command).contains("--output")
        else { return nil }
        return "‘\(word)’ is an unexpected argument; an output needs its option, as in ‘-o \(word)’."
    }

    /// Extensions of inputs.
    private static let scripts: Set = ["lua", "cutroom"]

    private static func unknown(_ option: String, _ words: [String]) -> String {
        let known = options(of: command(of: words).command)
        if let meant = OtherTools.advice(for: option, known) {
            return sentence("There is no option ‘\(option)’\(meant)")
        }
        let near = nearestName(to: bare(option), in: known.map(bare)).map { "; did you mean ‘--\($0)’?" }
        return sentence("There is no option ‘\(option)’\(near ?? "")")
    }

    /// Returns an error about an option of several letters after one dash, as other programs have,
    /// which the parser would take for several options: ‘-threads’ contains the letter for help.
    static func foreignOption(_ words: [String]) -> CommandMistake? {
        let command = command(of: words).command
        for word in words.prefix(while: { $0 != "--" }) {
            let option = String(word.prefix { $0 != "=" })
            guard option.count > 2, option.hasPrefix("-"), !option.hasPrefix("--"),
                option.dropFirst().allSatisfy(\.isLetter),
                let meant = OtherTools.advice(for: option, options(of: command))
            else { continue }
            return CommandMistake("There is no option ‘\(option)’\(meant)", command)
        }
        return nil
    }

    static func bare(_ option: String) -> String { String(option.drop { $0 == "-" }) }

    /// Returns the long names of a command's options, such as `--codec`.
    static func options(of command: any ParsableCommand.Type) -> [String] {
        // Labels are at the beginning of a line, before their descriptions.
        command.helpMessage(includeHidden: true, columns: 1000).split(separator: "\n").flatMap { line -> [String] in
            guard line.hasPrefix("  -") else { return [] }
            let label = line.dropFirst(2).prefix { $0 != "<" }
            return label.split { ", /".contains($0) }.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }.map(
                String.init)
        }
    }
}
