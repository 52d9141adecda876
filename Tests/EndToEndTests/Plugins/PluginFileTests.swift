import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// Files that plugins read.
    @Suite struct PluginFileTests {
        private static func edit(_ studio: Studio, _ file: String, as name: String = "edit.lua") throws {
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.paints', { \(file) })",
                size: (64, 64), as: name)
        }

        private static func level(_ studio: Studio, _ script: String = "edit.lua", _ arguments: [String] = []) throws
            -> Int
        {
            let path = try studio.render(script, with: ["--quality", "0", "--overwrite"] + arguments)
            return try PluginKindTests.rows(of: path)[0][0]
        }

        /// The script lies in another folder than the one that it is started in.
        @Test func `a path reaches the plugin whole, and none as an empty text`() throws {
            let studio = try Studio()
            let file = studio.file("deep/data")
            try Fixture.plugin(
                "paints",
                [
                    "VALUE=!strcmp(call->values[0].text, \"\(file)\") ? first_byte(call->values[0].text)"
                        + " : *call->values[0].text ? 50 : 60"
                ], as: "paints", in: studio)
            try studio.folder.write("x", to: "deep/data")
            try Self.edit(studio, "file = 'data'", as: "deep/edit.lua")
            #expect(try Self.level(studio, "deep/edit.lua") == 120)
            try Self.edit(studio, "")
            #expect(try Self.level(studio) == 60)
        }

        @Test(arguments: ["none", "folder", "closed"])
        func `a path without a file that can be read is told at its line`(name: String) throws {
            let studio = try Studio()
            try Fixture.plugin("paints", as: "paints", in: studio)
            try studio.folder.write("", to: "folder/any")
            chmod(try studio.folder.write("", to: "closed"), 0)
            try Self.edit(studio, "file = '\(name)'")
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4"], through: Studio.asNobody)
            #expect(result.status == 65, "\(result)")
            let reason = ["none": "o such file", "folder": "folder", "closed": "permission"][name] ?? ""
            for part in ["edit.lua:4: ", "‘\(name)’", reason] {
                #expect(result.stderr.contains(part), "no ‘\(part)’ in: \(result.stderr)")
            }
        }

        @Test func `a data file that a library declares is a part of its keys`() throws {
            let studio = try Studio()
            try Fixture.plugin("reads", ["DECLARES"], as: "reads", in: studio)
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.reads', {})",
                size: (64, 64))
            // Luma of grey in BT.709's limited range.
            for (text, luma) in [(" ", 43), ("z", 121), (" ", 43)] {
                try studio.folder.write(text, to: "plugins/data/add.bin")
                let level = try Self.level(studio)
                #expect(abs(level - luma) <= 2, "\(level)")
            }
            let info = try studio.run(["plugin", "info", "test.reads"])
            #expect(info.text.contains("data files: data/add.bin"), "\(info)")
            try FileManager.default.removeItem(atPath: studio.file("plugins/data/add.bin"))
            let missing = try studio.run(["render", "edit.lua", "-o", "none.mp4"])
            #expect(
                missing.status == 65 && missing.stderr.contains("its data file ‘data/add.bin’ cannot"), "\(missing)")
        }

        @Test func `files that an effect only says it needs are no part of any key`() throws {
            let studio = try Studio()
            let file = try studio.folder.write("a", to: "library")
            try Fixture.plugin(
                "paints",
                ["VALUE=first_byte(\"\(file)\")", "CAPABILITIES=CUTROOM_NEEDS_FILES"], as: "paints", in: studio)
            try Self.edit(studio, "")
            #expect(try Self.level(studio) == 97)
            try studio.folder.write("zz", to: "library")
            #expect(try Self.level(studio) == 97)
            #expect(try Self.level(studio, "edit.lua", ["--no-cache"]) == 122)
        }
    }
}
