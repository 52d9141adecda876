import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What happens to a screen, a window and a sound server while they are recorded.
    @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct LiveFaultTests {
        private let desk: LiveDesk
        private let studio: Studio

        init() throws {
            desk = try LiveDesk()
            studio = try desk.studio()
        }

        private var take: String { studio.file("talk.takes/0001.mp4") }

        /// The take keeps its size, and shows the window whenever it can be seen.
        @Test func `a window is resized, hidden and seen again`() throws {
            let (id, window) = try desk.flash()
            let recording = try FaultyRecording(studio, ["--video", "window:\(id)", "--audio", "none"])
            try recording.wait(fragments: 2)
            window.send(SIGUSR2)
            try recording.wait(for: "‘window:\(id)’ has a new size, 160x120; the take keeps its own.")
            usleep(1_100_000)
            window.send(SIGUSR1)
            try recording.wait(for: "‘window:\(id)’ is hidden, or partly off the screen")
            usleep(1_000_000)
            window.send(SIGUSR1)
            try recording.wait(for: "‘window:\(id)’ can be seen again.")
            window.send(SIGUSR2)
            try recording.wait(for: "has a new size, 320x240")
            usleep(1_100_000)
            let result = recording.finish()
            #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == "320x240")
            // It is white for a tenth of each second, over the whole picture.
            let bright = try FFmpeg.grayFrames(of: take, width: 8, height: 6)
            let times = try FFmpeg.probe(take, "frame=pts_time").split(separator: "\n").compactMap { Double($0) }
            try #require(bright.count == times.count)
            let flashes = zip(times, bright).filter { $1.allSatisfy { $0 > 128 } }.map(\.0)
            #expect(flashes.contains { $0 < 2 } && flashes.contains { $0 > times[times.count - 1] - 1.3 }, "\(result)")
            // While it was hidden, pictures went on.
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 0.6 }, "\(times)")
        }

        @Test func `a window that stays hidden is lost`() throws {
            let (id, window) = try desk.flash()
            let recording = try FaultyRecording(studio, ["--video", "window:\(id)", "--audio", "none"])
            try recording.wait(fragments: 1)
            window.send(SIGUSR1)
            _ = recording.end(says: "‘window:\(id)’ is lost: it could not be seen for 5 s.", "take 1 is finished")
            #expect(try recording.length > 5)
            let hidden = try studio.run(["record", "talk.cutroom", "--video", "window:\(id)", "--audio", "none"])
            #expect(
                hidden.status == 74 && hidden.stderr.contains("it is hidden, or partly off the screen; show it first"),
                "\(hidden)")
        }

        /// PulseAudio does so where the source of a stream is removed, as when a headset is pulled.
        @Test func `the sound server takes another source`() throws {
            func control(_ arguments: String...) throws -> String {
                let output = try Command(["pactl"] + arguments, environment: desk.environment).wait(timeout: 10)
                try #require(output.succeeded, "\(output)")
                return output.text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let module = try control(
                "load-module", "module-null-sink", "sink_name=headset", "sink_properties=device.description=Headset")
            let recording = try FaultyRecording(
                studio, ["--video", "test", "--size", "320x180", "--audio", "pulse:headset.monitor"])
            try recording.wait(fragments: 2)
            _ = try control("unload-module", module)
            try recording.wait(for: "The sound of ‘headset.monitor’ now comes from ‘Monitor of ")
            try recording.wait(fragments: 4)
            let result = recording.finish()
            let sound = try Double(FFmpeg.probe(take, "stream=duration", stream: "a:0")) ?? 0
            #expect(try abs(recording.length - sound) < 0.05, "\(result)")
        }

        /// - Parameter parts: millionths by which the device's clock is fast.
        static func offsets(_ desk: LiveDesk, _ studio: Studio, fast parts: Int, seconds: Int) throws -> [Double] {
            let fifo = studio.file("fifo")
            let load = try Command(
                [
                    "pactl", "load-module", "module-pipe-source", "source_name=device", "file=\(fifo)", "format=s16le",
                    "rate=48000", "channels=1",
                ], environment: desk.environment)
            try #require(load.wait(timeout: 10).succeeded)
            let (id, _) = try desk.flash(feeding: fifo, fast: parts)
            let result = try studio.run([
                "record", "talk.cutroom", "--video", "window:\(id)", "--audio", "pulse:device", "--fps", "60",
                "--max-duration", "\(seconds)",
            ])
            try #require(result.status == 0, "\(result)")
            return try FlashesAndClicks(of: studio.file("talk.takes/0001.mp4")).offsets
        }

        /// Without a correction the last click would be 80 ms away from its flash.
        @Test func `the clock of a sound device is fast by 1 %`() throws {
            let offsets = try Self.offsets(desk, studio, fast: 10_000, seconds: 8)
            try #require(offsets.count >= 6, "\(offsets)")
            // A busy machine shows single flashes late.
            #expect(abs(offsets.suffix(3).sorted()[1]) <= 0.02, "\(offsets)")
            #expect(abs(offsets.sorted()[offsets.count / 2]) <= 0.02, "\(offsets)")
        }

        @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct Sweep {
            @Test(arguments: [-10_000, -200, 200, 10_000])
            func `the clock of a sound device is wrong`(parts: Int) throws {
                let (desk, studio) = (try LiveDesk(), try Studio())
                studio.environment = desk.environment
                let offsets = try LiveFaultTests.offsets(desk, studio, fast: parts, seconds: 24)
                try #require(offsets.count >= 21, "\(offsets)")
                for part in [offsets.prefix(7), offsets.dropFirst(7).prefix(7), offsets.suffix(7)] {
                    #expect(abs(part.sorted()[3]) <= 0.02, "\(offsets)")
                }
            }
        }
    }
}
