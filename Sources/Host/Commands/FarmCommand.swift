import ArgumentParser
import Farm
import Foundation
import HostCore
import Messaging

struct FarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "farm", abstract: "Render on several machines.",
        discussion: """
            A farm is a server and its nodes: machines that run ‘cutroom-worker --connect’. Each machine and each submitter has a key,
            and the server has a list of the keys that may connect.
            """,
        subcommands: [FarmKeysCommand.self, FarmSlurmCommand.self])
}

struct FarmKeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make keys, and choose which keys may connect.",
        discussion: """
            The server's key is in $XDG_CONFIG_HOME/cutroom/server, together with the allowed keys. The keys of nodes, submitters and admins
            are in $XDG_CONFIG_HOME/cutroom/keys on their own machines. A running server picks up changes within a second.
            """,
        subcommands: [NewKey.self, ListKeys.self, AllowKey.self, RevokeKey.self])

    struct NewKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Make a key on the machine that will use it.")

        @Argument(
            help: ArgumentHelp("The name of the key's owner: letters, digits, ‘-’, ‘_’ and ‘.’.", valueName: "name"))
        var name: String

        @Option(
            help:
                "The role: node (a machine that renders), submitter (may submit renders), admin (may also manage the renders of others) or server."
        )
        var role: KeyFile.Role = .node

        func run() throws {
            try tellingProblems {
                let (secret, open) = try FarmKeys().create(name, role: role)
                Console.say(open)
                let next =
                    role == .server
                    ? "give the public key \(open) to nodes and submitters"
                    : "on the server: cutroom farm keys allow \((open as NSString).lastPathComponent)"
                Console.inform("the secret key is \(secret); keep it on this machine; \(next)")
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
            commandName: "allow", abstract: "Allow a key to connect.")

        @Argument(help: ArgumentHelp("The public key (NAME.pub).", valueName: "file"), completion: .file())
        var file: String

        func run() throws {
            try tellingProblems {
                let key = try FarmKeys().allow(file)
                Console.inform("the \(key.role.rawValue) ‘\(key.name)’ may now connect")
            }
        }
    }

    struct RevokeKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a key.")

        @Argument(help: ArgumentHelp("The key's name, as ‘list’ shows it.", valueName: "name"))
        var name: String

        func run() throws {
            try tellingProblems {
                try FarmKeys().revoke(name)
                Console.inform("‘\(name)’ may no longer connect")
            }
        }
    }
}

extension KeyFile.Role: ExpressibleByArgument {}

/// Runs a function, and converts problems with keys to errors.
private func tellingProblems(_ body: () throws -> Void) throws {
    do {
        try body()
    } catch let error as KeyFile.Problem {
        throw HostError(error.isMissing ? .noInput : .data, error.description)
    }
}
