import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    @Suite struct PluginDescriptionTests {
        @Test func `it tells what an effect asks for`() throws {
            let bench = try PluginBench()
            func info(_ source: String, _ defines: [String] = [], _ id: String) throws -> String {
                let library = try bench.build(source, defines)
                let result = try bench.studio.run(["plugin", "info", id, "--plugin-path", library])
                try #require(result.status == 0, "\(result)")
                return result.text
            }
            let around = try info("around.c", [], "test.around")
            #expect(around.contains("sees 2 frames before the current one and 3 after it\n"), "\(around)")
            #expect(around.contains("gives the same result on every machine\n"), "\(around)")
            let unsure = try info("around.c", ["FIXTURE_DETERMINISM=CUTROOM_DETERMINISM_NONE"], "test.around")
            #expect(unsure.contains("its result may differ from run to run, and is not cached\n"), "\(unsure)")
            #expect(try info("trail.c", [], "test.trail").contains("warms up with 7 frames\n"))
            #expect(around.contains("its result may depend on its place on the timeline, "), "\(around)")
            let anywhere = try info("limits.c", ["EXTRA=.capabilities=CUTROOM_IGNORES_TIMELINE"], "test.limits")
            #expect(anywhere.contains("gives the same result wherever it is on the timeline\n"), "\(anywhere)")
        }

        @Test func `hidden parameters are not offered, and taken`() throws {
            let bench = try PluginBench()
            let library = try bench.build("errors.c")
            let info = try bench.studio.run(["plugin", "info", "test.errors", "--plugin-path", library])
            #expect(info.text.contains("  status: int") && !info.text.contains("refuse"), "\(info)")
            let programs = try bench.studio.run(["plugin", "info", "test.errors", "--json", "--plugin-path", library])
            #expect(
                programs.text.contains("\"id\" : \"refuse\"") && programs.text.contains("\"is_hidden\" : true"),
                "\(programs)")
            func render(_ options: String) throws -> String {
                try bench.studio.script(
                    "draft:add_clip(\(Footage.pattern.lua))\ndraft:add_effect('test.errors', { \(options) })")
                return try bench.studio.run(["render", "edit.lua", "-o", "out.mp4", "--plugin-path", library]).stderr
            }
            #expect(try render("refuse = true").contains("no instance today"))
            let unknown = try render("refus = true")
            #expect(unknown.contains("has no parameter ‘refus’") && !unknown.contains("refuse"), "\(unknown)")
            func property(_ name: String) throws -> String {
                try bench.studio.script(
                    """
                    draft:add_clip(\(Footage.pattern.lua))
                    print(draft:add_effect('test.errors', { refuse = true }).\(name))
                    """)
                return try bench.studio.run(["check", "edit.lua", "--plugin-path", library]).stderr
            }
            let read = try property("refuse")
            #expect(read.hasPrefix("true\n"), "\(read)")
            let unread = try property("refus")
            #expect(unread.contains("has no property ‘refus’") && !unread.contains("refuse"), "\(unread)")
        }

        @Test func `a whole number may change with time`() throws {
            let studio = try Studio()
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })\n"
                    + "draft:add_effect('org.cutroom.kaleidoscope', { segments = { { 0, 3 }, { 1, 8 } } })")
            let frames = try FFmpeg.grayFrames(of: studio.render(), width: 160, height: 96)
            // Not the same throughout.
            #expect(frames.count == 30 && Set(frames.map { $0[40...60].map { $0 / 16 } }).count > 2)
        }

        /// Its code, its command and its line of Lua, as they are shown.
        @Test func `the guide's first plugin works as the guide says`() throws {
            let guide = try String(contentsOfFile: Project.root + "/docs/plugins.md", encoding: .utf8)
            func block(_ language: String, _ beginning: String) throws -> String {
                let blocks = guide.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
                    $0.components(separatedBy: "```").first
                }
                return try #require(blocks.first { $0.hasPrefix(beginning) })
            }
            let studio = try Studio()
            try studio.folder.write(try block("c", "#include <cutroom/plugin.h>"), to: "negative.c")
            let commands = try block("sh", "cc -std=c11").split(separator: "\n").map(String.init)
            try #require(commands.count == 2)
            let compiler = commands[0].replacingOccurrences(of: "Sources/PluginABI/include", with: TestPlugin.include)
            let built = try Command.run(["sh", "-c", "cd \(studio.folder.path) && \(compiler)"])
            try #require(built.succeeded, "\(built)")
            let white = try Footage.made("white.png", ["-f", "lavfi", "-i", "color=white:size=8x8", "-frames:v", "1"])
            try studio.script(
                "draft:add_image(\(white.lua), { duration = 4, mode = 'stretch' })\n" + block("lua", "draft:add_effect")
            )
            let words = commands[1].split(separator: " ").dropFirst().map(String.init)
            let result = try studio.run(words)
            try #require(result.status == 0, "\(result)")
            let frames = try FFmpeg.grayFrames(of: studio.file("out.mp4"), width: 160, height: 96)
            // White, by 0.8 on its way to black, for three seconds.
            #expect(frames.count == 120 && frames[..<90].allSatisfy { (45...57).contains($0[0]) })
            #expect(frames[90...].allSatisfy { $0[0] > 250 })
        }

        @Test func `parameters of every kind have their ranges`() throws {
            let text = try Studio().run(["plugin", "info", "org.cutroom.pixelate"]).text
            #expect(text.contains("position: point -16384 … 16384 px, default 0, 0"), "\(text)")
            let flash = try Studio().run(["plugin", "info", "org.cutroom.flash"]).text
            #expect(flash.contains("color: color 0 … 1, default 1, 1, 1, 1"), "\(flash)")
            #expect(!flash.contains("sees ") && !flash.contains("warms up"), "\(flash)")
            #expect(!flash.contains("(not animated)"), "\(flash)")
            let key = try Studio().run(["plugin", "info", "org.cutroom.chroma_key"]).text
            #expect(key.contains("loop: bool (not animated), default false"), "\(key)")
            let spectrum = try Studio().run(["plugin", "info", "org.cutroom.spectrum"]).text
            #expect(
                spectrum.contains("style: enum (bars, mirror, spectrogram) (not animated), default bars"), "\(spectrum)"
            )
        }

        @Test func `keys of JSON are in snake case`() throws {
            for arguments in [["list"], ["info", "org.cutroom.blur"]] {
                let text = try Studio().run(["plugin"] + arguments + ["--json"]).text
                #expect(text.contains("\"reach_before\"") && text.contains("\"is_animatable\""), "\(text)")
                #expect(text.firstMatch(of: /"[a-z_]*[A-Z][A-Za-z_]*" :/) == nil, "\(text)")
            }
        }
    }
}
