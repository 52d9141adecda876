import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a command knows of files into which an earlier one has looked.
    @Suite struct KnownMediaTests {
        /// A script of a clip and a sticker, whose files have not changed for so long that they are
        /// remembered.
        private static func edited() async throws -> Studio {
            let studio = try Studio()
            for (source, name) in [(try Footage.pattern, "a.mp4"), (try Footage.still, "b.png")] {
                try FileManager.default.copyItem(atPath: source, toPath: studio.file(name))
            }
            try studio.script(
                "draft:add_clip \"a.mp4\"\ndraft:add_effect(\"sticker\", { image = \"b.png\", rect = { 0, 0, 8, 8 } })")
            try await Task.sleep(for: .milliseconds(2050))
            return studio
        }

        /// How often workers were asked what is in files, and what the command has printed.
        private static func asked(_ studio: Studio, _ arguments: [String]) throws -> (probes: Int, text: String) {
            let result = try studio.run(arguments + ["--verbose", "--workers", "1"])
            try #require(result.succeeded, "\(result)")
            return (result.stderr.matches(of: /job probe-[0-9]+ started/).count, result.text)
        }

        @Test func `nobody looks into a file again that has not changed`() async throws {
            let studio = try await Self.edited()
            let first = try Self.asked(studio, ["plan", "edit.lua"])
            #expect(first.probes == 2)
            // One question remains: which libraries there are.
            let again = try Self.asked(studio, ["plan", "edit.lua"])
            #expect(again.probes == 1 && again.text == first.text)
            #expect(try Self.asked(studio, ["plan", "edit.lua", "--no-cache"]) == first)
            #expect(try Self.asked(studio, ["plan", "edit.lua", "--cache-size", "0"]) == first)
            // A draft's document asks for all of its files at once.
            try #require(try studio.run(["save", "edit.lua", "-o", "edit.cutroom"]).succeeded)
            #expect(try Self.asked(studio, ["plan", "edit.cutroom"]) == again)
            try #require(try studio.run(["cache", "clear"]).succeeded)
            #expect(try Self.asked(studio, ["plan", "edit.lua"]) == first)
        }

        @Test func `a file that has changed is looked into, and seen as it is`() async throws {
            let studio = try await Self.edited()
            let first = try Self.asked(studio, ["plan", "edit.lua"])
            try FileManager.default.removeItem(atPath: studio.file("a.mp4"))
            try FileManager.default.copyItem(atPath: try Footage.silent, toPath: studio.file("a.mp4"))
            let changed = try Self.asked(studio, ["plan", "edit.lua"])
            #expect(changed.probes == 1 && changed.text != first.text)
            #expect(changed.text == (try Self.asked(studio, ["plan", "edit.lua", "--no-cache"])).text)
            try FileManager.default.removeItem(atPath: studio.file("b.png"))
            let missing = try studio.run(["check", "edit.lua"])
            #expect(missing.status == 65 && missing.stderr.contains("b.png"), "\(missing)")
        }

        @Test func `what other libraries have found is found out again`() async throws {
            let studio = try await Self.edited()
            let first = try Self.asked(studio, ["plan", "edit.lua"])
            let folder = studio.cache + "/cutroom/media"
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let path = folder + "/" + name
                // A note is a SHA-256 in hexadecimal, and the text that it is of.
                let text = String(
                    decoding: try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(64), as: UTF8.self)
                let other = text.replacing("\"libraries\":\"", with: "\"libraries\":\"older ").replacing(
                    "160", with: "320")
                try #require(other != text)
                let sum = try Command.run(["sha256sum"], input: Data(other.utf8))
                try (String(sum.text.prefix(64)) + other).write(toFile: path, atomically: true, encoding: .utf8)
            }
            let again = try Self.asked(studio, ["plan", "edit.lua"])
            #expect(again.probes == 3 && again.text == first.text)
            #expect(try Self.asked(studio, ["plan", "edit.lua"]).probes == 1)
        }
    }
}
