import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Channels, at most two, and rate follow what is heard, unless a script asks for others.
    @Suite struct SoundFormTests {
        private static func sound(_ layout: String, _ rate: Int) throws -> String {
            let count = ["mono": 1, "stereo": 2, "5.1": 6][layout] ?? 2
            let voices = (1...count).map { "0.1*sin(2*PI*\($0)00*t)" }.joined(separator: "|")
            return try Footage.made(
                "form-\(layout)-\(rate).wav",
                [
                    "-f", "lavfi", "-i",
                    "aevalsrc='\(voices)':channel_layout=\(layout):sample_rate=\(rate):duration=0.5",
                ])
        }

        private static let cases: [(sources: [(String, Int)], output: String, export: String, form: String)] = [
            ([("mono", 44_100)], "out.mp4", "", "aac, 1 channel at 44100 Hz"),
            ([("mono", 22_050)], "out.m4a", "", "aac, 1 channel at 22050 Hz"),
            ([("5.1", 48_000)], "out.mov", "", "aac, 2 channels at 48000 Hz"),
            ([("5.1", 48_000)], "out.mov", "channels = 6", "aac, 6 channels at 48000 Hz"),
            ([("mono", 48_000), ("stereo", 44_100)], "out.mp4", "", "aac, 2 channels at 48000 Hz"),
            ([("mono", 44_100)], "out.webm", "", "opus, 1 channel at 48000 Hz"),
            ([("5.1", 192_000)], "out.mp3", "", "mp3, 2 channels at 48000 Hz"),
            ([("5.1", 192_000)], "out.flac", "", "flac, 2 channels at 96000 Hz"),
            ([("5.1", 192_000)], "out.flac", "channels = 6", "flac, 6 channels at 96000 Hz"),
            ([("mono", 44_100)], "out.wav", "channels = 2, sample_rate = 32000", "pcm_s16, 2 channels at 32000 Hz"),
            ([], "out.wav", "", "pcm_s16, 2 channels at 48000 Hz"),
        ]

        @Test(arguments: cases.prefix(5)) func `the form is that of the sources`(
            sources: [(String, Int)], output: String, export: String, form: String
        ) throws {
            let studio = try Studio()
            // One that is never heard does not count.
            let files = try sources.map { "draft:add_audio(\(try Self.sound($0.0, $0.1).lua))" }
            try studio.script(
                """
                draft:add_image(\(Footage.still.lua), { duration = 0.4 })
                draft:add_audio(\(Self.sound("5.1", 96_000).lua), { volume = 0 })
                \(files.joined(separator: "\n"))
                draft.export = { audio = { \(export) } }
                """, size: (64, 64))
            let plan = try studio.run(["plan", "edit.lua", "-o", output])
            #expect(plan.text.contains("sound: \(form), "), "\(plan)")
            let path = try studio.render(to: output)
            let heard = try FFmpeg.probe(path, "stream=codec_name,sample_rate,channels", stream: "a:0")
                .split(separator: "\n")
            let words = form.split { ", ".contains($0) }
            #expect(heard.count == 3 && heard[1] == words[4] && heard[2] == words[1], "\(heard)")
            guard sources.map(\.0) == ["5.1"], words[1] == "6" else { return }
            // Each speaker's sound stays in its place.
            for channel in [0, 1, 2, 4, 5] {
                let sound = try Sound(of: path, channel: channel)
                #expect(abs(sound.frequency(0.1, 0.2) - Double(channel + 1) * 100) < 1, "\(channel)")
            }
        }

        /// The other forms.
        @Suite struct Sweep {
            @Test(arguments: cases.dropFirst(5)) func `the form is that of the sources`(
                sources: [(String, Int)], output: String, export: String, form: String
            ) throws {
                try SoundFormTests().`the form is that of the sources`(
                    sources: sources, output: output, export: export, form: form)
            }
        }
    }
}
