import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What the command understands, what it says, and in which form.
    @Suite struct CommandLineTests {
        /// Half a second of a picture.
        private static func edit(_ studio: Studio, _ more: String = "") throws {
            try studio.script("draft:add_image(\(Footage.still.lua), { duration = 0.5 })\n\(more)")
        }

        /// The objects of standard error, each on a line of its own.
        private static func objects(_ result: Command.Output) throws -> [[String: Any]] {
            try result.stderr.split(separator: "\n").map { line in
                try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "no object: \(line)")
            }
        }

        // MARK: What was meant

        private static let foreign: [([String], String)] = [
            (["--crf", "18"], "There is no option ‘--crf’; did you mean ‘--quality’?"),
            (["-crf", "18"], "There is no option ‘-crf’; did you mean ‘--quality’?"),
            (["-c:v", "libx264"], "‘--codec’"), (["-vcodec", "libx264"], "‘--codec’"),
            (["-b:v", "2M"], "‘--bit-rate’"), (["-ss", "3"], "‘--range’"), (["-t", "3"], "‘--range’"),
            (["-threads", "2"], "‘--workers’"), (["--force"], "‘--overwrite’"),
            (["-r", "30"], "cutroom.draft { fps = 30 }"), (["--fps=30"], "There is no option ‘--fps’; set the frame"),
            (["-s", "1280x720"], "‘--scale’"), (["-i", "a.mp4"], "draft:add_clip"),
            (["-vf", "hue"], "add effects in the script"), (["--overwite"], "did you mean ‘--overwrite’?"),
            (["-preset", "fast"], "did you mean ‘--preset’?"), (["--dry-run"], "‘cutroom plan’"),
            (["--time-range", "3"], "did you mean ‘--range’?"), (["-an"], "‘volume = 0’ for a clip.\n"),
            (["-vf", "hue"], "FFmpeg's filters.\n"),
            (["--end", "3"], "There is no option ‘--end’; did you mean ‘--range’?"),
            (["--xyzzy"], "There is no option ‘--xyzzy’.\n"),
            (["--max", "640"], "There is no option ‘--max’; set the size in the script, as in cutroom.draft {"),
        ]

        /// Every second of ``Sweep``'s.
        @Test(arguments: foreign.every(2))
        func `an option of another program leads to ours`(options: [String], says: String) throws {
            let result = try Studio().run(["render", "edit.lua", "-o", "out.mp4"] + options)
            #expect(result.status == 64 && result.stderr.hasPrefix("cutroom: There is no option ‘"), "\(result)")
            #expect(result.stderr.contains(says) && result.text == "", "\(result)")
            #expect(result.stderr.contains("\nUsage: cutroom render"), "\(result)")
        }

        @Test func `what is too much is told before what is missing`() throws {
            let at = try Studio().run(["snapshots", "edit.lua", "--at", "2"])
            #expect(
                at.status == 64 && at.stderr.hasPrefix("cutroom: There is no option ‘--at’; use ‘cutroom cover’"),
                "\(at)")
            // Help about what there is not, and the usage of the command that was named.
            let help = try Studio().run(["help", "rendr"])
            #expect(help.stderr.hasPrefix("cutroom: There is no command ‘rendr’; did you mean ‘render’?\n"), "\(help)")
            let list = try Studio().run(["plugin", "ls"])
            #expect(list.stderr.hasPrefix("cutroom: There is no command ‘ls’; did you mean ‘list’?\n"), "\(list)")
            #expect(list.stderr.contains("\nUsage: cutroom plugin <subcommand>"), "\(list)")
            #expect(list.stderr.contains("See 'cutroom plugin --help'"), "\(list)")
        }

        @Test func `what a command has not is not advised`() throws {
            for options in [["--crf", "3"], ["--threads", "2", "--crf", "3"]] {
                let result = try Studio().run(["check", "edit.lua"] + options)
                #expect(result.status == 64 && !result.stderr.contains("--quality"), "\(result)")
            }
        }

        @Test func `a size is for scripts, and scaled only where there is an option`() throws {
            for command in ["cover edit.lua --at 0 -o a.png", "snapshots edit.lua -o a"] {
                for option in ["--width", "--max"] {
                    let result = try Studio().run(command.split(separator: " ").map(String.init) + [option, "640"])
                    #expect(
                        result.stderr.hasPrefix(
                            "cutroom: There is no option ‘\(option)’; set the size in the script, as in cutroom.draft { size = { 1280, 720 } }.\n"
                        ), "\(result)")
                }
            }
        }

        @Test(
            arguments: [
                ("thumbnail", "cover"), ("screenshot", "cover"), ("thumbnails", "snapshots"),
                ("contactsheet", "snapshots"), ("contact-sheet", "snapshots"),
            ])
        func `a command of another program leads to ours`(name: String, meant: String) throws {
            let result = try Studio().run([name, "edit.lua"])
            #expect(result.status == 64, "\(result)")
            #expect(
                result.stderr.hasPrefix("cutroom: There is no command ‘\(name)’; did you mean ‘\(meant)’?\n"),
                "\(result)")
        }

        @Test(
            arguments: [
                ("x.avi", ".mp4"), ("x.ogg", ".opus"), ("x.AAC", ".m4a"), ("x.tiff", ".png"), ("x.ogv", ".webm"),
                ("x.aiff", ".wav"), ("x.mpeg", ".mp4"), ("x.wbm", ".webm"),
            ])
        func `a kind of file that is not written leads to one that is`(name: String, meant: String) throws {
            let result = try Studio().run(["render", "edit.lua", "-o", name])
            #expect(result.status == 64 && result.stderr.contains("did you mean ‘\(meant)’?"), "\(result)")
        }

        /// The parser's own words for it are not ours.
        @Test(
            arguments: [
                ("render", "‘<script|draft>’ is required."),
                ("cover edit.lua -o a.png", "‘--at <time>’ is required."),
                ("render edit.lua -o", "‘-o <file>’ needs a value."),
                (
                    "render edit.lua out.mp4",
                    "‘out.mp4’ is an unexpected argument; an output needs its option, as in ‘-o out.mp4’.\n"
                ),
                ("render edit.lua out.mp4 -o b.mp4", "‘out.mp4’ is an unexpected argument; remove it"),
                ("check edit.lua out.mp4", "‘out.mp4’ is an unexpected argument; remove it"),
                (
                    "render edit.lua -o x.png",
                    "The output ‘x.png’ is a single picture; use ‘cutroom cover edit.lua --at 1 -o x.png’ for the picture at 1 s. For all "
                        + "pictures, use a number pattern, such as ‘frame-%04d.png’, or a folder, such as ‘frames/’.\n"
                ),
                ("render edit.lua b.lua", "‘b.lua’ is an unexpected argument; remove it"),
                ("render edit.lua b.lua c.lua", "‘b.lua’, ‘c.lua’ are unexpected arguments; remove them"),
                ("render edit.lua --workers x", "‘--workers <number>’ cannot be ‘x’."),
                ("render edit.lua --progress br", "‘--progress <progress>’ cannot be ‘br’; did you mean ‘bar’?"),
                ("render edit.lua --overwrite=3", "‘--overwrite’ takes no value, but was given ‘3’."),
                (
                    "render edit.lua -o http://example.org/a.mp4",
                    "‘http://example.org/a.mp4’ is a URL, and URLs are not supported as outputs"
                ),
                ("snapshots edit.lua -o ftp://x/y", "is a URL, and URLs are not supported as outputs"),
                ("cover edit.lua --at 0 -o s3://x/y.png", "is a URL, and URLs are not supported as outputs"),
                ("render edit.lua -o x.webm --preset ultra", "‘--preset’ is ‘ultra’, which vp9 does not have"),
            ])
        func `what is wrong with a command line is a sentence like others`(words: String, says: String) throws {
            let result = try Studio().run(words.split(separator: " ").map(String.init))
            #expect(result.status == 64 && result.text == "", "\(result)")
            #expect(result.stderr.hasPrefix("cutroom: ") && result.stderr.contains(says), "\(result)")
        }

        @Test func `a script that is spelled otherwise is named`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let result = try studio.run(["render", "Edit.lua"])
            #expect(
                result.status == 66
                    && result.stderr == "cutroom: There is no file ‘Edit.lua’; did you mean ‘edit.lua’?\n",
                "\(result)")
            // A quality that the kind of file has, though the most usual one has not.
            let plan = try studio.run(["plan", "edit.lua", "-o", "x.webm", "--quality", "60"])
            #expect(plan.status == 0, "\(plan)")
        }

        @Test func `presets stand in the order of their speed`() throws {
            let help = try Studio().run(["render", "--help"]).text.replacing(/\s+/, with: " ")
            let order = "ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow"
            #expect(help.contains("fastest first: \(order)"))
            let wrong = try Studio().run(["render", "a.lua", "-o", "out.mp4", "--preset", "hurried"])
            #expect(wrong.status == 64 && wrong.stderr.contains("there are \(order)"), "\(wrong)")
        }

        @Test func `the options of workers are shown where they matter, and taken everywhere`() throws {
            let studio = try Studio()
            for (command, isShown) in [
                ("render", true), ("snapshots", true), ("cover", true), ("check", false), ("plan", false),
                ("save", false), ("probe", false), ("plugin list", false), ("plugin info", false),
            ] {
                let words = command.split(separator: " ").map(String.init)
                let help = try studio.run(words + ["--help"]).text
                #expect(help.contains("WORKERS:") == isShown && help.contains("--workers") == isShown, "\(help)")
                #expect(help.contains("MESSAGES:") && help.contains("-v, --verbose"), "\(help)")
                #expect(try studio.run(words + ["--help-hidden"]).text.contains("--workers"), "\(command)")
            }
        }

        // MARK: What is said

        @Test func `each of several problems is a line with the program's name`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip('one.mp4')\ndraft:add_clip('two.mp4')\ndraft:add_audio('three.mp3')")
            let result = try studio.run(["check", "edit.lua"])
            let lines = result.stderr.split(separator: "\n")
            #expect(
                result.status == 65 && !lines.isEmpty && lines.allSatisfy { $0.hasPrefix("cutroom: ") }, "\(result)")
            let probe = try studio.run(["probe", "one.mp4", "two.mp4"])
            #expect(probe.stderr.split(separator: "\n").count == 2, "\(probe)")
            #expect(probe.stderr.split(separator: "\n").allSatisfy { $0.hasPrefix("cutroom: ") }, "\(probe)")
        }

        @Test func `one clip is one clip`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let check = try studio.run(["check", "edit.lua"])
            #expect(check.text == "edit.lua: 0.5 s, 160×96 at 30 fps, 1 clip; no problems\n", "\(check)")
            try Self.edit(studio, "draft:add_image(\(Footage.still.lua), { duration = 0.5 })")
            #expect(try studio.run(["check", "edit.lua"]).text.contains("2 clips;"))
            for (count, words) in [(1, "1 warning"), (2, "2 warnings")] {
                try Self.edit(studio, String(repeating: "draft:add_title('<b>x</b>', { size = 8 })\n", count: count))
                let text = try studio.run(["check", "edit.lua"]).text
                #expect(text.hasSuffix("1 clip; \(words), no errors\n"), "\(text)")
            }
        }

        @Test func `errors and warnings are objects where that is asked for`() throws {
            let studio = try Studio()
            let json = ["--log-format", "json"]
            try studio.script("draft:add_clip('one.mp4')")
            let problem = try studio.run(["check", "edit.lua"] + json)
            let object = try #require(try Self.objects(problem).first, "\(problem)")
            #expect(problem.status == 65 && object["level"] as? String == "error", "\(problem)")
            #expect(object["file"] as? String == "edit.lua" && object["line"] as? Int == 3, "\(problem)")
            #expect(object["object"] as? String == "clip 1", "\(problem)")
            #expect((object["message"] as? String)?.contains("clip 1") == false, "\(problem)")
            #expect(object["exit_code"] as? Int == 65 && object["time"] is String, "\(problem)")
            for arguments in [
                ["render", "--crf", "3", "--log-format=json"], ["check"] + json, ["rendr"] + json,
                ["render", "edit.lua", "--workers", "0"] + json, ["render", "edit.lua", "-o", "x.avi"] + json,
                ["cache", "show", "--jsn"] + json,
            ] {
                let result = try studio.run(arguments)
                let objects = try Self.objects(result)
                #expect(result.status == 64 && objects.count == 1, "\(result)")
                #expect(objects.first?["exit_code"] as? Int == 64 && objects.first?["level"] as? String == "error")
            }
            try Self.edit(studio, "print 'on its way'\ndraft.time_range = { 0, 9 }")
            let warned = try studio.run(["render", "edit.lua", "-o", "out.mp4"] + json)
            let said = try Self.objects(warned)
            #expect(warned.status == 0 && said.map { $0["level"] as? String } == ["info", "warning"], "\(warned)")
            #expect(said.first?["source"] as? String == "script", "\(warned)")
            #expect(said.first?["message"] as? String == "on its way" && said.last?["line"] as? Int == 5, "\(warned)")
            #expect(try studio.run(["check", "gone.lua"] + ["--log-format", "text"]).stderr.hasPrefix("cutroom: "))
        }

        @Test func `a check as JSON has problems and warnings`() throws {
            struct Report: Decodable {
                struct Finding: Decodable { var message: String; var object, file: String?; var line: Int? }
                struct Draft: Decodable { var duration: Double; var width: Int; var clips: Int; var frame_rate: String }
                var problems, warnings: [Finding]
                var draft: Draft?
            }
            func report(_ result: Command.Output) throws -> Report {
                #expect(result.stderr == "", "\(result)")
                return try JSONDecoder().decode(Report.self, from: result.stdout)
            }
            let studio = try Studio()
            try Self.edit(studio, "draft.time_range = { 0, 9 }")
            let fine = try studio.run(["check", "edit.lua", "--json"])
            let found = try report(fine)
            #expect(fine.status == 0 && found.problems.isEmpty && found.warnings.count == 1, "\(fine)")
            #expect(found.warnings.first?.line == 4 && found.warnings.first?.object == "draft", "\(fine)")
            #expect(
                found.draft?.duration == 0.5 && found.draft?.clips == 1 && found.draft?.frame_rate == "30", "\(fine)")
            for (body, line) in [("draft:add_clip('one.mp4')", 3), ("local x = = 1", 3), ("\nnothing.field = 1", 4)] {
                try studio.script(body)
                let wrong = try studio.run(["check", "edit.lua", "--json"])
                let found = try report(wrong)
                #expect(wrong.status == 65 && found.problems.first?.line == line && found.draft == nil, "\(wrong)")
                #expect(found.problems.first?.message.contains("edit.lua:") == false, "\(wrong)")
                #expect((found.problems.first?.object == "clip 1") == body.contains("add_clip"), "\(wrong)")
            }
            // Errors do not hide warnings.
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 0.5 }, volume = 50 })\ndraft:add_effect('org.cutroom.blur', { range = { 50, 1 } })"
            )
            let both = try studio.run(["check", "edit.lua", "--json"]), lists = try report(both)
            #expect(both.status == 65 && lists.problems.count == 1 && lists.warnings.count == 1, "\(both)")
            let told = try studio.run(["check", "edit.lua"])
            #expect(told.status == 65 && told.text == "" && told.stderr.contains("warning: "), "\(told)")
            #expect(told.stderr.contains("effect 1 (org.cutroom.blur)"), "\(told)")
            let gone = try studio.run(["check", "gone.lua", "--json"])
            #expect(gone.status == 66 && gone.text == "" && gone.stderr.contains("gone.lua"), "\(gone)")
        }

        // MARK: Short forms

        @Test func `-y replaces the output and -v says more`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            try studio.folder.write("mine", to: "out.mp4")
            let result = try studio.run(["render", "-y", "-v", "edit.lua", "-o", "out.mp4"])
            #expect(result.status == 0 && result.stderr.contains("debug: "), "\(result)")
            #expect(try Movie(studio.file("out.mp4")).frames == 15)
        }

        @Test func `snapshots are jpg as well as jpeg`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            for (name, format) in [("a", "jpg"), ("b", "jpeg"), ("c", "JPG")] {
                let result = try studio.run(["snapshots", "edit.lua", "-n", "1", "-o", name, "--format", format])
                #expect(result.status == 0, "\(result)")
                #expect(FileManager.default.fileExists(atPath: studio.file("\(name)/snapshot-01.jpg")))
            }
            let other = try studio.run(["snapshots", "edit.lua", "-o", "d", "--format", "gif"])
            #expect(other.status == 64 && other.stderr.contains("there are jpg, png"), "\(other)")
        }

        // MARK: What a script sets for several kinds of file

        @Test func `what does not go together has the line where the script set it`() throws {
            let studio = try Studio()
            func run(_ export: String, _ output: String) throws -> Command.Output {
                try Self.edit(studio, "draft.export = { \(export) }")
                return try studio.run(["plan", "edit.lua", "-o", output])
            }
            for (export, output) in [
                ("video = { quality = 60 }", "x.webm"), ("video = { quality = 60 }", "x.gif"),
                ("video = { codec = 'h264', quality = 30 }", "x.gif"), ("video = { profile = 'high' }", "x.webm"),
                ("audio = { sample_rate = 32000 }", "x.opus"),
            ] {
                // A plan of sound needs some.
                let result = try run(export, output == "x.opus" ? "x.webm" : output)
                #expect(result.status == 0 && result.stderr == "", "\(export): \(result)")
            }
            for (export, output, says) in [
                ("video = { codec = 'h264' }", "x.webm", "export, video: webm cannot hold h264"),
                ("video = { quality = 60 }", "x.mp4", "export, video: ‘quality’ is 60, but must lie between"),
                ("video = { quality = 99 }", "x.gif", "export, video: ‘quality’ is 99"),
            ] {
                let result = try run(export, output)
                #expect(
                    result.status == 65 && result.stderr.hasPrefix("cutroom: edit.lua:4: \(says)"),
                    "\(export): \(result)")
            }
            try Self.edit(studio)
            let alone = try studio.run(["plan", "edit.lua", "-o", "x.webm", "--profile", "high"])
            #expect(alone.status == 64 && alone.stderr.contains("vp9 has no ‘--profile’"), "\(alone)")
        }

        // MARK: Standard input

        @Test func `a script and a document come on standard input`() throws {
            let studio = try Studio()
            try Self.edit(studio)
            let script = try Data(contentsOf: URL(fileURLWithPath: studio.file("edit.lua")))
            func run(_ arguments: [String], _ input: Data) throws -> Command.Output {
                try studio.folder.write(input, to: "input")
                return try studio.run(arguments, through: ["bash", "-c", #"exec "$0" "$@" <input"#])
            }
            let render = try run(["render", "-", "-o", "out.mp4"], script)
            #expect(try render.status == 0 && Movie(studio.file("out.mp4")).frames == 15, "\(render)")
            #expect(try run(["check", "-"], script).text.hasPrefix("stdin: 0.5 s"))
            let unnamed = try run(["render", "-"], script)
            #expect(unnamed.status == 0 && unnamed.text == studio.file("stdin.mp4") + "\n", "\(unnamed)")
            try #require(try studio.run(["save", "edit.lua", "-o", "edit.cutroom"]).succeeded)
            let document = try Data(contentsOf: URL(fileURLWithPath: studio.file("edit.cutroom")))
            #expect(try run(["check", "-"], document).text.hasPrefix("stdin: 0.5 s"))
            for (text, says) in [("\nlocal x = = 1", "stdin:2: "), ("{ \"a\": ", "stdin"), ("return 7", "stdin")] {
                let wrong = try run(["check", "-"], Data(text.utf8))
                #expect(wrong.status == 65 && wrong.stderr.hasPrefix("cutroom: \(says)"), "\(wrong)")
            }
        }

        @Suite struct Sweep {
            @Test(arguments: foreign)
            func `an option of another program leads to ours`(options: [String], says: String) throws {
                try CommandLineTests().`an option of another program leads to ours`(options: options, says: says)
            }
        }
    }
}
