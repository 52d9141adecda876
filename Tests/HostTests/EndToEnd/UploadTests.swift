import Content
import Foundation
import Renders
import TestSupport
import Testing

@testable import HostCore
@testable import ServerClient

extension EndToEnd {
    /// Submitters that share no storage with the server, and upload the files that their renders
    /// read.
    @Suite struct UploadTests {
        /// Media in no folder of the server's.
        private func lot(_ more: String...) throws -> RemoteClientTests.Lot {
            let lot = try RemoteClientTests.Lot([("ann", "submitter"), ("bob", "submitter")], more)
            let own = lot.studio.file("own")
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: Footage.pattern, toPath: own + "/clip.mp4")
            try lot.studio.folder.write("1\n00:00:00,000 --> 00:00:01,000\nHello\n", to: "own/words.srt")
            try lot.studio.script(
                """
                draft:add_clip("\(own)/clip.mp4", { range = { 0, 1 } })
                draft:add_subtitles("\(own)/words.srt", { size = 20 })
                """)
            return lot
        }

        private func sent(_ lot: RemoteClientTests.Lot, _ who: String = "ann") -> Set<String> {
            Set((try? FileManager.default.contentsOfDirectory(atPath: lot.studio.file("state/uploads/\(who)"))) ?? [])
        }

        @Test func `what lies in no folder of the server's is sent, once`() throws {
            let lot = try lot()
            let studio = lot.studio
            #expect(try studio.start(["render", "edit.lua", "-o", "alone.mp4", "--no-cache"]).wait().succeeded)
            func isRight(_ path: String) -> Bool {
                FileManager.default.contentsEqual(atPath: studio.file("alone.mp4"), andPath: studio.file(path))
            }
            try lot.refusal("ann", ["submit", "edit.lua", "-o", "a.mp4", "--fetch"], "is in none of the folders")
            let first = try lot.submit("ann", "a.mp4", "--upload", "--fetch", "--wait")
            #expect(isRight("a.mp4") && sent(lot).count == 2)
            let done = try studio.start(["render", "edit.lua", "-o", "b.mp4", "--farm", "--upload"] + lot.words("ann"))
                .wait()
            #expect(done.succeeded && isRight("b.mp4"), "\(done)")
            #expect(sent(lot).count == 2)
            // Another submitter has to upload the same file again.
            let address = try RemoteServer(
                lot.endpoint, serverKey: studio.file("config/cutroom/server/server.pub"),
                identity: studio.file("config/cutroom/keys/bob.key"))
            var connection = try ServerConnection(.network(address))
            for name in sent(lot) {
                let id = try #require(ContentID(name))
                guard case .uploaded(0) = try connection.ask(.upload(id)) else {
                    Issue.record("he learns that it is there")
                    return
                }
            }
            let theirs = try #require(sent(lot).compactMap { ContentID($0) }.max { $0.size < $1.size })
            let saved = try studio.start(["save", "edit.lua", "-o", "edit.cutroom"]).wait()
            #expect(saved.succeeded)
            let document = try String(contentsOfFile: studio.file("edit.cutroom"), encoding: .utf8)
            var submission = ServerRequest.Submission(
                request: RenderRequest(name: "x", document: document, output: "/x.mp4"), priority: 0, tags: [],
                after: [])
            (submission.isFetched, submission.uploads) = (
                true, [studio.file("own/clip.mp4"): theirs, "/own/clip.mp4": theirs]
            )
            let problem = #expect(throws: HostError.self) { try connection.ask(.submit([submission])) }
            #expect(problem?.message.contains("was not uploaded to the server") == true, "\(problem?.message ?? "")")
            // The files of a purged render are removed when no other render uses them.
            #expect(try lot.ask("ann", "jobs", "purge", first).succeeded && sent(lot).count == 2)
            #expect(try lot.ask("ann", "jobs", "purge", "\((Int(first) ?? 0) + 1)").succeeded)
            #expect(sent(lot).isEmpty)
            lot.stop()
        }

        @Test func `rows that the server will not take in are all named before anything is sent`() throws {
            let lot = try lot()
            let own = lot.studio.file("own")
            try lot.studio.script(
                """
                local p = cutroom.params { name = { type = "string" } }
                draft:add_clip("\(own)/clip.mp4", { range = { 0, 1 } })
                draft:add_title(p.name)
                """)
            try lot.studio.folder.write("name\nann\nbob\neve\n", to: "rows.csv")
            func submit(_ more: String...) throws -> Command.Output {
                let words = ["submit", "edit.lua", "--csv", "rows.csv", "--upload", "-o", "{name}.mp4"]
                return try lot.studio.start(words + more + lot.words("ann")).wait()
            }
            let refused = try submit()
            #expect(refused.status == 65 && sent(lot).isEmpty, "\(refused)")
            for row in 1...3 { #expect(refused.stderr.contains("Row \(row) (line \(row + 1)): ‘"), "\(refused)") }
            #expect(try submit("--fetch", "--priority", "5").stderr.contains("Row 3 (line 4): The priority is 5"))
            #expect(sent(lot).isEmpty)
            let taken = try submit("--fetch", "--wait")
            #expect(taken.succeeded && taken.text == "1\n2\n3\n" && sent(lot).count == 1, "\(taken)")
            lot.stop()
        }

        @Test func `more than the quota is not taken, and options that make no sense are told of`() throws {
            let lot = try lot("--upload-quota", "1K")
            try lot.refusal(
                "ann", ["submit", "edit.lua", "-o", "a.mp4", "--upload", "--fetch"],
                "Your quota for files on the server is 1 KiB")
            #expect(sent(lot).isEmpty)
            lot.stop()
            for (words, text) in [
                (["submit", "edit.lua", "-o", "a.mp4", "--upload"], "‘--upload’ needs a remote server"),
                (["render", "edit.lua", "-o", "a.mp4", "--upload"], "‘--upload’ needs a remote server"),
                (["serve", "--upload-quota", "x"], "‘--upload-quota’ is ‘x’"),
            ] {
                let result = try lot.studio.start(words).wait()
                #expect(result.status == 64 && result.stderr.contains(text), "\(result)")
            }
        }
    }
}
