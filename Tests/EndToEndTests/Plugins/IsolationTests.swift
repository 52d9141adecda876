import Foundation
import TestSupport
import Testing

extension EndToEndPlugins {
    /// What a plugin cannot do in a worker.
    @Suite struct IsolationTests {
        /// A plugin that tries everything, and a script with it.
        private static func edit(_ studio: Studio, _ more: String = "") throws -> String {
            try Fixture.plugin("escapes", as: "escapes", in: studio)
            let folder = try studio.outside()
            let file = folder + "/precious"
            try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
            try studio.script(
                """
                draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })
                draft:add_effect("test.escapes", { file = \(file.lua)\(more) })
                """)
            return file
        }

        /// Whether this machine's kernel has both; else why not, as the check of a plugin says it.
        static let lack: Comment? = {
            let text = (try? isolation(Studio())) ?? "the check says nothing"
            return text == "network: refused by seccomp; writing: limited by Landlock" ? nil : "\(text)"
        }()

        /// What the check says of its processes, without Landlock's version.
        private static func isolation(_ studio: Studio) throws -> String {
            let result = try studio.run([
                "plugin", "check", Studio.products + "/libcutroom_plugin_vignette.so", "--only", "load", "--json",
            ])
            let report = try JSONDecoder().decode(PluginBench.Report.self, from: result.stdout)
            let text = report.isolation ?? ""
            return text.last?.isNumber == true ? String(text.prefix { !$0.isNumber }.dropLast()) : text
        }

        /// As root, and as a user without its rights.
        @Test(.enabled(if: lack == nil, lack ?? ""), arguments: Studio.asNobody.isEmpty ? [[]] : [[], Studio.asNobody])
        func `a plugin reaches nothing but its frames`(shell: [String]) throws {
            let studio = try Studio()
            let file = try Self.edit(studio, ", made = \(studio.file("made").lua)")
            // The plugin fails with a list of what it could do.
            let result = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--verbose"], through: shell)
            #expect(result.status == 0, "\(result)")
            #expect(result.stderr.contains("network: refused by seccomp; writing: limited by Landlock"), "\(result)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
            #expect(!studio.folder.names.contains { $0.hasPrefix("made") })
            guard shell.isEmpty else { return }
            let bench = try PluginBench()
            let report = try bench.check(studio.file("plugins/escapes.so"), only: ["load", "basic"])
            #expect(report["load"]?.outcome == "passed", "\(report)")
        }

        @Test(.enabled(if: lack == nil, lack ?? "")) func `pictures, sequences and covers find their folders open`()
            throws
        {
            let studio = try Studio()
            _ = try Self.edit(studio)
            for command in [
                ["snapshots", "edit.lua", "-n", "2", "-o", "deep/shots"],
                ["cover", "edit.lua", "--at", "0.5", "-o", "cover.png"],
                ["render", "edit.lua", "-o", "frames/"], ["render", "edit.lua", "-o", "out.gif", "--no-cache"],
            ] {
                let result = try studio.run(command)
                #expect(result.status == 0, "\(result)")
            }
            #expect(studio.folder.names == ["cover.png", "deep", "edit.lua", "frames", "out.gif", "plugins"])
        }

        /// The folder of snapshots is made before the script runs, and must not stay where that
        /// fails.
        @Test func `a script that fails leaves no folder`() throws {
            let studio = try Studio()
            try studio.script("draft:add_clip(\"none.mp4\")")
            let result = try studio.run(["snapshots", "edit.lua", "-o", "deep/er/shots"])
            #expect(result.status == 65, "\(result)")
            #expect(studio.folder.names == ["edit.lua"])
        }

        /// The system calls answer as on a kernel without Landlock and seccomp. The render goes on,
        /// the plugin can do everything, and both is said.
        @Test(.enabled(if: lack == nil, lack ?? "")) func `a kernel that has none of it is told of`() throws {
            let studio = try Studio()
            let program = studio.file("bare")
            let built = try Command.run([
                "cc", "-std=c11", "-o", program, TestPlugin.fixtures + "/bare_kernel.c", "-lseccomp",
            ])
            try #require(built.succeeded, "\(built)")
            studio.environment["CUTROOM_WORKER"] = program
            studio.environment["BARE_PROGRAM"] = Studio.products + "/cutroom-worker"
            let text =
                "network: not limited (seccomp: this kernel has none); writing: not limited (Landlock: this kernel has none)"
            #expect(try Self.isolation(studio) == text)
            try studio.script(
                "draft:add_clip(\(Footage.pattern.lua), { range = { 0, 1 } })\ndraft:add_effect('org.cutroom.vignette', {})"
            )
            let usual = try studio.run(["render", "edit.lua", "-o", "out.mp4", "--verbose"])
            #expect(usual.status == 0 && usual.stderr.contains(text), "\(usual)")
            let file = try Self.edit(studio)
            let result = try studio.run(["render", "edit.lua", "-o", "free.mp4"])
            #expect(result.status == 70, "\(result)")
            #expect(
                result.stderr.contains(
                    "it could: connect connect-locally write truncate empty change-times make change-mode rename signal have-signalled limit slow run trace leave choose-precedence remove; in another way: "
                ),
                "\(result)")
            // Others are refused by some machines without Cutroom.
            for name in [
                "be-first", "be-first-in-turn", "own-pipe", "unshare", "change-owner", "type", "pin-host",
                "schedule-host",
                "turn-host", "plan-host", "delay-host", "delay-others", "slow-group", "slow-others", "move-host-memory",
                "change-mode-anew", "set-attribute-anew", "remove-attribute-anew", "set-flags-anew", "set-flags",
                "set-project", "freeze", "empty-oddly", "share-memory", "see-shared-memory", "remove-shared-memory",
                "make-a-queue", "send", "receive", "remove-a-queue", "make-a-semaphore", "raise-a-semaphore",
                "set-a-semaphore", "open-a-queue", "unlink-a-queue", "take-the-terminal", "keep-the-terminal",
            ] {
                #expect(
                    result.stderr.contains(" \(name) ") || result.stderr.contains(" \(name)\n"), "\(name) in: \(result)"
                )
            }
            #expect(!FileManager.default.fileExists(atPath: file))
        }

        /// fontconfig makes a cache of a folder with one font if it may write.
        @Test(
            .enabled(if: lack == nil, lack ?? ""), .enabled(if: font != nil, "no font file is installed"))
        func `fontconfig's caches are not written`() throws {
            let studio = try Studio()
            let fonts = try studio.outside() + "/fonts"
            let cache = try studio.outside() + "/cache"
            for folder in [fonts, cache] {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            try FileManager.default.copyItem(atPath: try #require(Self.font), toPath: fonts + "/font.ttf")
            studio.environment["FONTCONFIG_FILE"] = try studio.folder.write(
                "<fontconfig><dir>\(fonts)</dir><cachedir>\(cache)</cachedir></fontconfig>", to: "fonts.conf")
            try studio.script("draft:add_clip(\(Footage.silent.lua), { range = { 0, 0.2 } })\ndraft:add_title('A', {})")
            try studio.render()
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache) == [])
            // A program that is not limited writes one.
            _ = try Command.run(["fc-cache"], environment: studio.environment)
            #expect(try FileManager.default.contentsOfDirectory(atPath: cache) != [])
        }

        private static let font = FileManager.default.enumerator(atPath: "/usr/share/fonts")?.lazy
            .compactMap { $0 as? String }.first { $0.hasSuffix(".ttf") }.map { "/usr/share/fonts/" + $0 }
    }
}
