import ArgumentParser
import Composition
import Foundation
import Glibc
import HostCore
import Renders
import ServerClient

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Manage the renders of a server.",
        subcommands: [
            List.self, Watch.self, Show.self, Log.self, Fetch.self, Pause.self, Resume.self, Cancel.self, Retry.self,
            Priority.self, Purge.self,
        ], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List renders; with --all also those that ended more than a day ago.")
        @Flag(help: "Print JSON.") var json = false
        @Flag(help: "Include renders that ended more than a day ago.") var all = false
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                guard json else { return try printTable() }
                let found = try statuses()
                Console.say(prettyJSON(found, snakeCase: true))
            }
        }

        private func statuses() throws(HostError) -> [RenderStatus] {
            var connection = try ServerConnection(try server.address)
            var (listing, found): (ServerRequest.Listing, [RenderStatus]) = (ServerRequest.Listing(all: all), [])
            repeat {
                guard case .page(let more, let page) = try connection.ask(.list(listing)) else {
                    throw HostError.unfittingAnswer
                }
                found += more
                listing.after = try next(page, listing)
            } while listing.after != nil
            return found
        }

        /// Prints the table. While the server writes a page, the previous one is measured.
        private func printTable() throws(HostError) {
            var connection = try ServerConnection(try server.address)
            var (listing, printer): (ServerRequest.Listing, RowPrinter) = (
                ServerRequest.Listing(all: all), RowPrinter()
            )
            var pending = try connection.post(.rows(listing))
            while true {
                let (number, say, bytes) = try connection.next()
                guard number == pending else { continue }
                guard case .rows(let page) = say else { throw HostError.unfittingAnswer }
                listing.after = try next(page, listing)
                if listing.after != nil { pending = try connection.post(.rows(listing)) }
                try printer.add(bytes)
                if listing.after == nil { break }
            }
            Console.write(printer.table(), to: STDOUT_FILENO)
        }

        /// Returns where the list continues. A server whose next page does not follow the last one
        /// would never end.
        private func next(_ page: ServerResponse.Page, _ listing: ServerRequest.Listing) throws(HostError) -> RenderID?
        {
            if let next = page.next, let after = listing.after, next <= after { throw RenderRow.unreadable }
            return page.next
        }

    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Follow renders until all of them have ended; the exit code is 70 if one failed.")
        @Argument(help: ArgumentHelp("The numbers of the renders. Default: all.", valueName: "render")) var ids:
            [Int64] = []
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                try RenderWatch(try server.address).watch(ids.map { RenderID($0) })
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print everything about a render, as JSON.")
        @Argument(help: ArgumentHelp("The number of the render.", valueName: "render")) var id: Int64
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                if let found = try renders(.show(RenderID(id)), server).first {
                    Console.say(prettyJSON(found, snakeCase: true))
                }
            }
        }
    }

    struct Log: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the log of a render.")
        @Argument(help: ArgumentHelp("The number of the render.", valueName: "render")) var id: Int64
        @Flag(help: "Print JSON.") var json = false
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                var connection = try ServerConnection(try server.address)
                guard case .log(let notes) = try connection.ask(.log(RenderID(id))) else { return }
                if json { return Console.say(prettyJSON(notes, snakeCase: true)) }
                for note in notes {
                    let time = Date(timeIntervalSince1970: note.time).formatted(.iso8601)
                    Console.say("\(time)  \(note.level.rawValue)  \(note.text)")
                }
            }
        }
    }

    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch the output of a finished render from a server that keeps it, or from its storage.",
            discussion:
                "Prints the path of the file, or of each picture. Data that has already been fetched is not fetched again."
        )
        @Argument(help: ArgumentHelp("The number of the render.", valueName: "render")) var id: Int64
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The file to write; for pictures the folder or the pattern. Default: its own name in the current folder.",
                valueName: "file"), completion: .file())
        var output: String?
        @Flag(name: [.long, .customShort("y")], help: "Replace the output if it exists.") var overwrite = false
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                let address = try server.address
                var connection = ReconnectingConnection(address)
                guard case .renders(let found) = try connection.ask(.show(RenderID(id))), let render = found.first
                else {
                    throw HostError.unfittingAnswer
                }
                let reporter = ProgressReporter(nil)
                var download = OutputDownload(RenderID(id), from: address, reporter)
                defer { reporter.clear() }
                let paths = try download.fetch(to: output, of: render.entry.ticket.output, overwrites: overwrite)
                reporter.clear()
                for path in paths { Console.say(path) }
            }
        }
    }

    struct Pause: RenderAct {
        static let act = ServerRequest.Act.pause
        static let configuration = CommandConfiguration(abstract: "Pause renders; finished parts are kept.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Resume: RenderAct {
        static let act = ServerRequest.Act.resume
        static let configuration = CommandConfiguration(abstract: "Resume paused renders.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Cancel: RenderAct {
        static let act = ServerRequest.Act.cancel
        static let configuration = CommandConfiguration(abstract: "Cancel renders.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Retry: RenderAct {
        static let act = ServerRequest.Act.retry
        static let configuration = CommandConfiguration(
            abstract: "Retry renders that failed or were cancelled; finished parts are reused.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Purge: RenderAct {
        static let act = ServerRequest.Act.purge
        static let configuration = CommandConfiguration(abstract: "Remove ended renders from the list.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Priority: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change the priority of renders.")
        @Argument(help: ArgumentHelp("The priority; higher values render first.", valueName: "number")) var priority:
            Int
        @OptionGroup var chosen: ChosenRenders

        func run() async throws {
            try await chosen.run { .prioritise($0, priority) }
        }
    }
}

/// Renders by their numbers.
struct ChosenRenders: ParsableArguments {
    @Argument(help: ArgumentHelp("The numbers of the renders.", valueName: "render")) var ids: [Int64]
    @OptionGroup var server: ServerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions

    func run(_ ask: ([RenderID]) -> ServerRequest.Operation) async throws {
        try await reportingErrors(verbose: messages.verbose) {
            let found = try renders(ask(ids.map { RenderID($0) }), server)
            for render in found { Console.say("\(render.entry.id)  \(render.entry.state.rawValue)") }
        }
    }
}

/// A command that performs one action on renders.
protocol RenderAct: AsyncParsableCommand {
    static var act: ServerRequest.Act { get }
    var chosen: ChosenRenders { get }
}

extension RenderAct {
    func run() async throws { try await chosen.run { .act(Self.act, $0) } }
}

private func renders(_ ask: ServerRequest.Operation, _ server: ServerOptions) throws -> [RenderStatus] {
    var connection = try ServerConnection(try server.address)
    guard case .renders(let found) = try connection.ask(ask) else {
        throw HostError.unfittingAnswer
    }
    return found
}
