import ArgumentParser
import Composition
import Foundation
import Glibc
import HostCore
import Renders
import ServerClient

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "Look after the renders of a server.",
        subcommands: [
            List.self, Watch.self, Show.self, Log.self, Fetch.self, Pause.self, Resume.self, Cancel.self, Retry.self,
            Priority.self, Purge.self,
        ], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List renders; those that ended more than a day ago with --all.")
        @Flag(help: "As JSON.") var json = false
        @Flag(help: "Those that have ended long ago, too.") var all = false
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

        /// While the server writes a page, the one before is measured.
        private func printTable() throws(HostError) {
            var connection = try ServerConnection(try server.address)
            var (listing, printer): (ServerRequest.Listing, RowPrinter) = (
                ServerRequest.Listing(all: all), RowPrinter()
            )
            var asked = try connection.post(.rows(listing))
            while true {
                let (number, say, bytes) = try connection.next()
                guard number == asked else { continue }
                guard case .rows(let page) = say else { throw HostError.unfittingAnswer }
                listing.after = try next(page, listing)
                if listing.after != nil { asked = try connection.post(.rows(listing)) }
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
        static let configuration = CommandConfiguration(abstract: "Show renders as they go on, until all have ended.")
        @Argument(help: ArgumentHelp("Renders; none: all.", valueName: "render")) var ids: [Int64] = []
        @OptionGroup var server: ServerOptions
        @OptionGroup(title: "Messages") var messages: MessageOptions

        func run() async throws {
            try await reportingErrors(verbose: messages.verbose) {
                try RenderWatch(try server.address).watch(ids.map { RenderID($0) })
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Say everything about one render, as JSON.")
        @Argument(help: ArgumentHelp("The render's number.", valueName: "render")) var id: Int64
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
        static let configuration = CommandConfiguration(abstract: "Say what happened in one render.")
        @Argument(help: ArgumentHelp("The render's number.", valueName: "render")) var id: Int64
        @Flag(help: "As JSON.") var json = false
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
            abstract: "Fetch the file of a render that is done, from a server that keeps it or from its storage.",
            discussion: "Prints the file's path, of pictures each file's. What was fetched before is not fetched again."
        )
        @Argument(help: ArgumentHelp("The render's number.", valueName: "render")) var id: Int64
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Where it goes; of pictures the folder, or the pattern. Default: the current folder, under its own name.",
                valueName: "file"), completion: .file())
        var output: String?
        @Flag(name: [.long, .customShort("y")], help: "Replace the output where it exists.") var overwrite = false
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
        static let configuration = CommandConfiguration(abstract: "Stop renders; the parts that are there stay.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Resume: RenderAct {
        static let act = ServerRequest.Act.resume
        static let configuration = CommandConfiguration(abstract: "Go on with renders that are paused.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Cancel: RenderAct {
        static let act = ServerRequest.Act.cancel
        static let configuration = CommandConfiguration(abstract: "End renders for good.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Retry: RenderAct {
        static let act = ServerRequest.Act.retry
        static let configuration = CommandConfiguration(
            abstract: "Render again what has failed or was cancelled; the parts that are there are used.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Purge: RenderAct {
        static let act = ServerRequest.Act.purge
        static let configuration = CommandConfiguration(abstract: "Forget renders that have ended.")
        @OptionGroup var chosen: ChosenRenders
    }

    struct Priority: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change which renders go first.")
        @Argument(help: ArgumentHelp("Higher goes first.", valueName: "number")) var priority: Int
        @OptionGroup var chosen: ChosenRenders

        func run() async throws {
            try await chosen.run { .prioritise($0, priority) }
        }
    }
}

/// Renders by their numbers.
struct ChosenRenders: ParsableArguments {
    @Argument(help: ArgumentHelp("The renders' numbers.", valueName: "render")) var ids: [Int64]
    @OptionGroup var server: ServerOptions
    @OptionGroup(title: "Messages") var messages: MessageOptions

    func run(_ ask: ([RenderID]) -> ServerRequest.Ask) async throws {
        try await reportingErrors(verbose: messages.verbose) {
            let found = try renders(ask(ids.map { RenderID($0) }), server)
            for render in found { Console.say("\(render.entry.id)  \(render.entry.state.rawValue)") }
        }
    }
}

/// A command that does one thing to renders.
protocol RenderAct: AsyncParsableCommand {
    static var act: ServerRequest.Act { get }
    var chosen: ChosenRenders { get }
}

extension RenderAct {
    func run() async throws { try await chosen.run { .act(Self.act, $0) } }
}

private func renders(_ ask: ServerRequest.Ask, _ server: ServerOptions) throws -> [RenderStatus] {
    var connection = try ServerConnection(try server.address)
    guard case .renders(let found) = try connection.ask(ask) else {
        throw HostError.unfittingAnswer
    }
    return found
}
