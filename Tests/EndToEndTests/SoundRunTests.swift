import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Sound is mixed in runs: an edit mixes those that it touches, and the file is that of an empty cache.
    @Suite struct SoundRunTests {
        /// Ninety seconds of music under voices, one of which has the volume.
        private static func script(_ studio: Studio, volume: Double) throws {
            let music = try Footage.made(
                "run-music.m4a",
                [
                    "-f", "lavfi", "-i", "anoisesrc=d=90:c=pink:r=48000:a=0.2:seed=3,aeval=val(0)|0.5*val(0)", "-c:a",
                    "aac", "-b:a", "128k",
                ])
            let voice = try Footage.made(
                "run-voice.wav", ["-f", "lavfi", "-i", "sine=f=300:d=4:r=48000,aeval=0.5*val(0)|0.4*val(0)"])
            try studio.script(
                """
                draft:add_audio(\(music.lua), { volume = 0.5, fade_in = 1, fade_out = 2 })
                for i = 0, 4 do
                    local volume = i == 2 and \(volume) or 1
                    draft:add_audio(\(voice.lua), { at = 5 + 17 * i, volume = volume, fade_in = 0.2 })
                end
                draft:add_audio(\(voice.lua), { at = 70, speed = 1.25 })
                """)
        }

        private static func render(_ studio: Studio, to name: String, _ more: [String] = []) throws
            -> ProgressLines.Line
        {
            let result = try studio.run(["render", "edit.lua", "-o", name, "--progress", "json"] + more)
            try #require(result.succeeded, "\(result)")
            return try #require(try ProgressLines(result.text).last("completed"))
        }

        @Test func `an edit of one audio clip mixes the runs that it touches`() throws {
            let studio = try Studio()
            try Self.script(studio, volume: 1)
            let first = try Self.render(studio, to: "first.m4a")
            #expect(first.soundRuns ?? 0 >= 4 && first.soundRunsFromCache == 0, "\(first)")
            try Self.script(studio, volume: 0.25)
            let second = try Self.render(studio, to: "second.m4a")
            let mixed = (second.soundRuns ?? 0) - (second.soundRunsFromCache ?? 0)
            #expect(second.soundRuns == first.soundRuns && (1...2).contains(mixed), "\(second)")
            let again = try Self.render(studio, to: "again.m4a")
            #expect(again.soundRunsFromCache == again.soundRuns)

            for workers in ["1", "2", "4"] {
                _ = try Self.render(studio, to: "\(workers).m4a", ["--no-cache", "--workers", workers])
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: studio.file("second.m4a"), andPath: studio.file("\(workers).m4a")),
                    "\(workers) workers and an empty cache")
            }
            #expect(
                !FileManager.default.contentsEqual(
                    atPath: studio.file("first.m4a"), andPath: studio.file("second.m4a")))
        }
    }
}
