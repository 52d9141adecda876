import ArgumentParser
import Draft
import HostCore

/// What is wrong with a command line, as it is told of. The parser knows that something is; what was meant it does not say, or says
/// something else.
struct CommandMistake {
    private let message: String
    /// How the command is used, in lines; empty where the parser has nothing to say about it.
    private let usage: String

    init(_ error: any Error) {
        let words = Array(CommandLine.arguments.dropFirst())
        let said = CutroomCommand.message(for: error)
        let all = CutroomCommand.fullMessage(for: error)
        let rest = all.range(of: said).map { String(all[$0.upperBound...].drop { $0 == "\n" }) } ?? ""
        if let needless = Self.needless(said, words) {
            message = needless
            // What is missing is another matter.
            usage = rest.split(separator: "\n").filter { !$0.hasPrefix("Help:") }.joined(separator: "\n")
        } else {
            message = Self.unknownOption(said, words) ?? ParserWords.ours(said)
            usage = rest
        }
    }

    /// - Parameter command: whose usage is told.
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

    /// Whether nothing is to be done but to say how things are done, which takes nothing of the machine.
    static func asksForHelp(_ words: [String]) -> Bool {
        let words = words.prefix { $0 != "--" }
        return words.first == "help"
            || words.contains {
                ["--help", "-h", "--help-hidden", "--version", "--generate-completion-script"].contains($0)
            }
    }

    /// What is wrong with the command's name, where help is asked for too; nil where nothing is.
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
        "check": "validate lint verify test", "cover": "thumbnail poster frame still", "snapshots": "thumbnails frames",
        "probe": "ffprobe mediainfo inspect", "save": "dump", "plan": "explain", "params": "parameters args options",
        "schema": "jsonschema json_schema",
        "plugin": "plugins effects",
    ])

    /// The command that the first words name, and the word after them where it could name one, too.
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

    /// What the parser has said of an option that the command does not have, with what was meant; nil where it said something else.
    private static func unknownOption(_ said: String, _ words: [String]) -> String? {
        let opening = "Unknown option '"
        guard said.hasPrefix(opening) else { return nil }
        let parsed = String(said.dropFirst(opening.count).prefix { $0 != "'" })
        let written = written(words)
        // Of several letters behind one dash the parser names the one that it does not know.
        let isCluster: (String) -> Bool = {
            parsed.count == 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.dropFirst().contains(parsed.suffix(1))
        }
        let option = written.first { $0 == parsed } ?? written.first(where: isCluster) ?? parsed
        return unknown(option, words)
    }

    /// The options as they are written, without values of theirs.
    private static func written(_ words: [String]) -> [String] {
        words.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
    }

    /// What there is too much of, where the parser misses something else: it tells of that first, and the option was meant for it.
    private static func needless(_ said: String, _ words: [String]) -> String? {
        guard said.hasPrefix("Missing expected argument") else { return nil }
        let known = options(of: command(of: words).command)
        return written(words).first { $0.hasPrefix("--") && !known.contains($0) }.map { unknown($0, words) }
    }

    private static func unknown(_ option: String, _ words: [String]) -> String {
        let known = options(of: command(of: words).command)
        if let meant = OtherTools.advice(for: option, known) {
            return sentence("There is no option ‘\(option)’\(meant)")
        }
        let near = nearestName(to: bare(option), in: known.map(bare)).map { "; did you mean ‘--\($0)’?" }
        return sentence("There is no option ‘\(option)’\(near ?? "")")
    }

    /// An option of several letters behind one dash, as other programs have them, that the parser would take for several of ours:
    /// ‘-threads’ has the letter of help in it.
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

    /// The long names of a command's options, as `--codec`.
    static func options(of command: any ParsableCommand.Type) -> [String] {
        // Labels stand at the beginning of a line, before what they mean.
        command.helpMessage(includeHidden: true, columns: 1000).split(separator: "\n").flatMap { line -> [String] in
            guard line.hasPrefix("  -") else { return [] }
            let label = line.dropFirst(2).prefix { $0 != "<" }
            return label.split { ", /".contains($0) }.prefix { $0.hasPrefix("-") }.filter { $0.hasPrefix("--") }.map(
                String.init)
        }
    }
}
