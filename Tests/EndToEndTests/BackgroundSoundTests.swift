import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Sound that is played while takes are recorded.
    @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct BackgroundSoundTests {
        private let desk: LiveDesk
        private let studio: Studio

        init() throws {
            desk = try LiveDesk()
            studio = try desk.studio()
        }

        /// Makes a file that clicks half a second after each second.
        private func clicks(_ name: String = "clicks.wav", seconds: Int = 20) throws {
            let sound = "aevalsrc='0.9*lt(mod(t+0.5,1),0.004)':s=48000:d=\(seconds)"
            let output = try Command(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", sound, "-y", studio.file(name)])
                .wait()
            try #require(output.status == 0, "\(output)")
        }

        private func record(_ more: [String]) throws -> Command.Output {
            try studio.run(
                ["record", "talk.cutroom", "--video", "test", "--audio", "pulse:\(LiveDesk.source)", "--playback"]
                    + ["pulse:\(LiveDesk.sink)", "--size", "320x180"] + more)
        }

        /// Each click of the file is in the take where the draft plays it.
        @Test func `what is heard while a take is recorded is what the draft plays`() throws {
            try clicks()
            var place = 0.0
            for (number, speed, total) in [(1, 1.0, 3.2), (2, 1, 5.4), (3, 2, 7.1)] {
                let options = number == 1 ? ["--background", "clicks.wav"] : ["--speed", "\(speed)"]
                let result = try record(["--max-duration", "\(total)"] + options)
                #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
                let take = studio.file("talk.takes/000\(number).mp4")
                let heard = try FlashesAndClicks.clicks(of: take)
                #expect(heard.count >= Int(total - place), "\(heard)")
                for click in heard {
                    let time = place + click / speed
                    #expect(
                        abs(time - time.rounded(.down) - 0.5) * speed <= 0.02, "take \(number): \(heard) from \(place)")
                }
                place += try (Double(FFmpeg.probe(take, "format=duration")) ?? 0) / speed
            }
            // The draft has it once, and plays it to its end.
            try studio.render("talk.cutroom", to: "talk.mp4")
            let played = try FlashesAndClicks.clicks(of: studio.file("talk.mp4"))
            #expect(played.count == Int(place + 0.5), "\(played)")
            for click in played { #expect(abs(click - click.rounded(.down) - 0.5) <= 0.02, "\(played)") }
            // It belongs to the takes.
            let refused = try record(["--background", "none"])
            #expect(refused.status == 64 && refused.stderr.contains("has takes, which belong to its background"))
        }

        @Test func `a background that cannot be played has its sentence`() throws {
            try Data("words".utf8).write(to: URL(fileURLWithPath: studio.file("words.mp3")))
            try clicks(seconds: 2)
            for (options, status, sentence) in [
                (["--background", "missing.mp3"], Int32(66), "missing.mp3’ cannot be read: No such file"),
                (["--background", "words.mp3"], 74, "words.mp3’ cannot be opened: "),
                (
                    ["--background", "clicks.wav", "--background-range", "1,2"], 74,
                    "clicks.wav’ cannot be opened: its range 1–3 s does not lie within its 2 s"
                ),
                (
                    ["--background", "clicks.wav", "--playback", "pulse:nothing"], 74,
                    "clicks.wav’ cannot be opened: the output ‘nothing’ does not work: "
                ),
                (["--background", "clicks.wav", "--background-range", "1"], 64, "must be a start and a duration"),
                (["--playback", "loudspeaker"], 64, "must be default, pulse:SINK, alsa:DEVICE or none"),
            ] {
                let result = try record(options)
                #expect(result.status == status && result.stderr.contains(sentence), "\(options): \(result)")
            }
        }

        /// The take goes on without it.
        @Test func `a background whose output is lost is a warning`() throws {
            try clicks()
            let recorder = try studio.start(
                ["record", "talk.cutroom", "--video", "test", "--audio", "test", "--playback"]
                    + ["pulse:\(LiveDesk.sink)", "--background", "clicks.wav", "--max-duration", "4"])
            try #require(
                Command.until { recorder.stderrSoFar.contains("is being recorded") }, "\(recorder.stderrSoFar)")
            desk.sound.send(SIGKILL)
            let result = recorder.wait(timeout: 30)
            #expect(result.status == 0 && result.stderr.contains("is not played any more: "), "\(result)")
            #expect(try FFmpeg.probe(studio.file("talk.takes/0001.mp4"), "format=duration") == "4.000000")
        }
    }
}
