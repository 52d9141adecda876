import Composition
import Foundation
import Messaging
import Renders
import TestSupport
import Testing

@testable import HostCore
@testable import Server
@testable import ServerClient

/// Malicious requests to a server: each is decoded or refused, and changes nothing.
@Suite(.waits) struct RequestFuzzTests {
    private static var questions: [ServerRequest.Operation] {
        let request = RenderRequest(name: "edit.lua", document: #"{"cutroom":2}"#, output: "/out/a.mp4", scale: 0.5)
        let submission = ServerRequest.Submission(
            request: request, priority: -3, tags: ["gpu"], after: [RenderID(1)], key: "k", roots: ["media": "/mnt"],
            isFetched: true)
        let file = FinishedOutput.File(name: "a.mp4", size: 1, identity: "i")
        return [
            .submit([submission]), .check([submission], of: 3), .stage(7, from: 2, [submission]), .finish(7, count: 3),
            .abandon(7), .list(ServerRequest.Listing(all: true)),
            .rows(ServerRequest.Listing(ids: [RenderID(2)], after: RenderID(1))),
            .watch(ServerRequest.Watch(since: RenderCursor(era: 3, revision: 4), ids: [RenderID(1)], seconds: 5)),
            .show(RenderID(1)), .log(RenderID(1)), .act(.pause, [RenderID(1)]),
            .prioritise([RenderID(1)], 5), .drain("n", true), .forget("n"), .farm, .outputs(RenderID(1)),
            .piece(RenderID(1), file, from: 3), .digest(RenderID(1), file),
        ]
    }

    @Test func `whatever is asked is answered or dropped`() throws {
        let cases = Seed.cases(4000)
        let seed = Seed.announced(for: "requests", cases: cases)
        let book = RenderBook(limit: 1)
        let known = try Self.questions.map {
            try JSONEncoder().encode(ServerRequest(number: 1, engine: Engine.version, submitter: "ann", ask: $0))
        }
        for (number, question) in known.enumerated() {
            #expect((try? JSONDecoder().decode(ServerRequest.self, from: question)) != nil, "\(number)")
        }
        for number in 0..<cases {
            var random = SplitMix64.forCase(number, of: seed)
            var bytes = Array(random.pick(known))
            for _ in 0...Int.random(in: 0..<6, using: &random) where !bytes.isEmpty {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &random)))
                case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 30)], at: at)
                default: bytes.insert(contentsOf: Array("-99999999999999999999999".utf8), at: at)
                }
            }
            guard let question = try? JSONDecoder().decode(ServerRequest.self, from: Data(bytes)) else { continue }
            for holder in [nil, KeyHolder("ann", .submitter), KeyHolder("boss", .admin)] {
                let client = ClientIdentity(holder, said: question.submitter)
                let refusal = client.refusal(of: question.ask, in: book)
                #expect(
                    refusal?.description.contains("\n") != true || holder == nil,
                    "seed \(seed), case \(number)")
                guard case .submit(let submissions) = question.ask else { continue }
                for submission in submissions where ClientIdentity.refusal(of: submission) == nil {
                    #expect(!submission.request.output.isEmpty && submission.tags.allSatisfy(Tags.isValid))
                }
            }
        }
    }
}
