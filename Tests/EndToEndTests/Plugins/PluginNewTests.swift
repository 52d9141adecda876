import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// `cutroom plugin new`: what it makes builds elsewhere, passes the check, and shows in a
    /// render.
    @Suite struct PluginNewTests {
        static let languages = ["c", "cpp", "swift"]
        static let kinds = ["transition", "source", "audio-filter", "analyser"]
        private static let hasSwift = Command.isInstalled("swiftc")

        /// Makes and builds a project as the command says.
        /// - Returns: the library's path.
        private static func make(_ name: String, _ arguments: [String], in studio: Studio) throws -> String {
            let made = try studio.run(["plugin", "new", name] + arguments)
            try #require(made.succeeded, "\(made)")
            let command = try #require(made.text.split(separator: "\n").first { $0.hasPrefix("Build it:") })
            let words = command.dropFirst("Build it:".count).split(separator: " ").map(String.init)
            let built = try Command.run(words, in: studio.folder.path, timeout: 240)
            try #require(built.succeeded && built.stderr.isEmpty, "\(built)")
            return studio.file("\(name)/\(name.replacingOccurrences(of: "-", with: "_")).so")
        }

        @Test func `a new filter builds, passes and shows`() throws { try Self.filterShows("c") }

        private static func filterShows(_ language: String) throws {
            if language == "swift", !hasSwift { return }
            let bench = try PluginBench()
            let studio = bench.studio
            let library = try make(
                "first-light", ["--lang", language, "--id", "org.example.first-light"], in: studio)
            if !PluginBench.isSanitized {
                let report = try bench.check(library)
                #expect(report.passed && report.with("passed").count >= 24, "\(report)")
            }
            let grey = Shot.RGB(0x303030)
            try studio.script(
                """
                draft:add_clip(\(Footage.solid("0x303030").lua), { range = { 0, 0.4 } })
                draft:add_effect("org.example.first-light", { amount = 1, range = { 0.2, 0.2 } })
                """)
            let shots = try Shot.all(of: try studio.render(with: ["--plugin-path", library]))
            #expect(shots[2].mean.distance(grey) <= 3, "\(shots[2].mean)")
            #expect(shots[8].mean.distance(Shot.RGB(0xcfcfcf)) <= 3, "\(shots[8].mean)")
        }

        @Test(.enabled(if: !PluginBench.isSanitized, otherMake)) func `every kind builds and passes`() throws {
            try Self.passes("cpp", "transition")
        }

        private static let otherMake: Comment = "a plugin of other make cannot be checked in a sanitized program"

        private static func passes(_ language: String, _ kind: String) throws {
            if language == "swift", !hasSwift { return }
            let bench = try PluginBench()
            let report = try bench.check(try make("some", ["--lang", language, "--kind", kind], in: bench.studio))
            #expect(report.passed && report.with("passed").count >= 20, "\(report)")
            #expect(report.results.last?.effect == "org.example.some")
        }

        /// Every language with every kind, a README's lines, and an installed Cutroom.
        @Suite struct Sweep {
            @Test(arguments: ["cpp", "swift"]) func `a new filter builds, passes and shows`(language: String) throws {
                try filterShows(language)
            }

            @Test(.enabled(if: !PluginBench.isSanitized, otherMake), arguments: languages, kinds)
            func `every kind builds and passes`(language: String, kind: String) throws { try passes(language, kind) }

            /// What the README says, as it is written; the other kinds' are tested where those are.
            @Test func `a README's lines render`() throws {
                let studio = try Studio()
                for (name, file) in [
                    ("a.mp4", try Footage.solid("0x303030")), ("b.mp4", try Footage.solid("0xc0c0c0")),
                ] {
                    try FileManager.default.createSymbolicLink(atPath: studio.file(name), withDestinationPath: file)
                }
                /// A second and a half of `a.mp4`, and what the lines add.
                func render(_ kind: String) throws -> Command.Output {
                    _ = try make(kind, ["--lang", "c", "--kind", kind], in: studio)
                    let readme = try String(contentsOfFile: studio.file("\(kind)/README.md"), encoding: .utf8)
                    let lines = readme.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
                    let used = try #require(lines.firstIndex { $0.hasPrefix("cutroom render ") })
                    try studio.script(
                        "draft:add_clip('a.mp4', { range = { 0, 1.5 } })\n"
                            + lines[(used + 1)...].joined(separator: "\n"))
                    // The library is named from within its folder.
                    let words = lines[used].split(separator: " ").dropFirst().map(String.init)
                        .map { $0.hasSuffix(".so") ? "\(kind)/\($0)" : $0 }
                    let result = try studio.run(words + ["--overwrite", "--quality", "0"])
                    try #require(result.status == 0, "\(kind): \(result)")
                    return result
                }
                _ = try render("filter")
                // Half of the way to the negative.
                #expect(try Shot.all(of: studio.file("out.mp4"))[20].mean.distance(Shot.RGB(0x808080)) <= 3)
                // Half a second of the one, a second of both, a second of the other.
                _ = try render("transition")
                let shots = try Shot.all(of: studio.file("out.mp4"))
                #expect(shots.count == 75 && shots[10].mean.distance(Shot.RGB(0x303030)) <= 3)
                #expect(shots[60].mean.distance(Shot.RGB(0xc0c0c0)) <= 3)
                #expect(shots[30].mean.red > 0x40 && shots[30].mean.red < 0xb0, "\(shots[30].mean)")
                // A brightness for each frame, of 100 for white.
                let printed = try render("analyser").stderr.split(separator: "\n").map { $0.split(separator: "\t") }
                let numbers = printed.filter { $0.count == 2 }.map { $0.compactMap { Double($0) } }
                #expect(numbers.count == 60 && numbers.allSatisfy { abs($0[1] - 100 * 0x30 / 255) <= 1 }, "\(printed)")
            }

            /// Programs, plugins and header work from where they are installed.
            @Test func `an installed Cutroom makes, checks and renders plugins`() throws {
                let bench = try PluginBench()
                let studio = bench.studio
                let prefix = studio.file("prefix")
                let installed = try Command.run(
                    [
                        "make", "-C", Project.root, "-o", "build", "-o", "dependencies", "install", "PREFIX=\(prefix)",
                        "release=\(Studio.products)",
                    ])
                try #require(installed.succeeded, "\(installed)")
                let flags = try Command.run(
                    ["pkg-config", "--cflags", "cutroom-plugin"],
                    environment: ["PKG_CONFIG_PATH": prefix + "/share/pkgconfig"])
                #expect(flags.text.contains("-I\(prefix)/include"), "\(flags)")
                let program = prefix + "/bin/cutroom"
                let made = try Command.run([program, "plugin", "new", "glow", "--lang", "c"], in: studio.folder.path)
                #expect(made.succeeded, "\(made)")
                // By pkg-config, and without the project's own copy of the header.
                let library = studio.file("glow/glow.so")
                let words = flags.text.split(whereSeparator: \.isWhitespace).map(String.init)
                let built = try Command.run(
                    ["cc", "-shared", "-fPIC", "-Wl,--version-script=\(studio.file("glow/exports.map"))"] + words
                        + [studio.file("glow/glow.c"), "-o", library, "-lm"])
                #expect(built.succeeded, "\(built)")
                let checked = try Command.run([
                    program, "plugin", "check", library, "--only", "basic", "--only", "symbols",
                ])
                #expect(checked.succeeded && checked.text.contains("2 passed"), "\(checked)")
                let listed = try Command.run([program, "plugin", "list", "--plugin-path", library])
                #expect(
                    listed.text.contains("org.cutroom.vignette") && listed.text.contains("org.example.glow"),
                    "\(listed)")
            }
        }

        @Test func `wrong names say what is wrong and leave nothing`() throws {
            let studio = try Studio()
            try studio.folder.write("", to: "taken/file")
            for (arguments, status, words) in [
                (["taken", "--lang", "c"], 73, "already exists"),
                (["two words", "--lang", "c"], 64, "‘two words’ is not a valid plugin name"),
                (["1st", "--lang", "c"], 64, "starting with a letter"),
                (["glow", "--lang", "c", "--id", "glow"], 64, "reverse domain name"),
                (["glow", "--lang", "pascal"], 64, "pascal"),
                (["none/at\u{e4}ll", "--lang", "c"], 64, "is not a valid plugin name"),
                (["/proc/glow", "--lang", "c"], 73, "Cannot write the project"),
            ] as [([String], Int32, String)] {
                let result = try studio.run(["plugin", "new"] + arguments)
                #expect(result.status == status && result.stderr.contains(words), "\(arguments): \(result)")
            }
            #expect(studio.folder.names == ["taken"])
        }

        @Test func `the header of a project is the one that plugins are written against`() throws {
            let studio = try Studio()
            #expect(try studio.run(["plugin", "new", "glow", "--lang", "c"]).succeeded)
            let header = try String(contentsOfFile: studio.file("glow/include/cutroom/plugin.h"), encoding: .utf8)
            #expect(header == (try String(contentsOfFile: TestPlugin.include + "/cutroom/plugin.h", encoding: .utf8)))
        }
    }

    @Suite struct PluginInfoTests {
        @Test func `a picture shows what the effect does`() throws {
            let studio = try Studio()
            let image = try Footage.still
            try studio.script(
                "draft:add_image(\(image.lua), { duration = 2 })\ndraft:add_effect(\"org.cutroom.rgb_split\", {})")
            let cover = try studio.run(["cover", "edit.lua", "--at", "1", "-o", "cover.png"])
            #expect(cover.succeeded, "\(cover)")
            let info = try studio.run([
                "plugin", "info", "org.cutroom.rgb_split", "--picture", "split.png", "--image", image,
            ])
            #expect(info.succeeded && info.text.contains("RGB split"), "\(info)")
            let (split, shot) = (
                FileManager.default.contents(atPath: studio.file("split.png")),
                FileManager.default.contents(atPath: studio.file("cover.png"))
            )
            #expect(split != nil && split == shot)
            // Without an image: a test picture, with the effect in it.
            #expect(try studio.run(["plugin", "info", "org.cutroom.vignette", "--picture", "test.png"]).succeeded)
            let pixels = Array(
                try FFmpeg.run(["-i", studio.file("test.png"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]).stdout)
            try #require(pixels.count == 3 * 640 * 360)
            // The bar on the left is of one grey, but darker in the corner; the ball in the middle
            // is as it was.
            #expect(Int(pixels[0]) + 20 < Int(pixels[3 * (640 * 130 + 80)]))
            #expect(pixels[3 * (640 * 140 + 290)] > 220)
            #expect(studio.folder.names == ["cover.png", "edit.lua", "split.png", "test.png"])
        }

        /// One colour at the top left, the other at the bottom right, in the middle what lies
        /// between.
        @Test func `a picture shows what a source makes`() throws {
            let studio = try Studio()
            #expect(try studio.run(["plugin", "info", "org.cutroom.gradient", "--picture", "made.png"]).succeeded)
            let pixels = Array(
                try FFmpeg.run(["-i", studio.file("made.png"), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]).stdout)
            try #require(pixels.count == 3 * 640 * 360)
            let (first, middle, last) = (
                Int(pixels[0]), Int(pixels[3 * (640 * 180 + 320)]), Int(pixels[pixels.count - 3])
            )
            #expect(abs(first - 41) < 6 && abs(middle - 140) < 6 && abs(last - 239) < 6, "\(first) \(middle) \(last)")
        }

        @Test func `wrong pictures say what is wrong`() throws {
            let bench = try PluginBench()
            let library = try bench.build("entry.c", ["FIXTURE_KIND=CUTROOM_KIND_ANALYSER"])
            try bench.studio.folder.write("", to: "any.png")
            try bench.studio.folder.write("no picture", to: "text.png")
            for (arguments, words) in [
                (["org.cutroom.vignette", "--picture", "x.bmp"], "must end in .png or .jpg"),
                (["org.cutroom.vignette", "--picture", "none/x.png"], "does not exist"),
                (["org.cutroom.vignette", "--picture", "x.png", "--image", "none.png"], "none.png"),
                (["org.cutroom.vignette", "--picture", "x.png", "--image", "text.png"], "text.png"),
                (["org.cutroom.vignette", "--image", "text.png"], "‘--image’ needs ‘--picture’"),
                (["test.fixture", "--picture", "x.png", "--plugin-path", library], "is an analyser"),
                (["org.cutroom.gradient", "--picture", "x.png", "--image", "any.png"], "takes no input image"),
            ] {
                let result = try bench.studio.run(["plugin", "info"] + arguments)
                #expect(result.status != 0 && result.stderr.contains(words), "\(arguments): \(result)")
            }
            #expect(!FileManager.default.fileExists(atPath: bench.studio.file("x.png")))
        }

        /// Whatever the text for people says is in the JSON.
        @Test(arguments: ["org.cutroom.pixelate", "org.cutroom.chroma_key", "org.cutroom.ducking"])
        func `an effect's description is there as JSON`(id: String) throws {
            struct Info: Decodable {
                struct Parameter: Decodable {
                    var id: String, kind: String, unit: String, help: String
                    var minimum: Double, maximum: Double
                    var initial: [Double], choices: [String]
                    var initial_text: String, is_animatable: Bool
                }
                var id: String, kind: String, name: String, version: String, vendor: String, license: String
                var help: String, state: String, path: String, determinism: String
                var formats: [String], parameters: [Parameter]
                var is_keyed: Bool, ignores_timeline: Bool, reach_before: Int, reach_after: Int
            }
            let studio = try Studio()
            let text = try studio.run(["plugin", "info", id]).text
            let info = try JSONDecoder().decode(
                Info.self, from: try studio.run(["plugin", "info", id, "--json"]).stdout)
            let head = "\(info.id) \(info.version): \(info.name) (\(info.kind), \(info.state))\n\(info.help)\n"
            #expect(text.hasPrefix(head + "by \(info.vendor), \(info.license)\n\(info.path)\n"), "\(text)")
            #expect(text.contains("formats: \(info.formats.joined(separator: ", "))\n"), "\(text)")
            #expect(text.contains("keyed by the sound") == info.is_keyed)
            #expect(text.contains("sees \(info.reach_before) ") == (info.reach_before + info.reach_after > 0))
            #expect(text.contains("gives the same result wherever it is on the timeline") == info.ignores_timeline)
            #expect(text.contains("gives the same result on every machine") == (info.determinism == "exact"))
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("  ") }
            #expect(lines.count == info.parameters.count)
            for (line, parameter) in zip(lines, info.parameters) {
                #expect(line.hasPrefix("  \(parameter.id): \(parameter.kind)"), "\(line)")
                let note = parameter.is_animatable ? ", default" : " (not animated), default"
                let unit = parameter.unit.isEmpty ? "" : " \(parameter.unit)"
                #expect(line.hasSuffix(parameter.help) && line.contains(unit + note), "\(line)")
                for choice in parameter.choices { #expect(line.contains(choice), "\(line)") }
                if parameter.minimum < parameter.maximum, parameter.kind != "bool" {
                    let bounds = [parameter.minimum, parameter.maximum].map { String(format: "%g", $0) }
                    #expect(line.contains(" \(bounds[0]) … \(bounds[1])"), "\(line)")
                }
            }
        }

        @Test func `the list is there as JSON`() throws {
            struct List: Decodable {
                struct Effect: Decodable { var id: String, kind: String }
                var effects: [Effect]
                var problems: [String]
            }
            let bench = try PluginBench()
            let library = try bench.build("not_a_plugin.c")
            let result = try bench.studio.run(["plugin", "list", "--json", "--plugin-path", library])
            let list = try JSONDecoder().decode(List.self, from: result.stdout)
            #expect(list.effects.contains { $0.id == "org.cutroom.vignette" && $0.kind == "filter" })
            #expect(list.problems.contains { $0.contains(library) })
        }
    }
}
