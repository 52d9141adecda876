import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The server of `cutroom edit`.
    @Suite struct EditorTests {
        /// Three and a half seconds with a transition, a title, an effect and sound.
        private static func edit(_ studio: Studio, title: String = "Hello", more: String = "") throws {
            try studio.script(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 2 } })
                draft:add_clip(\(try Footage.indexed.lua), { range = { 1, 2 }, transition = { "dissolve", 0.5 } })
                draft:add_title("\(title)", { size = 24, range = { 2.5, 1 } })
                draft:add_audio(\(try Footage.tone.lua), { at = 1, volume = 0.5 })
                \(more)
                """)
        }

        private static func pixels(_ path: String, _ filter: String = "format=rgb24") throws -> [UInt8] {
            Array(try FFmpeg.run(["-i", path, "-vf", filter, "-f", "rawvideo", "-"]).stdout)
        }

        private static func psnr(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Double {
            guard a.count == b.count, !a.isEmpty else { return 0 }
            let squares = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
            return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / Double(squares))
        }

        @Test func `parts are the export's pictures, each from time zero`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let movie = try studio.render(with: ["--quality", "0"])
            let editor = try EditorClient(studio)
            let state = try editor.ready()
            #expect(state.draft?.frames == 105)
            var frame = 0
            let size = 160 * 96 * 3 / 2
            let wanted = try Self.pixels(movie, "format=yuv420p")
            for (index, part) in state.parts.enumerated() {
                #expect(part.firstFrame == frame)
                let path = try editor.fetch("part", part.key, to: try studio.outside() + "/\(index).mp4")
                let made = try Self.pixels(path, "format=yuv420p")
                try #require(made.count == part.frames * size)
                for number in 0..<part.frames {
                    let likeness = Self.psnr(
                        made[number * size..<(number + 1) * size],
                        wanted[(frame + number) * size..<(frame + number + 1) * size])
                    #expect(likeness >= 38, "frame \(frame + number): \(likeness) dB")
                }
                let times = try Command([
                    "ffprobe", "-v", "error", "-show_entries", "packet=pts,dts,flags", "-of", "csv=p=0", path,
                ]).wait().text
                #expect(times.hasPrefix("0,0,K"), "\(times.prefix(40))")
                frame += part.frames
            }
            #expect(frame == 105)
            editor.end(studio)
        }

        @Test func `pieces of sound are the whole sound, to the sample`() throws {
            let studio = try Studio()
            // Longer than a piece.
            try Self.edit(studio, more: "draft:add_clip(\(try Footage.pattern.lua))")
            let whole = try studio.render(to: "out.flac")
            let editor = try EditorClient(studio)
            let sound = try #require(try editor.ready().sound)
            #expect(sound.pieces.count == 2)
            var samples: [UInt8] = []
            for piece in sound.pieces {
                let path = try editor.fetch("sound", piece.key, to: try studio.outside() + "/piece.mp4")
                let made = Array(try FFmpeg.run(["-i", path, "-f", "s16le", "-ac", "1", "-"]).stdout)
                #expect(made.count == piece.samples * 2)
                #expect(piece.firstSample * 2 == samples.count)
                samples += made
            }
            #expect(samples == Array(try FFmpeg.run(["-i", whole, "-f", "s16le", "-ac", "1", "-"]).stdout))
            editor.end(studio)
        }

        @Test(arguments: [
            (["none.lua"], "There is no file ‘none.lua’"), (["."], "‘.’ is a folder, not a script or a draft."),
            (["edit.lua", "--media", "none"], "The folder ‘none’ does not exist (--media)."),
            (["edit.lua", "--media", "edit.lua"], "‘edit.lua’ is not a folder; --media needs one."),
        ]) func `what is not there is named before anything is served`(arguments: [String], says: String) throws {
            let studio = try Studio()
            try Self.edit(studio)
            let result = try studio.run(["edit", "--no-open"] + arguments)
            #expect(result.status == 66 && result.text.isEmpty && result.stderr.contains(says), "\(result)")
        }

        /// The file changes, is damaged and comes back while it is open, and nothing is written
        /// beside it.
        @Test func `a video file opens as a draft of one clip`() throws {
            let studio = try Studio()
            let (clip, footage) = (studio.file("clip.mp4"), URL(fileURLWithPath: try Footage.pattern))
            let whole = try Data(contentsOf: footage)
            try whole.write(to: URL(fileURLWithPath: clip))
            let frames = Int(try FFmpeg.probe(clip, "stream=nb_frames"))
            let editor = try EditorClient(studio, ["clip.mp4"])
            let state = try editor.ready()
            #expect(state.draft?.frames == frames && state.problems.isEmpty && state.parameters.isEmpty)
            #expect(state.tracks.flatMap(\.items).map(\.kind) == ["clip"], "\(state.tracks)")
            try whole.prefix(1000).write(to: URL(fileURLWithPath: clip))
            let broken = try editor.state { $0.status == "broken" }
            #expect(broken.problems.first?.message.hasPrefix("cannot read ‘clip.mp4’") == true, "\(broken.problems)")
            try whole.write(to: URL(fileURLWithPath: clip))
            #expect(try editor.state { $0.status == "ready" }.draft?.frames == frames)
            #expect(studio.folder.names == ["clip.mp4"])
            editor.end(studio)
        }

        @Test func `a picture is that of cutroom cover, and why says the same in both places`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try #require(try studio.run(["cover", "edit.lua", "--at", "2.75", "-o", "cover.png"]).succeeded)
            let editor = try EditorClient(studio)
            let revision = try #require(try editor.ready().goodRevision)
            let answer = try editor.ask("GET", "/frame/\(revision)/82.png")
            try #require(answer.status == 200, "\(answer.text)")
            let path = try studio.outside() + "/frame.png"
            try answer.body.write(to: URL(fileURLWithPath: path))
            #expect(try Self.pixels(path) == Self.pixels(studio.file("cover.png")))
            #expect(try editor.ask("GET", "/frame/\(revision)/105.png").status == 404)
            #expect(try editor.ask("GET", "/frame/999/0.png").status == 410)

            struct Why: Decodable, Equatable {
                struct Clip: Decodable, Equatable { var item: String, line: Int? }
                struct Acting: Decodable, Equatable { var item: String, name: String, time: Double, line: Int? }
                var frame: Int
                var clips: [Clip]
                var effects: [Acting]
            }
            let page = try JSONDecoder().decode(Why.self, from: try editor.ask("GET", "/api/why?frame=82").body)
            let said = try studio.start(["why", "edit.lua", "--at", "2.75", "--json"]).wait()
            #expect(page == (try JSONDecoder().decode(Why.self, from: said.stdout)), "\(said)")
            #expect(page.clips == [.init(item: "clip-2", line: 4)])
            #expect(page.effects.map(\.name) == ["title"])
            let mixing = try JSONDecoder().decode(Why.self, from: try editor.ask("GET", "/api/why?frame=50").body)
            #expect(mixing.clips.map(\.item) == ["clip-1", "clip-2"])
            #expect(mixing.effects.map(\.item) == ["transition-2"])
            editor.end(studio)
            let late = try studio.run(["why", "edit.lua", "--at", "9"])
            #expect(late.status == 64 && late.stderr.contains("There is no frame at 9 s"), "\(late)")
            let told = try studio.run(["why", "edit.lua", "--at", "1"]).text
            #expect(
                told.hasPrefix(
                    "frame 30 (the first one is 0), shown from 1 s to 1.0333 s; clips show the source at its middle, "
                        + "1.0167 s; effects and keyframes have the values of its start\nclip 1"), "\(told)")
        }

        @Test func `a change is shown, and only what it changes is new`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let editor = try EditorClient(studio)
            let first = try editor.ready()
            try Self.edit(studio, title: "Changed")
            let second = try editor.state { $0.revision > first.revision && $0.status == "ready" }
            let changed = second.parts.filter { !first.parts.contains($0) }
            #expect(!changed.isEmpty && changed.allSatisfy { $0.firstFrame >= 60 }, "the title begins at frame 75")

            // After an error, the last good revision stays.
            try studio.folder.write("local x = = 1", to: "edit.lua")
            let broken = try editor.state { $0.status == "broken" }
            #expect(broken.goodRevision == second.goodRevision && broken.parts == second.parts)
            #expect(broken.problems.first?.line == 1)

            // A module that is missing, and is created later.
            try Self.edit(studio, more: "draft:add_title(require(\"words\"), { size = 20 })")
            _ = try editor.state { $0.problems.contains { $0.message.contains("words") } }
            try studio.folder.write("return \"From a module\"", to: "words.lua")
            let moduled = try editor.state { $0.status == "ready" && $0.revision > broken.revision }
            #expect(moduled.tracks.first { $0.kind == "layers" }?.items.map(\.label) == ["Hello", "From a module"])
            editor.end(studio)
        }

        @Test func `media that changes is looked at again`() throws {
            let studio = try Studio()
            let media = studio.file("clip.mp4")
            try FileManager.default.copyItem(atPath: try Footage.pattern, toPath: media)
            try studio.script("draft:add_clip(\"clip.mp4\")")
            let editor = try EditorClient(studio)
            #expect(try editor.ready().draft?.frames == 120)
            try FileManager.default.removeItem(atPath: media)
            let broken = try editor.state { $0.status == "broken" }
            let picture = try editor.ask("GET", "/frame/\(try #require(broken.goodRevision))/50.png")
            #expect(
                picture.status == 404 && picture.text.contains("clip.mp4’ is not there any more."), "\(picture.text)")
            try FileManager.default.copyItem(atPath: try Footage.silent, toPath: media)
            let after = try editor.state { $0.status == "ready" }
            #expect(after.draft?.frames == 60 && after.sound == nil)
            editor.end(studio)
        }

        /// The library, a data file of another one, and a new one: each is loaded by a new worker,
        /// because a process keeps the libraries that it has loaded.
        @Test func `plugins that are built anew are shown, and only what shows them is new`() throws {
            let studio = try Studio()
            let folder = studio.file("plugins")
            try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
            studio.environment["CUTROOM_PLUGIN_PATH"] = folder
            try TestPlugin.build("paints.c", ["VALUE=60"], to: folder + "/paints.so")
            try TestPlugin.build("reads.c", ["DECLARES"], to: folder + "/reads.so")
            try Data(" ".utf8).write(to: URL(filePath: folder + "/data/add.bin"))
            try studio.script(
                """
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 }, effects = { { "test.paints", {} } } })
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 }, effects = { { "test.reads", {} } } })
                draft:add_clip(\(try Footage.pattern.lua), { range = { 0, 1 } })
                """)
            let editor = try EditorClient(studio)
            func luma(_ state: EditorClient.State, _ frame: Int) throws -> Int {
                let part = try #require(state.parts.last { $0.firstFrame <= frame })
                let path = try editor.fetch("part", part.key, to: try studio.outside() + "/part.mp4")
                return Int(try FFmpeg.grayFrames(of: path, width: 160, height: 96)[frame - part.firstFrame][0])
            }
            let first = try editor.ready()
            let before = (paints: try luma(first, 5), reads: try luma(first, 35))
            let last = try #require(first.parts.last)

            try TestPlugin.build("paints.c", ["VALUE=200"], to: folder + "/paints.so")
            let built = try editor.state { $0.status == "ready" && $0.parts.first?.key != first.parts.first?.key }
            #expect(try abs(luma(built, 5) - before.paints) > 60)
            #expect(try luma(built, 35) == before.reads && built.parts.contains(last))

            try Data("z".utf8).write(to: URL(filePath: folder + "/data/add.bin"))
            let read = try editor.state { $0.status == "ready" && !$0.parts.contains(built.parts[1]) }
            #expect(try luma(read, 35) - before.reads > 40)
            #expect(read.parts.contains(built.parts[0]) && read.parts.contains(last))

            try studio.script("draft:add_clip(\(try Footage.pattern.lua), { effects = { { 'test.new', {} } } })")
            _ = try editor.state { $0.status == "broken" && $0.problems.contains { $0.message.contains("test.new") } }
            try TestPlugin.build("paints.c", ["FIXTURE_ID=\"test.new\""], to: folder + "/new.so")
            _ = try editor.state { $0.status == "ready" }
            editor.end(studio)
        }

        @Test func `parameters are set, told as words and kept`() throws {
            let studio = try Studio()
            try studio.folder.write(
                """
                local cutroom = require "cutroom"
                local p = cutroom.params { name = { type = "string" }, length = { type = "number", default = 1 } }
                local draft = cutroom.draft { size = { 160, 96 } }
                draft:add_image(\(try Footage.still.lua), { duration = p.length })
                draft:add_title(p.name)
                return draft
                """, to: "edit.lua")
            let editor = try EditorClient(studio)
            let lacking = try editor.state { $0.status == "broken" }
            #expect(lacking.parameters.map(\.name) == ["length", "name"], "what is lacking can be given")
            #expect(try editor.ask("POST", "/api/parameters", body: "{\"values\":{\"nmae\":\"x\"}}").status == 400)
            let values = "{\"values\":{\"name\":\"it's\",\"length\":2}}"
            #expect(try editor.ask("POST", "/api/parameters", body: values).status == 200)
            #expect(try editor.state { $0.status == "ready" }.draft?.frames == 60)
            #expect(
                try editor.ask("GET", "/api/parameters/words").text.contains("--set length=2 --set 'name=it'\\\\''s'"))
            #expect(try editor.ask("POST", "/api/parameters/save", body: "{}").status == 200)
            editor.end(studio)
            let again = try EditorClient(studio)
            #expect(try again.ready().draft?.frames == 60)
            again.end(studio)
        }

        @Test func `an export is the file that render writes, and what is there stays`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let movie = try studio.render(to: "render.mp4", with: ["--quality", "30"])
            let editor = try EditorClient(studio)
            _ = try editor.ready()
            let wish = "{\"output\":\"page.mp4\",\"options\":{\"quality\":30}}"
            #expect(try editor.ask("POST", "/api/exports", body: wish).status == 200)
            var list = ""
            _ = Command.until(timeout: 60) {
                list = (try? editor.ask("GET", "/api/exports").text) ?? ""
                return !list.contains("\"running\"")
            }
            #expect(list.contains("\"done\""), "\(list)")
            #expect(FileManager.default.contentsEqual(atPath: movie, andPath: studio.file("page.mp4")))
            #expect(try editor.ask("GET", "/api/exports/1/file").body == FileManager.default.contents(atPath: movie))
            let taken = try editor.ask("POST", "/api/exports", body: wish)
            #expect(taken.status == 409 && taken.text.contains("exists"), "\(taken.text)")
            let odd = try editor.ask(
                "POST", "/api/exports", body: "{\"output\":\"a.mp4\",\"options\":{\"codec\":\"mpeg9\"}}")
            #expect(odd.status == 400, "\(odd.text)")
            for away in ["/tmp/away.mp4", "../away.mp4"] {
                #expect(try editor.ask("POST", "/api/exports", body: "{\"output\":\"\(away)\"}").status == 403)
                let cover = "{\"frame\":1,\"output\":\"\(away.dropLast(4)).png\"}"
                #expect(try editor.ask("POST", "/api/cover", body: cover).status == 403)
            }
            #expect(try editor.ask("POST", "/api/cover", body: "{\"frame\":1,\"output\":\"cover.jpg\"}").status == 200)
            editor.end(studio)
        }

        @Test func `files are shown small, and their sound as a line`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let editor = try EditorClient(studio)
            _ = try editor.ready()
            let (pattern, tone) = (try Footage.pattern, try Footage.tone)
            let thumbnail = try editor.ask("GET", "/thumb?file=\(pattern)&at=1&height=48")
            #expect(thumbnail.status == 200 && thumbnail.body.starts(with: [0xff, 0xd8]))
            struct Wave: Decodable { var minimum: [Double], maximum: [Double] }
            let wave = try JSONDecoder().decode(
                Wave.self, from: try editor.ask("GET", "/wave?file=\(tone)&start=0&duration=2&points=10").body)
            #expect(
                wave.maximum.count == 10 && wave.maximum.allSatisfy { $0 > 0.05 } && wave.minimum.allSatisfy { $0 < 0 })
            #expect(try editor.ask("GET", "/thumb?file=\(tone)&at=1").status == 404)
            #expect(try editor.ask("GET", "/wave?file=\(tone)&start=0&duration=2&points=x").status == 400)
            #expect(try editor.ask("GET", "/api/media").text.contains("pattern.mp4"))
            #expect(try editor.ask("GET", "/api/queue").text == "{\"server\":null}")
            editor.end(studio)
        }

        @Test func `two editors of one script do not disturb each other, and one that was killed is found again`()
            throws
        {
            let studio = try Studio()
            try Self.edit(studio)
            let (one, other) = (try EditorClient(studio), try EditorClient(studio))
            let (a, b) = (try one.ready(), try other.ready())
            #expect(a.parts == b.parts && one.port != other.port)
            #expect(try one.ask("GET", "/", ["Authorization": "Bearer \(other.token)"]).status == 403)
            for part in a.parts {
                #expect(
                    try one.ask("GET", "/part/\(part.key).mp4").body
                        == (try other.ask("GET", "/part/\(part.key).mp4").body))
            }
            other.command.send(SIGKILL)
            _ = other.command.wait()
            #expect(try one.ready().parts == a.parts)
            try studio.script("draft:add_clip(\(try Footage.silent.lua))", as: "other.lua")
            let third = try EditorClient(studio, ["other.lua"])
            #expect(try third.ask("GET", "/api/drafts").text.contains("cutroom edit \(studio.file("edit.lua"))"))
            one.command.send(SIGINT)
            _ = one.command.wait()
            third.end(studio)
        }
    }
}
