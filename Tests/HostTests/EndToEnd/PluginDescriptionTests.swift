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
            #expect(around.contains("makes the same everywhere\n"), "\(around)")
            let unsure = try info("around.c", ["FIXTURE_DETERMINISM=CUTROOM_DETERMINISM_NONE"], "test.around")
            #expect(unsure.contains("may differ from run to run: what it makes is not cached\n"), "\(unsure)")
            #expect(try info("trail.c", [], "test.trail").contains("warms up with 7 frames\n"))
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
        }

        @Test func `parameters of every kind have their ranges`() throws {
            let text = try Studio().run(["plugin", "info", "org.cutroom.pixelate"]).text
            #expect(text.contains("position: point -16384.0 … 16384.0 px, default 0.0, 0.0"), "\(text)")
            let flash = try Studio().run(["plugin", "info", "org.cutroom.flash"]).text
            #expect(flash.contains("color: color 0.0 … 1.0, default 1.0, 1.0, 1.0, 1.0"), "\(flash)")
            #expect(!flash.contains("sees ") && !flash.contains("warms up"), "\(flash)")
        }
    }
}
