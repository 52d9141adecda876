import Content
import Draft
import Farm
import Foundation
import Glibc
import Messaging
import Renders
import TestSupport
import Testing
import Values

@testable import HostCore
@testable import Server
@testable import ServerClient

extension Time {
    fileprivate static let second = Time(flicks: Time.flicksPerSecond)
}

/// The files that renders from the network may use.
@Suite struct ConfinementTests {
    /// A server's folders, with a secret next to them, and links of all kinds.
    private struct Disk {
        let folder = try! TemporaryFolder()
        var confinement = Confinement()
        let ann = ClientIdentity(KeyHolder("ann", .submitter), said: "")
        let boss = ClientIdentity(KeyHolder("boss", .admin), said: "")
        func path(_ name: String) -> String { folder.file(name) }

        init() throws {
            for name in ["media/inner", "media2", "fonts", "out", "plugins", "out/bob"] {
                try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
            }
            for name in [
                "secret", "media/a.mp4", "media/inner/b.mp4", "media2/c.mp4", "fonts/f.ttf", "plugins/p.so",
                "media/p.so",
            ] { try folder.write("x", to: name) }
            for (link, target) in [
                ("media/out", path("secret")), ("media/up", "../secret"), ("media/folder", folder.path),
                ("media/in", "a.mp4"),
                ("media/font", path("fonts/f.ttf")), ("media/loop", "loop"), ("media/nowhere", path("later")),
                ("media/twice", "out"), ("out/gone", folder.path), ("elsewhere", path("media")), ("out/eve", "bob"),
            ] { try #require(symlink(target, path(link)) == 0) }
            confinement.reading = try PathRoots(["media=\(path("media"))", "fonts=\(path("fonts"))"])
            confinement.writing = try PathRoots(["out=\(path("out"))"])
            confinement.pluginPaths = [path("plugins")]
        }

        func accepted(
            _ draft: Draft, output: String? = nil, plugins: [String] = [], roots: [String: String]? = [:],
            by client: ClientIdentity? = nil
        ) throws -> RenderRequest {
            try confinement.accepted(
                ServerRequest.Submission(
                    request: RenderRequest(
                        name: "a.lua", document: draft.document(in: "/"), output: output ?? path("out/ann/a.mp4"),
                        pluginPaths: plugins), priority: 0, tags: [], after: [], key: nil, roots: roots),
                of: client ?? ann)
        }
    }

    /// A render is checked before its files are uploaded: they need not exist yet, and all other
    /// checks apply.
    @Test func `what will be uploaded is not looked for in a trial`() throws {
        var disk = try Disk()
        let uploads = Uploads(try ServerPlace(disk.path("state")), quota: 1 << 20)
        disk.confinement.uploads = uploads
        let id = try #require(ContentID(digest: String(repeating: "a", count: 64), size: 5))
        func accepted(_ paths: [String], isTrial: Bool) throws -> RenderRequest {
            var draft = Draft()
            draft.clips = paths.map { Clip(path: $0) }
            let request = RenderRequest(
                name: "a.lua", document: draft.document(in: "/"), output: disk.path("out/ann/a.mp4"))
            let submission = ServerRequest.Submission(
                request: request, priority: 0, tags: [], after: [], key: nil, roots: [:], uploads: ["/home/a.mp4": id])
            return try disk.confinement.accepted(submission, of: disk.ann, isTrial: isTrial)
        }
        let mine = ["/home/a.mp4", disk.path("media/a.mp4")]
        #expect(try accepted(mine, isTrial: true).document.contains("\(id)"))
        #expect(!FileManager.default.fileExists(atPath: uploads.folder), "a trial makes nothing")
        #expect(reason { try accepted(mine, isTrial: false) }?.contains("was not uploaded to the server") == true)
        for other in [disk.path("secret"), disk.path("media/out"), "/home/b.mp4"] {
            #expect(reason { try accepted(["/home/a.mp4", other], isTrial: true) }?.contains("\(other)") == true)
        }
    }

    private func reason(_ body: () throws -> some Any) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return HostError(error).message
        }
    }

    /// Drafts that refer to a file in every possible way.
    private static func drafts(naming path: String) -> [String: Draft] {
        func draft(_ change: (inout Draft) -> Void) -> Draft {
            var draft = Draft()
            change(&draft)
            return draft
        }
        let plugin = PluginEffect(effectID: "a.plugin", parameters: ["lut": .path(path)])
        let texted = PluginEffect(effectID: "a.plugin", parameters: ["graph": .text(path)])
        func effect(_ picture: PictureEffect) -> Draft {
            draft { $0.effects.append(Effect(.picture(picture), range: nil)) }
        }
        var title = Title("x")
        title.fontFile = path
        var subtitles = Subtitles(path: "/own/a.srt")
        subtitles.style.fontFile = path
        var ways: [String: Draft] = [
            "clip": draft { $0.clips.append(Clip(path: path)) },
            "image": draft { $0.clips.append(Clip(path: path, content: .image(duration: Time.second))) },
            "source": draft { $0.clips.append(Clip(plugin, duration: Time.second)) },
            "audio": draft { $0.audio.append(AudioClip(path: path)) },
            "look": effect(.lut(Look(path: path))),
            "plugin": effect(.filter(plugin)),
            "text": effect(.filter(texted)),
            "sound": draft { $0.effects.append(Effect(.sound(plugin), range: nil)) },
            "mask": draft { draft in
                var layer = Layer(Clip(path: "", content: .color(Color("red")!, duration: Time.second)))
                layer.mask = Mask(path: path, kind: .luma)
                draft.effects.append(Effect(.layer(layer)))
            },
            "title": effect(.title(title)),
            "subtitles": effect(.subtitles(Subtitles(path: path))),
            "font of subtitles": effect(.subtitles(subtitles)),
        ]
        for (name, inner) in ways {
            ways["nested \(name)"] = draft { outer in
                outer.clips.append(Clip(path: "", content: .draft(NestedDraft(inner), range: nil)))
            }
        }
        return ways
    }

    @Test func everyWayToNameAFileIsConfined() throws {
        let disk = try Disk()
        var own = disk.confinement
        own.reading = try PathRoots(["media=\(disk.path("media"))", "own=/own"])
        let wrong = [
            disk.path("secret"), "/etc/passwd", "/", disk.path("media/out"), disk.path("media/up"),
            disk.path("media/twice"),
            disk.path("media/folder/secret"), disk.path("media/loop"), disk.path("media/nowhere"), disk.path("media"),
            disk.path("media2/c.mp4"), disk.path("media/../secret"), disk.path("elsewhere/a.mp4"), "/proc/self/environ",
        ]
        for path in wrong {
            for (way, draft) in Self.drafts(naming: path) {
                #expect(throws: (any Error).self, "\(way): \(path)") {
                    try disk.confinement.confined(draft, of: "key:ann")
                }
                #expect(throws: (any Error).self, "\(way): \(path)") { try disk.accepted(draft) }
            }
        }
        for path in [disk.path("media/a.mp4"), disk.path("media/in"), disk.path("media/font")] {
            for (way, draft) in Self.drafts(naming: path) where !way.contains("font of") {
                let confined = try disk.confinement.confined(draft, of: "key:ann")
                #expect(draft.uses.count == confined.uses.count, "\(way)")
                if !way.contains("text") {
                    let real = [disk.path("media/a.mp4"), disk.path("fonts/f.ttf")]
                    #expect(confined.files.allSatisfy { real.contains($0.path) }, "\(way): \(confined.files)")
                }
            }
        }
    }

    @Test func pathsAreThoseOfTheSubmittersMachine() throws {
        let disk = try Disk()
        let draft = try #require(Self.drafts(naming: "/mnt/m/inner/b.mp4")["nested clip"])
        let roots = ["media": "/mnt/m", "out": "/mnt/o"]
        let request = try disk.accepted(draft, output: "/mnt/o/ann/x.mp4", roots: roots)
        #expect(request.output == disk.path("out/ann/x.mp4"))
        #expect(
            request.document.contains(disk.path("media/inner/b.mp4").dropFirst()) && !request.document.contains("mnt/m")
        )
        let lacking = reason { try disk.accepted(draft, roots: ["footage": "/mnt/m"]) }
        #expect(
            lacking?.contains("no folder called ‘footage’") == true
                && lacking?.contains("--root footage=FOLDER") == true)
        // Invalid roots change nothing.
        for roots in [["media": "/"], ["media": "x"], ["../a": "/mnt/m"], ["media": "/mnt/../m"]] {
            #expect(throws: (any Error).self) { try disk.accepted(draft, roots: roots) }
        }
        #expect(throws: (any Error).self) {
            try disk.accepted(Draft(), output: "/mnt/o/../../secret.mp4", roots: roots)
        }
    }

    @Test func withoutRootsNothingIsNamed() throws {
        var disk = try Disk()
        (disk.confinement.reading, disk.confinement.writing) = (PathRoots(), PathRoots())
        let draft = try #require(Self.drafts(naming: disk.path("media/a.mp4"))["clip"])
        #expect(reason { try disk.accepted(draft) }?.contains("without ‘--root NAME=FOLDER’") == true)
        #expect(reason { try disk.accepted(Draft()) }?.contains("without ‘--output-root NAME=FOLDER’") == true)
    }

    @Test func outputsLieInTheirSubmittersFolder() throws {
        let disk = try Disk()
        #expect(reason { try disk.accepted(Draft(), output: disk.path("out/ann/a.mp4")) } == nil)
        #expect(FileManager.default.fileExists(atPath: disk.path("out/ann")), "it is made")
        try #require(mkdir(disk.path("out/ann/deep"), 0o755) == 0)
        #expect(reason { try disk.accepted(Draft(), output: disk.path("out/ann/deep/frames/")) } == nil)
        #expect(symlink(disk.folder.path, disk.path("out/ann/link")) == 0)
        #expect(symlink("../bob", disk.path("out/ann/bob")) == 0)
        let wrong = [
            "out/a.mp4", "out/bob/a.mp4", "out/ann", "out/annex/a.mp4", "secret", "media/x.mp4", "out/ann/../bob/a.mp4",
            "out/ann/link/a.mp4", "out/ann/bob/a.mp4", "out/ann/link/", "out/gone/a.mp4", "out/ann/none/a.mp4",
            "out/ann/bob/",
        ]
        for name in wrong {
            #expect(throws: (any Error).self, "\(name)") { try disk.accepted(Draft(), output: disk.path(name)) }
        }
        // An admin may write to all folders, but not outside of them.
        for name in ["out/a.mp4", "out/bob/a.mp4", "out/ann/bob/a.mp4"] {
            #expect(reason { try disk.accepted(Draft(), output: disk.path(name), by: disk.boss) } == nil, "\(name)")
        }
        for name in ["out/gone/a.mp4", "secret", "out/ann/link/a.mp4"] {
            #expect(throws: (any Error).self, "\(name)") {
                try disk.accepted(Draft(), output: disk.path(name), by: disk.boss)
            }
        }
        let eve = ClientIdentity(KeyHolder("eve", .submitter), said: "")
        #expect(throws: (any Error).self, "her folder is a link") {
            try disk.accepted(Draft(), output: disk.path("out/eve/a.mp4"), by: eve)
        }
    }

    @Test func pluginsAreTheServers() throws {
        let disk = try Disk()
        #expect(symlink(disk.path("media/p.so"), disk.path("plugins/evil.so")) == 0)
        for name in ["plugins", "plugins/p.so"] {
            #expect(try disk.accepted(Draft(), plugins: [disk.path(name)]).pluginPaths == [disk.path(name)])
        }
        for name in ["media/p.so", "plugins/evil.so", "plugins/../media/p.so", "plugins2", "", "plugins/none.so"] {
            #expect(throws: (any Error).self, "\(name)") { try disk.accepted(Draft(), plugins: [disk.path(name)]) }
        }
    }

    @Test func oldDocumentsAndNoneAreRefused() throws {
        let disk = try Disk()
        for (document, words) in [
            (#"{"cutroom": 1, "clips": [{"media": "/etc/passwd"}]}"#, "version 1"), ("", ""), ("{}", "cutroom"),
            (String(repeating: "[", count: 100_000), ""),
        ] {
            let submission = ServerRequest.Submission(
                request: RenderRequest(name: "a", document: document, output: disk.path("out/ann/a.mp4")), priority: 0,
                tags: [], after: [])
            let said = reason { try disk.confinement.accepted(submission, of: disk.ann) }
            #expect(said.map { words.isEmpty || $0.contains(words) } == true, "\(said ?? "accepted")")
        }
    }
}
