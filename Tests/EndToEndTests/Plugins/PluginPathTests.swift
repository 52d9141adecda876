import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// The search path of plugins, and reports about plugins that are not used.
    @Suite struct PluginPathTests {
        /// The library that has the effect.
        private static func path(_ studio: Studio, _ arguments: [String] = [], id: String = "test.paints") throws
            -> String?
        {
            struct Info: Decodable { var path: String }
            let result = try studio.run(["plugin", "info", id, "--json"] + arguments)
            return try? JSONDecoder().decode(Info.self, from: result.stdout).path
        }

        /// Copies a library to where the runs of a studio may find it.
        private static func copy(_ library: String, to path: String) throws -> String {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: library, toPath: path)
            return path
        }

        /// Each place is asked for without those that come before it.
        @Test func `places count in their order`() throws {
            let studio = try Studio()
            let library = studio.file("library")
            try TestPlugin.build("paints.c", to: library)
            func put(_ path: String) throws -> String { try Self.copy(library, to: studio.file(path)) }
            let (single, inFolder) = (try put("single/any.so"), try put("wished/paints.so"))
            let listed = [try put("listed-1/paints.so"), try put("listed-2/paints.so")]
            let (data, home) = (
                try put("data/cutroom/plugins/paints.so"), try put("home/.local/share/cutroom/plugins/paints.so")
            )
            let wishes = ["--plugin-path", single, "--plugin-path", studio.file("wished")]
            studio.environment = [
                "CUTROOM_PLUGIN_PATH": "\(studio.file("listed-1")):\(studio.file("listed-2"))",
                "XDG_DATA_HOME": studio.file("data"), "HOME": studio.file("home"),
            ]
            #expect(try Self.path(studio, wishes) == single)
            #expect(try Self.path(studio, Array(wishes[2...])) == inFolder)
            #expect(try Self.path(studio, ["--plugin-path", "wished:single"]) == inFolder)
            #expect(try Self.path(studio) == listed[0])
            studio.environment["CUTROOM_PLUGIN_PATH"] = "\(studio.file("none")):\(studio.file("listed-2"))"
            #expect(try Self.path(studio) == listed[1])
            studio.environment["CUTROOM_PLUGIN_PATH"] = .some(nil)
            #expect(try Self.path(studio) == data)
            studio.environment["XDG_DATA_HOME"] = .some(nil)
            #expect(try Self.path(studio) == home)
        }

        /// In a folder the names' order counts.
        @Test func `the first of one id counts, and the list tells of the other`() throws {
            let studio = try Studio()
            let folder = studio.file("mine")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in ["b", "a"] { try TestPlugin.build("paints.c", to: "\(folder)/\(name).so") }
            let arguments = ["--plugin-path", folder]
            #expect(try Self.path(studio, arguments) == "\(folder)/a.so")
            let list = try studio.run(["plugin", "list"] + arguments)
            let words =
                "effect test.paints of plugin \(folder)/b.so is not used: \(folder)/a.so has one of the same id"
            #expect(list.stderr.contains(words), "\(list)")
        }

        @Test func `ids of Cutroom's own are refused of others`() throws {
            let studio = try Studio()
            let shipped = try #require(try Self.path(studio, id: "org.cutroom.vignette"))
            try Fixture.plugin("paints", ["FIXTURE_ID=\"org.cutroom.vignette\""], as: "mine", in: studio)
            let mine = studio.file("plugins/mine.so")
            #expect(try Self.path(studio, id: "org.cutroom.vignette") == shipped)
            let words = "ids that begin with ‘org.cutroom.’ are reserved"
            let list = try studio.run(["plugin", "list"])
            #expect(
                list.stderr.contains("effect org.cutroom.vignette of plugin \(mine) is left out: \(words)"), "\(list)")
            let check = try studio.run(["plugin", "check", mine, "--only", "descriptor"])
            #expect(check.status == 65 && check.text.contains(words), "\(check)")
            let new = try studio.run(["plugin", "new", "glow", "--lang", "c", "--id", "org.cutroom.glow"])
            #expect(new.status == 64 && new.stderr.contains(words), "\(new)")
        }

        // MARK: What cannot be used

        /// Two of them lie before what is asked for.
        @Test(arguments: [([String](), "SIGABRT")])
        func `a library that ends its process costs only itself`(defines: [String], words: String) throws {
            let studio = try Studio()
            try Fixture.plugin("paints", as: "paints", in: studio)
            for name in ["a", "b"] { try Fixture.plugin("dies_loading", defines, as: name, in: studio) }
            let arguments = ["--stall-timeout", "1"]
            #expect(try Self.path(studio, arguments) == studio.file("plugins/paints.so"))
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.paints', {})",
                size: (64, 64))
            try studio.render(with: arguments)
            let list = try studio.run(["plugin", "list"] + arguments)
            #expect(list.succeeded && list.text.contains("test.paints"), "\(list)")
            for name in ["a", "b"] {
                #expect(
                    list.stderr.split(separator: "\n").contains {
                        $0.contains("(\(studio.file("plugins/\(name).so")))") && $0.contains(words)
                    }, "\(list)")
            }
        }

        /// A script, a draft's document and `plugin info` ask for an effect that a broken library
        /// may have had.
        @Test func `where an effect is not found, libraries that cannot be used are told of`() throws {
            let studio = try Studio()
            let broken = try studio.folder.write("not a library", to: "plugins/broken.so")
            studio.environment["CUTROOM_PLUGIN_PATH"] = studio.file("plugins")
            try TestPlugin.build("paints.c", to: studio.file("plugins/paints.so"))
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua))\ndraft:add_effect('test.paints', {})", size: (64, 64))
            let saved = try studio.run(["save", "edit.lua", "-o", "edit.cutroom"])
            #expect(saved.succeeded && !saved.stderr.contains(broken), "\(saved)")
            try FileManager.default.removeItem(atPath: studio.file("plugins/paints.so"))
            for command in [["check", "edit.lua"], ["check", "edit.cutroom"], ["plugin", "info", "test.paints"]] {
                let result = try studio.run(command)
                #expect(result.status == 65 && result.stderr.contains("effect ‘test.paints’"), "\(result)")
                #expect(result.stderr.components(separatedBy: "warning: plugin \(broken): ").count == 2, "\(result)")
            }
        }

        /// It is not used: the render says so and goes on, long before a stalled worker would be
        /// ended.
        @Test func `a library whose init hangs is a warning`() throws {
            let studio = try Studio()
            try Fixture.plugin("paints", as: "paints", in: studio)
            try Fixture.plugin("entry", ["HANGS"], as: "hangs", in: studio)
            let path = studio.file("plugins/hangs.so")
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.paints', {})",
                size: (64, 64))
            let render = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--stall-timeout", "6"])
            let words = "lugin ‘Entry’ (\(path)): its init does not return within 3 s, so the library is left out"
            #expect(render.succeeded && render.stderr.components(separatedBy: words).count == 2, "\(render)")
            #expect(!render.stderr.contains("progress for") && !render.stderr.contains("tried again"), "\(render)")
            let list = try studio.run(["plugin", "list", "--stall-timeout", "6"])
            #expect(list.succeeded && list.text.contains("test.paints"), "\(list)")
            #expect(list.stderr.components(separatedBy: words).count == 2, "\(list)")
        }

        /// The damage ends the process after the call, so the breadcrumb does not name the plugin.
        @Test func `a library whose init spoils its process is left out by name`() throws {
            let studio = try Studio()
            try Fixture.plugin("paints", as: "paints", in: studio)
            try Fixture.plugin("entry", ["CLOSES"], as: "closes", in: studio)
            let path = studio.file("plugins/closes.so")
            try studio.script(
                "draft:add_clip(\(try Footage.ramp.lua), { range = { 0, 0.2 } })\ndraft:add_effect('test.paints', {})",
                size: (64, 64))
            for command in [["render", "edit.lua", "-o", "out.mp4"], ["plugin", "list"]] {
                let result = try studio.run(command)
                #expect(result.succeeded && result.stderr.contains(path), "\(result)")
            }
        }

        @Suite struct Sweep {
            @Test func `a library that hangs costs only itself`() throws {
                try PluginPathTests().`a library that ends its process costs only itself`(
                    defines: ["HANGS"], words: "no progress")
            }
        }
    }
}
