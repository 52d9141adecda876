import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// No command and no page replaces an input of a draft, or writes under a misleading name.
    @Suite struct OwnSourcesTests {
        private static func makeStudio() throws -> Studio {
            let studio = try Studio()
            try FileManager.default.copyItem(atPath: try Footage.pattern, toPath: studio.file("a.mp4"))
            try FFmpeg.run(["-f", "lavfi", "-i", "testsrc=s=160x96", "-frames:v", "1", studio.file("photo.png")])
            try studio.folder.write("return 0.5", to: "length.lua")
            try studio.script(
                """
                draft:add_clip("a.mp4", { range = { 0, require("length") } })
                draft:add_image("photo.png", { duration = 0.5 })
                """)
            try studio.folder.write(String(decoding: try contents(studio, "edit.lua"), as: UTF8.self), to: "other.lua")
            return studio
        }

        private static func contents(_ studio: Studio, _ name: String) throws -> Data {
            try Data(contentsOf: URL(fileURLWithPath: studio.file(name)))
        }

        @Test(arguments: [
            (["render", "edit.lua", "-o", "a.mp4", "-y"], "a.mp4"),
            (["render", "edit.lua", "-o", "link.mp4", "-y"], "a.mp4"),
            (["save", "edit.lua", "-o", "edit.lua", "-y"], "edit.lua"),
            (["save", "edit.lua", "-o", "length.lua", "-y"], "length.lua"),
            (["cover", "edit.lua", "--at", "0", "-o", "photo.png", "-y"], "photo.png"),
        ])
        func `an output that the draft is made from is refused`(arguments: [String], source: String) throws {
            let studio = try Self.makeStudio()
            try FileManager.default.linkItem(atPath: studio.file("a.mp4"), toPath: studio.file("link.mp4"))
            let before = try Self.contents(studio, source)
            let result = try studio.start(arguments).wait(timeout: 60)
            #expect(result.status == 73, "\(result)")
            #expect(result.stderr.contains("a file that the draft is made from; give another name."), "\(result)")
            #expect(try Self.contents(studio, source) == before)
        }

        @Test func `a picture sequence and snapshots leave their sources alone`() throws {
            let studio = try Self.makeStudio()
            try FileManager.default.createDirectory(atPath: studio.file("shots"), withIntermediateDirectories: true)
            for name in ["frame-2.png", "shots/snapshot-01.png"] {
                try FileManager.default.copyItem(atPath: studio.file("photo.png"), toPath: studio.file(name))
                try studio.script("draft:add_image(\"\(name)\", { duration = 0.5 })")
                let before = try Self.contents(studio, name)
                let arguments =
                    name.hasPrefix("frame")
                    ? ["render", "edit.lua", "-o", "frame-%d.png", "-y"]
                    : ["snapshots", "edit.lua", "-n", "2", "-o", "shots", "-y", "--format", "png"]
                let result = try studio.start(arguments).wait(timeout: 60)
                #expect(result.status == 73 && result.stderr.contains("made from"), "\(result)")
                #expect(try Self.contents(studio, name) == before)
            }
        }

        @Test func `the editor's page replaces no source, and writes no other name`() throws {
            let studio = try Self.makeStudio()
            let editor = try EditorClient(studio)
            _ = try editor.ready()
            let before = try Self.contents(studio, "a.mp4")
            let names = studio.folder.names
            for (act, body, status, words) in [
                ("exports", #"{"output": "a.mp4", "overwrite": true}"#, 409, "made from"),
                ("cover", #"{"frame": 0, "output": "photo.png", "overwrite": true}"#, 409, "made from"),
                ("exports", #"{"output": "other.lua\u0000.mp4", "overwrite": true}"#, 400, "control character"),
                (
                    "cover", #"{"frame": 0, "output": "other.lua\u0000.png", "overwrite": true}"#, 400,
                    "control character"
                ),
                ("exports", #"{"output": "new\u202e4pm.mp4"}"#, 400, "control character"),
            ] {
                let answer = try editor.ask("POST", "/api/\(act)", body: body)
                #expect(
                    answer.status == status && answer.text.contains(words), "\(body): \(answer.status) \(answer.text)")
            }
            #expect(try Self.contents(studio, "a.mp4") == before)
            #expect(studio.folder.names == names)
            editor.end(studio)
        }

        @Test func `text of files and scripts reaches the terminal written out`() throws {
            let studio = try Studio()
            try FFmpeg.run([
                "-f", "lavfi", "-i", "sine=d=0.2", "-metadata:s:a:0", "title=a\u{1b}[31mb", studio.file("a.mka"),
            ])
            let probe = try studio.run(["probe", "a.mka", "--json"])
            #expect(!probe.text.unicodeScalars.contains("\u{1b}"), "\(probe)")
            try studio.script("print(\"x\\27[2Jy\\xC2\\x9Bz\\xE2\\x80\\xAEw\")\nerror(\"bad\\27]0;title\\7name\", 0)")
            let check = try studio.start(["check", "edit.lua"]).wait(timeout: 60)
            #expect(check.stderr.contains("x\\u001b[2Jy\\u009bz\\u202ew"), "\(check)")
            #expect(check.stderr.contains("bad\\u001b]0;title\\u0007name"), "\(check)")
        }
    }
}
