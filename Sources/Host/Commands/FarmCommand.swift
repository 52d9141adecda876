import ArgumentParser
import Farm
import Foundation
import HostCore
import Messaging

struct FarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farm", abstract: "Let other machines work, too.",
        discussion: """
            A farm is a server and its nodes: machines that run ‘cutroom-worker --connect’. Everybody has a key, and the server a list of those that
            may come.
            """,
        subcommands: [FarmKeysCommand.self, FarmSlurmCommand.self])
}

struct FarmKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make keys, and say who may connect.",
        discussion: """
            The server's key lies in $XDG_CONFIG_HOME/cutroom/server, with those that it allows; the keys of nodes, submitters and admins lie in
            $XDG_CONFIG_HOME/cutroom/keys of their own machines. A server that runs notices a change within a second.
            """,
        subcommands: [NewKey.self, ListKeys.self, AllowKey.self, RevokeKey.self])

    struct NewKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Make a key, on the machine that will use it.")

        @Argument(help: ArgumentHelp("Whose key it is: letters, digits, ‘-’, ‘_’ and ‘.’.", valueName: "name"))
        var name: String

        @Option(
            help:
                "What it is for: node (a machine that works), submitter (who hands renders in), admin (who also looks after those of others) or server."
        )
        var role: KeyFile.Role = .node

        func run() throws {
            try tellingProblems {
                let (secret, open) = try FarmKeys().create(name, role: role)
                Console.say(open)
                let next =
                    role == .server
                    ? "give nodes and submitters the public key \(open)"
                    : "on the server: cutroom farm keys allow \((open as NSString).lastPathComponent)"
                Console.inform("the secret key is \(secret), and stays here; \(next)")
            }
        }
    }

    struct ListKeys: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys that may connect.")

        func run() throws {
            try tellingProblems {
                let keys = FarmKeys()
                if let server = try? keys.server() { Console.say("server \(server.publicKey)") }
                let allowed = keys.allowed()
                for key in allowed.keys { Console.say("\(key.role.rawValue) \(key.publicKey) \(key.name)") }
                for problem in allowed.problems { Console.note(problem) }
            }
        }
    }

    struct AllowKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow", abstract: "Let the owner of a public key connect.")

        @Argument(help: ArgumentHelp("The public key (NAME.pub).", valueName: "file"), completion: .file())
        var file: String

        func run() throws {
            try tellingProblems {
                let key = try FarmKeys().allow(file)
                Console.inform("the \(key.role.rawValue) ‘\(key.name)’ may connect")
            }
        }
    }

    struct RevokeKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Let the owner of a key connect no more.")

        @Argument(help: ArgumentHelp("The key's name, as ‘list’ shows it.", valueName: "name"))
        var name: String

        func run() throws {
            try tellingProblems {
                try FarmKeys().revoke(name)
                Console.inform("‘\(name)’ may not connect any more")
            }
        }
    }
}

extension KeyFile.Role: ExpressibleByArgument {}

/// Does something with keys, and says what went wrong.
private func tellingProblems(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as KeyFile.Problem {
        throw HostError(error.isMissing ? .noInput : .data, error.description)
    }
}
