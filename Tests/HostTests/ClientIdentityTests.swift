import Content
import Foundation
import Messaging
import Renders
import Testing

@testable import HostCore
@testable import Server
@testable import ServerClient

/// The permissions of clients: every request, by every role, about its own renders, those of
/// others, and missing ones.
@Suite struct ClientIdentityTests {
    private static let everybody: [ClientIdentity] = [
        ClientIdentity(nil, said: "ann"), ClientIdentity(KeyHolder("boss", .admin), said: "ann"),
        ClientIdentity(KeyHolder("ann", .submitter), said: "boss"),
        ClientIdentity(KeyHolder("bob", .submitter), said: "key:ann"),
    ]

    private static func submission(
        priority: Int = 0, tags: Set<String> = [], after: Set<RenderID> = [], key: String? = nil,
        name: String = "a.lua",
        output: String = "/out/a.mp4", scale: Double? = nil
    ) -> ServerRequest.Submission {
        ServerRequest.Submission(
            request: RenderRequest(name: name, document: "{}", output: output, scale: scale), priority: priority,
            tags: tags, after: after, key: key)
    }

    /// A book with a render of each client.
    private static func book() throws -> (book: RenderBook, owners: [String: RenderID]) {
        var book = RenderBook(limit: 1)
        var owners: [String: RenderID] = [:]
        for client in everybody {
            let ticket = RenderTicket(name: "a", output: "/a", submitter: client.name, digest: "d")
            owners[client.name] = try book.submit(ticket, at: 0).entry.id
        }
        return (book, owners)
    }

    /// Every kind of request about a render; a new kind does not compile until it is added here.
    private static func questions(about id: RenderID) -> [ServerRequest.Operation] {
        let file = FinishedOutput.File(name: "a.mp4", size: 1, identity: "")
        let content = ContentID(digest: String(repeating: "0", count: 64), size: 1)
        func next(_ ask: ServerRequest.Operation) -> ServerRequest.Operation? {
            switch ask {
            case .show: .log(id)
            case .log: .outputs(id)
            case .outputs: .piece(id, file, from: 0)
            case .piece: .digest(id, file)
            case .digest: .prioritise([id], -1)
            case .prioritise: .submit([submission(after: [id])])
            case .submit: .check([], of: 1)
            case .check: .stage(1, from: 0, [])
            case .stage: .finish(1, count: 1)
            case .finish: .abandon(1)
            case .abandon: .act(.pause, [id])
            case .act(let act, _):
                ServerRequest.Act.allCases.drop { $0 != act }.dropFirst().first.map { .act($0, [id]) }
                    ?? .list(ServerRequest.Listing(all: true, ids: [id]))
            case .list(let listing): .rows(listing)
            case .rows: .watch(ServerRequest.Watch(since: RenderCursor(era: 0, revision: 0), ids: [id], seconds: 1))
            case .watch: .drain("node", true)
            case .drain: .forget("node")
            case .forget: .farm
            case .farm: content.map { .upload($0) }
            case .upload(let content): .give(content, from: 0)
            case .give(let content, _): .finishUpload(content)
            case .finishUpload: nil
            }
        }
        return Array(sequence(first: .show(id), next: next))
    }

    private enum Subject { case render, workers, files, none }

    private static func subject(_ ask: ServerRequest.Operation) -> Subject {
        switch ask {
        case .show, .log, .outputs, .piece, .digest, .prioritise, .submit, .act: .render
        case .drain, .forget, .farm: .workers
        case .upload, .give, .finishUpload: .files
        case .list, .rows, .watch, .check, .stage, .finish, .abandon: .none
        }
    }

    @Test func everyQuestionByEverybodyAboutEveryRender() throws {
        let (book, owners) = try Self.book()
        let unknown = RenderID(99)
        #expect(Self.questions(about: unknown).count == 20 + ServerRequest.Act.allCases.count)
        for client in Self.everybody {
            for (owner, id) in owners.map({ ($0, $1) }) + [("", unknown)] {
                for ask in Self.questions(about: id) {
                    let refusal = client.refusal(of: ask, in: book)
                    let isAllowed =
                        switch Self.subject(ask) {
                        case .render: id != unknown && (client.seesAll || owner == client.name)
                        case .workers: client.seesAll
                        case .files: client.isRemote
                        case .none: true
                        }
                    #expect((refusal == nil) == isAllowed, "\(client) \(ask): \(refusal?.description ?? "allowed")")
                }
            }
        }
    }

    /// Renders of others are treated as missing, and one of several is enough.
    @Test func foreignIsAsUnknown() throws {
        let (book, owners) = try Self.book()
        let ann = Self.everybody[2]
        let (own, foreign) = (try #require(owners["key:ann"]), try #require(owners["key:bob"]))
        func words(_ ask: ServerRequest.Operation) -> String? { ann.refusal(of: ask, in: book)?.description }
        for (strange, missing) in zip(Self.questions(about: foreign), Self.questions(about: RenderID(77))) {
            #expect(words(strange)?.replacing("\(foreign)", with: "77") == words(missing))
        }
        #expect(words(.act(.cancel, [own, foreign])) == "There is no render \(foreign).")
        #expect(words(.prioritise([own, foreign], 0)) == "There is no render \(foreign).")
        let table = book.entries.values.filter(ann.sees).map(\.id)
        #expect(table == [own])
    }

    @Test func aKeyIsNotAUserOfItsName() throws {
        let (user, key, liar) = (Self.everybody[0], Self.everybody[2], Self.everybody[3])
        #expect(user.name == "ann" && key.name == "key:ann" && liar.name == "key:bob")
        #expect(user.standing == .owner && key.standing == .submitter && liar.standing == .submitter)
        #expect(user.confinement == nil && key.confinement == .own && Self.everybody[1].confinement == .shared)
        for role in KeyFile.Role.allCases where role != .admin {
            #expect(ClientIdentity(KeyHolder("x", role), said: "").standing == .submitter, "\(role)")
        }
    }

    @Test func prioritiesAreBounded() throws {
        let (book, owners) = try Self.book()
        for (client, highest) in zip(Self.everybody, [1000, 1000, 0, 0]) {
            let id = try #require(owners[client.name])
            for (priority, isFine) in [
                (highest, true), (highest + 1, false), (-1000, true), (-1001, false), (Int.max, false),
                (Int.min, false),
            ] {
                for ask in [.prioritise([id], priority), .submit([Self.submission(priority: priority)])]
                    as [ServerRequest.Operation]
                {
                    #expect((client.refusal(of: ask, in: book) == nil) == isFine, "\(client.name) \(priority)")
                }
            }
        }
    }

    @Test func whatComesOverANetworkIsLookedAtOnceMore() {
        let long = String(repeating: "x", count: 5000)
        let wrong: [ServerRequest.Submission] = [
            Self.submission(name: ""), Self.submission(name: long), Self.submission(name: "a\u{1B}[2J"),
            Self.submission(output: ""), Self.submission(output: "/a\nb.mp4"), Self.submission(output: long),
            Self.submission(tags: ["a b"]), Self.submission(tags: Set((0..<40).map { "t\($0)" })),
            Self.submission(after: Set((1...2000).map { RenderID($0) })), Self.submission(key: ""),
            Self.submission(key: long), Self.submission(key: "a\u{7}"), Self.submission(scale: 0),
            Self.submission(scale: 2), Self.submission(scale: .nan), Self.submission(scale: -.infinity),
        ]
        for submission in wrong { #expect(ClientIdentity.refusal(of: submission) != nil, "\(submission)") }
        #expect(ClientIdentity.refusal(of: Self.submission(tags: ["gpu"], key: "k", scale: 0.5)) == nil)
    }

    /// Names in lists, logs and terminals are checked for all clients.
    @Test func namesAreLookedAtForEverybody() throws {
        let (book, _) = try Self.book()
        let wrong = [
            Self.submission(key: "k\u{1B}"), Self.submission(key: "k\nx"), Self.submission(key: "k\u{202E}"),
            Self.submission(name: "e\u{1B}[31m.lua"), Self.submission(output: "/a\0b.mp4"),
            Self.submission(tags: ["a b"]),
        ]
        for client in Self.everybody {
            for submission in wrong {
                #expect(client.refusal(of: .submit([submission]), in: book) != nil, "\(submission)")
            }
            #expect(client.refusal(of: .submit([Self.submission(tags: ["gpu"], key: "k")]), in: book) == nil)
        }
    }

    /// The sizes of a chunk and of all chunks are limited; nothing overflows.
    @Test func soManyAreHandedInAtATime() throws {
        let (book, _) = try Self.book()
        let many = Array(repeating: Self.submission(), count: ClientIdentity.mostSubmissions + 1)
        let few = Array(many.prefix(2))
        for client in Self.everybody {
            func isAllowed(_ ask: ServerRequest.Operation) -> Bool { client.refusal(of: ask, in: book) == nil }
            for ask in [.submit(many), .check(many, of: 1), .stage(1, from: 0, many)] as [ServerRequest.Operation] {
                #expect(!isAllowed(ask))
            }
            #expect(isAllowed(.check(few, of: 20_000)) && isAllowed(.stage(1, from: 19_998, few)))
            for first in [ClientIdentity.mostRenders, .max, .max - 1] {
                #expect(!isAllowed(.stage(1, from: first, few)))
            }
            for count in [ClientIdentity.mostRenders + 1, .max] { #expect(!isAllowed(.check(few, of: count))) }
            for count in [0, -1, .min] {
                #expect(isAllowed(.check(few, of: count)) && isAllowed(.stage(1, from: count, few)))
            }
            let ids = (0...Int64(ServerRequest.Listing.most)).map { RenderID($0) }
            let since = RenderCursor(era: .max, revision: .min)
            #expect(
                !isAllowed(.list(ServerRequest.Listing(ids: ids))) && !isAllowed(.rows(ServerRequest.Listing(ids: ids)))
            )
            #expect(!isAllowed(.watch(ServerRequest.Watch(since: since, ids: ids, seconds: 1))))
            #expect(isAllowed(.watch(ServerRequest.Watch(since: since, ids: nil, seconds: -1))))
        }
    }

    @Test func aSubmitterHasSoManyRenders() throws {
        var book = RenderBook(limit: 1)
        let ann = Self.everybody[2]
        for _ in 0..<ClientIdentity.mostRenders {
            _ = try book.submit(RenderTicket(name: "a", output: "/a", submitter: ann.name, digest: "d"), at: 0)
        }
        #expect(ann.refusal(of: .submit([Self.submission()]), in: book)?.description.contains("purge") == true)
        #expect(Self.everybody[3].refusal(of: .submit([Self.submission()]), in: book) == nil)
    }
}
