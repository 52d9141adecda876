import ArgumentParser
import Composition
import Farm
import Foundation
import Glibc
import HostCore
import ServerClient

struct WorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers", abstract: "Manage the workers of a server.",
        subcommands: [List.self, Drain.self, Resume.self, Forget.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the server's workers and nodes, including those lost in the last hour.")
        @Flag(help: "Print JSON, with each slot.") var json = false
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let nodes = try nodes(.farm, server)
                Console.say(json ? prettyJSON(nodes, snakeCase: true) : NodeTable(nodes).text)
            }
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop giving jobs to a node, and wait until it has none.",
            discussion:
                "Jobs that are running there are finished. The server remembers this until ‘resume’, or until it exits."
        )
        @Argument(help: ArgumentHelp("The name of the node.", valueName: "node")) var node: String
        @Flag(help: "Do not wait until the node has no jobs.") var noWait = false
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                var found = try nodes(.drain(node, true), server)
                while !noWait {
                    guard let state = found.first(where: { $0.name == node }) else { break }
                    guard state.slots.contains(where: { $0.job != nil }) else { break }
                    usleep(300_000)
                    found = try nodes(.farm, server)
                }
                let running = found.first { $0.name == node }?.slots.count { $0.job != nil } ?? 0
                Console.inform(
                    running == 0
                        ? "‘\(node)’ has no jobs and gets no new ones"
                        : "‘\(node)’ gets no new jobs; it is still running \(counted(running, "job", "jobs"))")
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give jobs to a drained node again.")
        @Argument(help: ArgumentHelp("The name of the node.", valueName: "node")) var node: String
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) { _ = try nodes(.drain(node, false), server) }
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a lost node from the list.")
        @Argument(help: ArgumentHelp("The name of the node.", valueName: "node")) var node: String
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) { _ = try nodes(.forget(node), server) }
        }
    }
}

private func nodes(_ ask: ServerRequest.Operation, _ server: ServerOptions) throws -> [NodeStatus] {
    var connection = try ServerConnection(try server.address)
    guard case .farm(let status) = try connection.ask(ask) else {
        throw HostError.unfittingAnswer
    }
    return NodeStatus.all(of: status.queue.workers)
}
