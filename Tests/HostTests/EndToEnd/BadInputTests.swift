import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Everything that people get wrong: one clear sentence that names the object and its place, the right exit code, and
    /// nothing left behind.
    @Suite struct BadInputTests {
        /// Exit codes of sysexits.h.
        enum Exit: Int32 { case usage = 64, data = 65, noInput = 66, software = 70, cannotCreate = 73, inputOutput = 74 }

        struct Case: CustomTestStringConvertible, Sendable {
            var name: String
            /// After the lines `local cutroom …` and `local draft …`, so its first line is the script's third. `$name`
            /// stands for a file of ``BadFiles``.
            var body: String
            var exit: Exit = .data
            /// What the message must contain.
            var says: [String]
            var options: [String] = []
            /// One line for each.
            var problems = 1
            var testDescription: String { name }

            init(_ name: String, _ body: String, says: [String], exit: Exit = .data, options: [String] = [], problems: Int = 1) {
                (self.name, self.body, self.says, self.exit) = (name, body, says, exit)
                (self.options, self.problems) = (options, problems)
            }
        }

        static let media: [Case] = [
            Case("missing", "draft:add_clip('nowhere.mp4')", says: ["edit.lua:3", "nowhere.mp4"]),
            Case("empty", "draft:add_clip('empty.mp4')", says: ["edit.lua:3", "empty.mp4"]),
            Case("truncated", "draft:add_clip('truncated.mp4')", says: ["edit.lua:3", "truncated.mp4"]),
            Case("text", "draft:add_clip('text.mp4')", says: ["edit.lua:3", "text.mp4"]),
            Case("noise", "draft:add_clip('noise.mp4')", says: ["edit.lua:3", "noise.mp4"]),
            Case("sound only", "draft:add_clip('tone.wav')", says: ["edit.lua:3", "tone.wav", "picture"]),
            Case("picture only", "draft:add_audio('silent.mp4')", says: ["edit.lua:3", "silent.mp4", "sound"]),
            Case("a folder", "draft:add_clip('folder')", says: ["edit.lua:3", "folder"]),
            Case("an image as a clip", "draft:add_clip('still.png')", says: ["edit.lua:3", "still.png", "add_image"]),
            Case("a clip as an image", "draft:add_image('good.mp4', { duration = 1 })", says: ["edit.lua:3", "good.mp4", "add_clip"]),
            Case("a look of the wrong size", "draft:add_clip('good.mp4')\ndraft:add_effect('lut', { image = 'still.png' })", says: ["edit.lua:4", "still.png", "512"]),
            Case("a look that is text", "draft:add_clip('good.mp4')\ndraft:add_effect('lut', { image = 'text.cube' })", says: ["edit.lua:4", "text.cube"]),
            Case("a missing sticker", "draft:add_clip('good.mp4')\ndraft:add_effect('sticker', { image = 'gone.png', rect = { 0, 0, 9, 9 } })", says: ["edit.lua:4", "gone.png"]),
            Case("a missing font", "draft:add_clip('good.mp4')\ndraft:add_title('x', { font_file = 'gone.ttf' })", says: ["gone.ttf"]),
        ]

        static let values: [Case] = [
            Case("a range beyond the media", "draft:add_clip('good.mp4', { range = { 9, 1 } })", says: ["edit.lua:3", "clip 1", "9", "2 s"]),
            Case("an empty range", "draft:add_clip('good.mp4', { range = { 0, 0 } })", says: ["edit.lua:3"]),
            Case("a negative range", "draft:add_clip('good.mp4', { range = { -1, 1 } })", says: ["edit.lua:3"]),
            Case("sound beyond its media", "draft:add_clip('good.mp4')\ndraft:add_audio('tone.wav', { range = { 3, 9 } })", says: ["edit.lua:4", "audio 1"]),
            Case("speed zero", "draft:add_clip('good.mp4', { speed = 0 })", says: ["edit.lua:3", "clip 1", "speed", "0.01", "100"]),
            Case("a negative speed", "draft:add_clip('good.mp4', { speed = -2 })", says: ["edit.lua:3", "speed", "-2"]),
            Case("a huge speed", "draft:add_clip('good.mp4', { speed = 1e9 })", says: ["edit.lua:3", "speed", "100"]),
            Case("an infinite speed", "draft:add_clip('good.mp4', { speed = 1 / 0 })", says: ["edit.lua:3", "speed"]),
            Case("a speed that is no number", "draft:add_clip('good.mp4', { speed = 0 / 0 })", says: ["edit.lua:3", "speed"]),
            Case("a long transition", "draft:add_clip('good.mp4', { range = { 0, 1 } })\ndraft:add_clip('good.mp4', { range = { 0, 1 }, transition = { 'dissolve', 1.5 } })", says: ["edit.lua:4", "clip 2", "clip 1", "1.5 s"], problems: 2),
            Case("transitions that do not fit together", "for i = 1, 3 do draft:add_clip('good.mp4', { range = { 0, 1 }, transition = i > 1 and { 'dissolve', 0.6 } or nil }) end", says: ["edit.lua:3", "clip 2", "do not fit"]),
            Case("a transition of the first clip", "draft:add_clip('good.mp4', { transition = 0.5 })", says: ["edit.lua:3", "clip 1", "transition"]),
            Case("an unknown transition", "draft:add_clip('good.mp4')\ndraft:add_clip('good.mp4', { transition = { 'disolve', 0.5 } })", says: ["edit.lua:4", "disolve", "‘dissolve’"]),
            Case("an unknown effect", "draft:add_clip('good.mp4')\ndraft:add_effect('stiker', {})", says: ["edit.lua:4", "stiker", "‘sticker’"]),
            Case("an unknown plugin", "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignete', {})", says: ["edit.lua:4", "org.cutroom.vignete", "‘org.cutroom.vignette’"]),
            Case("an unknown key", "draft:add_clip('good.mp4', { volum = 1 })", says: ["edit.lua:3", "volum", "‘volume’"]),
            Case("an unknown plugin parameter", "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignette', { strenght = 1 })", says: ["edit.lua:4", "strenght", "‘strength’"]),
            Case("a plugin parameter out of range", "draft:add_clip('good.mp4')\ndraft:add_effect('org.cutroom.vignette', { strength = 7 })", says: ["edit.lua:4", "strength", "7"]),
            Case("a speed effect of zero", "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { factor = 0 })", says: ["edit.lua:4", "effect 1", "factor"]),
            Case("a repeat of zero", "draft:add_clip('good.mp4')\ndraft:add_effect('repeat', { count = 0 })", says: ["edit.lua:4", "effect 1", "count"]),
            Case("a repeat without end", "draft:add_clip('good.mp4')\ndraft:add_effect('repeat', { count = 1e15 })", says: ["edit.lua:4", "effect 1"]),
            Case("repeats of repeats", "draft:add_clip('good.mp4')\nfor i = 1, 9 do draft:add_effect('repeat', { count = 10000 }) end", says: ["edit.lua:4"]),
            Case("an effect after the end", "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { range = { 50, 1 }, factor = 2 })", says: ["edit.lua:4", "effect 1"]),
            Case("an effect after what a speed left", "draft:add_clip('good.mp4')\ndraft:add_effect('speed', { factor = 4 })\ndraft:add_effect('repeat', { range = { 1, 0.5 }, count = 2 })", says: ["edit.lua:5", "effect 2"]),
            Case("a time range after the end", "draft:add_clip('good.mp4')\ndraft.time_range = { 9, 1 }", says: ["time_range", "9"]),
            Case("no clips", "", says: ["clip"]),
            Case("an odd size", "draft.size = { 101, 77 }\ndraft:add_clip('good.mp4')", says: ["edit.lua:3", "even"]),
            Case("an enormous size", "draft.size = { 1e6, 1e6 }\ndraft:add_clip('good.mp4')", says: ["edit.lua:3", "8192"]),
            Case("a colour that is none", "draft:add_clip('good.mp4')\ndraft:add_title('x', { color = 'reddish' })", says: ["edit.lua:4", "color", "reddish"]),
            Case("a sticker of no size", "draft:add_clip('good.mp4')\ndraft:add_effect('sticker', { image = 'still.png', rect = { 0, 0, 0, 0 } })", says: ["edit.lua:4", "rect"]),
        ]

        static let scripts: [Case] = [
            Case("a syntax error", "if then", says: ["edit.lua:3", "then"]),
            Case("a runtime error", "local nothing\nnothing.field = 1", says: ["edit.lua:4", "nothing"]),
            Case("an error of its own", "error 'the template is wrong'", says: ["edit.lua:3", "the template is wrong"]),
            Case("os.execute", "os.execute('touch harm')", says: ["edit.lua:3", "os"]),
            Case("io.open", "io.open('harm', 'w')", says: ["edit.lua:3", "io"]),
            Case("a memory bomb", "local s = 'x'\nwhile true do s = s .. s end", says: ["edit.lua", "memory"]),
            Case("nothing returned", "do return end", says: ["edit.lua", "draft"]),
            Case("not a draft returned", "do return 7 end", says: ["edit.lua", "draft"]),
            Case("an unknown parameter", "cutroom.params { title = { type = 'string', default = '' } }\ndraft:add_clip('good.mp4')", says: ["titel", "‘title’"], options: ["--set", "titel=x"]),
            Case("a parameter of the wrong type", "cutroom.params { n = { type = 'integer', default = 1 } }\ndraft:add_clip('good.mp4')", says: ["edit.lua:3", "--set n", "many"], options: ["--set", "n=many"]),
        ]

        @Test(arguments: media + values + scripts) func `a script's mistake is named`(mistake: Case) throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.script(mistake.body)
            let before = studio.folder.names
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--workers", "1"] + mistake.options)
            try expectFailure(result, mistake.exit, says: mistake.says, problems: mistake.problems)
            #expect(studio.folder.names == before)
            if mistake.options.isEmpty {
                let check = try studio.run(["check", "edit.lua", "--workers", "1"])
                #expect(check.status == mistake.exit.rawValue && check.stderr == result.stderr, "check says something else: \(check)")
            }
        }

        @Test func `an endless loop is stopped`() throws {
            let studio = try Studio()
            try studio.script("while true do end")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"], timeout: 90)
            try expectFailure(result, .data, says: ["edit.lua:3", "endless loop"])
        }

        @Test(.enabled(if: geteuid() != 0, "root reads everything")) func `a file without permission is named`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            chmod(studio.file("good.mp4"), 0)
            try studio.script("draft:add_clip('good.mp4')")
            try expectFailure(try studio.run(["render", "edit.lua", "-o", "out.mp4"]), .data, says: ["edit.lua:3", "good.mp4", "ermission"])
            chmod(studio.file("edit.lua"), 0)
            try expectFailure(try studio.run(["render", "edit.lua", "-o", "out.mp4"]), .noInput, says: ["edit.lua", "ermission"])
        }

        // MARK: Command lines

        static let commands: [([String], Exit, [String])] = [
            (["render", "gone.lua", "-o", "out.mp4"], .noInput, ["gone.lua"]),
            (["render", "folder", "-o", "out.mp4"], .noInput, ["folder"]),
            (["render", "good.lua", "-o", "out.mpeg"], .usage, ["out.mpeg", ".mp4"]),
            (["render", "good.lua", "-o", ""], .usage, ["empty"]),
            (["render", "good.lua", "-o", "nowhere/out.mp4"], .cannotCreate, ["nowhere"]),
            (["render", "good.lua", "-o", "good.lua/out.mp4"], .cannotCreate, ["good.lua"]),
            (["render", "good.lua", "-o", "folder.mp4"], .cannotCreate, ["folder.mp4", "folder"]),
            (["render", "good.lua", "-o", "there.mp4"], .cannotCreate, ["there.mp4", "--overwrite"]),
            (["render", "good.lua", "-o", "out.mp4", "--set", "novalue"], .usage, ["novalue"]),
            (["render", "good.lua", "-o", "out.mp4", "--workers", "0"], .usage, ["--workers", "0"]),
            (["render", "good.lua", "-o", "out.mp4", "--workers", "many"], .usage, ["many"]),
            (["render", "good.lua", "-o", "out.mp4", "--stall-timeout", "0"], .usage, ["--stall-timeout"]),
            (["render", "good.lua", "-o", "out.mp4", "--progress", "loud"], .usage, ["loud"]),
            (["render", "good.lua", "-o", "out.mp4", "--overwite"], .usage, ["--overwite", "--overwrite"]),
            (["render"], .usage, ["script"]),
            (["rendr", "good.lua"], .usage, ["rendr"]),
            (["check", "gone.lua"], .noInput, ["gone.lua"]),
            (["plan", "gone.lua", "--json"], .noInput, ["gone.lua"]),
            (["probe", "gone.mp4"], .data, ["gone.mp4"]),
            (["probe", "text.mp4"], .data, ["text.mp4"]),
            (["plugin", "info", "org.cutroom.vignete"], .data, ["org.cutroom.vignete", "‘org.cutroom.vignette’"]),
            (["save", "good.lua", "-o", "there.mp4"], .cannotCreate, ["there.mp4"]),
            (["render", "version.cutroom", "-o", "out.mp4"], .data, ["version.cutroom", "99"]),
            (["render", "key.cutroom", "-o", "out.mp4"], .data, ["key.cutroom", "clps", "‘clips’"]),
            (["render", "broken.cutroom", "-o", "out.mp4"], .data, ["broken.cutroom"]),
            (["render", "noise.cutroom", "-o", "out.mp4"], .data, ["noise.cutroom"]),
            (["render", "list.cutroom", "-o", "out.mp4"], .data, ["list.cutroom"]),
            (["render", "media.cutroom", "-o", "out.mp4"], .data, ["gone.mp4"]),
            (["render", "version.cutroom", "-o", "out.mp4", "--set", "a=b"], .usage, ["--set"]),
        ]

        @Test(arguments: commands) func `a command line's mistake is named`(arguments: [String], exit: Exit, says: [String]) throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            let before = studio.folder.names
            let result = try studio.run(arguments)
            try expectFailure(result, exit, says: says, isUsage: exit == .usage)
            #expect(studio.folder.names == before)
        }

        // MARK: The output

        @Test func `an output that exists stays as it is`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            _ = try studio.run(["render", "good.lua", "-o", "there.mp4"])
            #expect(try String(contentsOfFile: studio.file("there.mp4"), encoding: .utf8) == "mine")
            try studio.render("good.lua", to: "there.mp4", with: ["--overwrite"])
            #expect(try Movie(studio.file("there.mp4")).frames == 60)
        }

        /// A disk of one megabyte in a mount namespace of its own; where that is not allowed, a limit on files' sizes.
        @Test(arguments: ["output", "cache"]) func `a full disk is named and nothing is left`(place: String) throws {
            let studio = try Studio()
            try studio.folder.write(Data(), to: "small/keep")
            let noise = try Footage.made("noisy.mp4", [
                "-f", "lavfi", "-i", "nullsrc=s=320x180:r=30:d=2,geq=random(1)*255:128:128", "-c:v", "libx264", "-preset", "ultrafast", "-crf",
                "10", "-pix_fmt", "yuv420p",
            ])
            try studio.script("draft:add_clip(\(noise.lua))", size: (320, 180))
            let small = studio.file("small")
            let target = place == "output" ? "" : "XDG_CACHE_HOME=\(small) "
            let output = place == "output" ? "small/out.mp4" : "out.mp4"
            let mount = "mount -t tmpfs -o size=1m none \(small)"
            let canMount = try Command.run(["unshare", "-rm", "bash", "-c", mount]).succeeded
            // The limit is per file: the temporary output and a segment are the only large ones.
            let limit = canMount ? mount : "trap '' XFSZ; ulimit -f 1000"
            let check = canMount ? "; code=$?; ls -A \(small) >&3; exit $code" : ""
            let command = "exec 3>\(studio.file("left")); \(limit); env \(target)\"$0\" \"$@\"\(check)"
            let shell = (canMount ? ["unshare", "-rm"] : []) + ["bash", "-c", command]
            let result = try studio.run(["render", "edit.lua", "-o", output], through: shell)
            try expectFailure(result, .inputOutput, says: canMount ? ["space"] : [])
            #expect(!FileManager.default.fileExists(atPath: studio.file("out.mp4")))
            let left = try String(contentsOfFile: studio.file("left"), encoding: .utf8)
            if place == "output" { #expect(left == "") }
        }

        // MARK: Plugins

        @Test func `a corrupt plugin is told of and the others work`() throws {
            let studio = try Studio()
            try BadFiles.put(into: studio.folder)
            try studio.folder.write("not a library", to: "plugins/broken.so")
            studio.environment["CUTROOM_PLUGIN_PATH"] = studio.file("plugins")
            let list = try studio.run(["plugin", "list"])
            #expect(list.text.contains("org.cutroom.vignette") && (list.text + list.stderr).contains("broken.so"), "\(list)")
            try studio.script("draft:add_clip('good.mp4', { range = { 0, 0.2 } })\ndraft:add_effect('org.cutroom.vignette', {})")
            try studio.render()
        }

        // MARK: -

        private func expectFailure(
            _ result: Command.Output, _ exit: Exit, says: [String], problems: Int = 1, isUsage: Bool = false,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(result.status == exit.rawValue, "\(result)", sourceLocation: sourceLocation)
            for part in says {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)", sourceLocation: sourceLocation)
            }
            #expect(result.text == "", sourceLocation: sourceLocation)
            guard !isUsage else { return }
            // One sentence for each problem, for people.
            #expect(result.stderr.split(separator: "\n").count == problems, "\(result.stderr)", sourceLocation: sourceLocation)
            #expect(result.stderr.hasPrefix("cutroom: "), "\(result.stderr)", sourceLocation: sourceLocation)
            for word in ["Error Domain", "QueueError", "MediaError(", "Optional("] {
                #expect(!result.stderr.contains(word), "\(result.stderr)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Files with something wrong, and some good ones beside them.
    enum BadFiles {
        static func put(into folder: TemporaryFolder) throws {
            for (name, source) in [("good.mp4", try good), ("silent.mp4", try Footage.silent), ("still.png", try Footage.still), ("tone.wav", try Footage.tone)] {
                try FileManager.default.copyItem(atPath: source, toPath: folder.file(name))
            }
            let whole = try Data(contentsOf: URL(fileURLWithPath: try good))
            try folder.write(Data(), to: "empty.mp4")
            try folder.write(whole.prefix(whole.count / 2), to: "truncated.mp4")
            try folder.write("This is not a film.\n", to: "text.mp4")
            try folder.write("This is not a look.\n", to: "text.cube")
            var random = SplitMix64(seed: 7)
            try folder.write(Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }), to: "noise.mp4")
            try folder.write(Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }), to: "noise.cutroom")
            for name in ["folder", "folder.mp4"] {
                try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
            }
            try folder.write("mine", to: "there.mp4")
            try folder.write("local draft = require 'cutroom'.draft { size = { 64, 64 }, fps = 30 }\ndraft:add_clip('good.mp4')\nreturn draft\n", to: "good.lua")
            try folder.write(#"{"cutroom": 99, "clips": []}"#, to: "version.cutroom")
            try folder.write(#"{"cutroom": 1, "clps": []}"#, to: "key.cutroom")
            try folder.write(#"{"cutroom": 1, "clips": ["#, to: "broken.cutroom")
            try folder.write("[1, 2]", to: "list.cutroom")
            try folder.write(#"{"cutroom": 1, "clips": [{"media": "gone.mp4"}]}"#, to: "media.cutroom")
        }

        /// Two seconds, the index at its end, so that half of it has none.
        private static var good: String {
            get throws { try Footage.made("good.mp4", ["-i", try Footage.pattern, "-t", "2", "-c", "copy"]) }
        }
    }
}
