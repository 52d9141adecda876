import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record` with a real screen and a real sound server.
    @Suite(.enabled(if: LiveDesk.isPresent, LiveDesk.absence)) struct LiveSourceTests {
        private let desk: LiveDesk
        private let studio: Studio

        init() throws {
            desk = try LiveDesk()
            studio = try desk.studio()
        }

        private var take: String { studio.file("talk.takes/0001.mp4") }

        private func record(_ video: String, _ audio: String, _ more: String...) throws -> Command.Output {
            try studio.run(["record", "talk.cutroom", "--video", video, "--audio", audio] + more)
        }

        /// A flash and its click are recorded at the same time.
        @Test func `a window and the system's sound are in sync`() throws {
            let (id, _) = try desk.flash()
            let result = try record("window:\(id)", "pulse:\(LiveDesk.source)", "--fps", "60", "--max-duration", "7")
            #expect(result.status == 0, "\(result)")
            let offsets = try FlashesAndClicks(of: take).offsets.sorted()
            try #require(offsets.count >= 5)
            // A busy machine shows single flashes late.
            #expect(abs(offsets[offsets.count / 2]) <= 0.02, "\(offsets)")
        }

        @Test func `a screen, a part of it, and a size that was asked for`() throws {
            _ = try desk.flash()
            for (video, options, size) in [
                ("screen", [], "640x480"), ("screen:200x100+20+30", ["--no-cursor"], "200x100"),
                ("screen:201x101+0+0", [], "200x100"), ("screen", ["--size", "320x180"], "320x180"),
            ] {
                let before = studio.file("talk.takes")
                try? FileManager.default.removeItem(atPath: before)
                try? FileManager.default.removeItem(atPath: studio.file("talk.cutroom"))
                let result = try studio.run(
                    ["record", "talk.cutroom", "--video", video, "--audio", "none", "--max-duration", "1.2"] + options)
                #expect(result.status == 0, "\(video): \(result)")
                #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == size, "\(video)")
                // The window is white for a tenth of each second, and black else.
                let bright = try FFmpeg.grayFrames(of: take, width: 16, height: 12).map { $0[0] > 128 }
                #expect(bright.contains(true) && bright.contains(false), "\(video)")
            }
        }

        @Test(arguments: ["window", "screen", "sound"])
        func `what was recorded stays when a source is gone`(source: String) throws {
            let (id, window) = try desk.flash()
            let recorder = try studio.start([
                "record", "talk.cutroom", "--video", "window:\(id)", "--audio", "pulse:\(LiveDesk.source)",
            ])
            try #require(
                Command.until { recorder.stderrSoFar.contains("is being recorded") }, "\(recorder.stderrSoFar)")
            usleep(1_500_000)
            switch source {
            case "window": window.send(SIGKILL)
            case "screen": desk.screen.send(SIGKILL)
            default: desk.sound.send(SIGKILL)
            }
            let begun = ContinuousClock.now
            let result = recorder.wait(timeout: 30)
            #expect(ContinuousClock.now - begun < .seconds(5))
            let reasons = ["window": "it was closed", "screen": "the X11 display is gone"]
            let reason = reasons[source] ?? "the sound server is gone, or has no source any more"
            #expect(result.status == 74 && result.stderr.contains("is lost: \(reason)."), "\(result)")
            #expect(result.stderr.contains("take 1 is finished"), "\(result)")
            let length = try Double(FFmpeg.probe(take, "format=duration")) ?? 0
            #expect(length > 1 && length < 20, "\(length)")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        @Test func `sources that do not exist have their sentence`() throws {
            let environment = studio.environment
            for (video, audio, name, reason) in [
                ("window:1", "none", "window:1", "there is no such window; ‘xwininfo’ shows"),
                ("screen:100x100+600+0", "none", "screen", "outside the screen size"),
                (
                    "test", "pulse:nothing", "nothing",
                    "PulseAudio has no such source; it has ‘pulse:\(LiveDesk.source)’"
                ),
                ("pipe:/no/such/pipe", "none", "pipe:/no/such/pipe", "does not exist"),
                ("camera:/no/such/camera", "none", "camera:/no/such/camera", "there is no such device"),
            ] {
                let result = try record(video, audio)
                #expect(
                    result.status == 74 && result.stderr.hasPrefix("cutroom: ‘\(name)’ cannot be opened: ")
                        && result.stderr.contains(reason),
                    "\(video): \(result)")
            }
            studio.environment["DISPLAY"] = ":98765"
            #expect(
                try record("screen", "none").stderr.contains(
                    "‘screen’ cannot be opened: the X11 display ‘:98765’ cannot be reached; name another source"))
            studio.environment["DISPLAY"] = .some(nil)
            #expect(try record("screen", "none").stderr.contains("$DISPLAY names no X11 display; name another source"))
            studio.environment = environment
            studio.environment["PULSE_SERVER"] = "unix:/no/such/socket"
            #expect(
                try record("test", "default").stderr.contains(
                    "‘default’ cannot be opened: neither PulseAudio nor ALSA has a device; name a source that"
                ))
            #expect(!FileManager.default.fileExists(atPath: studio.file("talk.cutroom")))
        }

        /// Pictures and sound of any program.
        @Test func `NUT from pipes is recorded, with its times`() throws {
            let (video, audio) = (studio.file("video"), studio.file("audio"))
            for path in [video, audio] { #expect(mkfifo(path, 0o600) == 0) }
            let writers = try [
                ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25", "-c:v", "rawvideo", "-pix_fmt", "yuv420p", "-t", "60"]
                    + ["-f", "nut", "-y", video],
                ["-f", "lavfi", "-i", "sine=r=44100", "-c:a", "pcm_s16le", "-t", "60", "-f", "nut", "-y", audio],
            ].map { try Command(["ffmpeg", "-v", "error", "-nostdin", "-re"] + $0) }
            let result = try record("pipe:\(video)", "pipe:\(audio)", "--max-duration", "3")
            for writer in writers { writer.send(SIGKILL) }
            #expect(result.status == 0, "\(result)")
            let frames = Int(try FFmpeg.probe(take, "stream=nb_frames")) ?? 0
            #expect(frames > 10 && frames <= 77, "\(frames)")
            #expect(try FFmpeg.probe(take, "stream=sample_rate", stream: "a:0") == "44100")
            let times = try FFmpeg.probe(take, "packet=pts_time").split(separator: "\n").compactMap { Double($0) }
                .sorted()
            // The first arrivals show how the program's clock is to be read. Pictures that are lost
            // on a busy machine leave the others at their times.
            let steps = zip(times, times.dropFirst()).map { ($1 - $0) / 0.04 }.dropFirst(15).dropLast()
            #expect(steps.count { abs($0 - $0.rounded()) > 0.025 } <= 2, "\(Array(steps))")
        }

        /// A picture of another shape fills the take's; in a mirror, left is right, and turned
        /// clockwise, left is up.
        @Test func `pictures fill the size that was asked for, are turned and mirrored`() throws {
            let pipe = studio.file("video")
            let (left, right, top, bottom) = (80 * 160, 80 * 160 + 159, 80, 159 * 160 + 80)
            let cases = [
                ([], left, right), (["--mirror"], right, left), (["--rotate", "90"], top, bottom),
                (["--rotate", "180"], right, left), (["--rotate", "270", "--mirror"], bottom, top),
            ]
            for (options, white, black) in cases {
                unlink(pipe)
                try? FileManager.default.removeItem(atPath: studio.file("talk.takes"))
                try? FileManager.default.removeItem(atPath: studio.file("talk.cutroom"))
                #expect(mkfifo(pipe, 0o600) == 0)
                // 320×180 with a white left half: of a square of 160, each side loses 70 columns.
                let writer = try Command([
                    "ffmpeg", "-v", "error", "-nostdin", "-re", "-f", "lavfi", "-i",
                    "color=black:s=320x180:r=25,drawbox=w=160:color=white:t=fill", "-c:v", "rawvideo", "-pix_fmt",
                    "yuv420p", "-t", "1", "-f", "nut", "-y", pipe,
                ])
                let result = try studio.run(
                    ["record", "talk.cutroom", "--video", "pipe:\(pipe)", "--audio", "none", "--size", "160x160"]
                        + options)
                writer.send(SIGKILL)
                #expect(result.status == 74, "\(result)")
                let luma = try #require(try FFmpeg.grayFrames(of: take, width: 160, height: 160).last)
                #expect(luma[white] > 128 && luma[black] < 128, "\(options)")
                let whites = luma.count { $0 > 128 }
                #expect(abs(whites - 80 * 160) <= 2 * 160, "\(options): \(whites)")
            }
        }

        /// The number that a frame carries: ten bars of 16 pixels, white for one.
        private func numbers(of path: String) throws -> [Int] {
            try FFmpeg.grayFrames(of: path, width: 160, height: 32).map { luma in
                (0..<10).reduce(0) { $0 + (luma[16 * 160 + 16 * $1 + 8] > 128 ? 1 << $1 : 0) }
            }
        }

        /// Pictures of a program come at any time; each frame of the result shows the newest one.
        @Test func `a take of a variable rate is rendered as it was seen`() throws {
            let (raw, pipe) = (studio.file("frames.yuv"), studio.file("video"))
            #expect(mkfifo(pipe, 0o600) == 0)
            var bytes: [UInt8] = []
            for number in 0..<120 {
                let row = (0..<160).map { number >> ($0 / 16) & 1 == 1 ? UInt8(235) : 16 }
                for _ in 0..<32 { bytes += row }
                bytes += repeatElement(128, count: 160 * 32 / 2)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: raw))
            let writer = try Command([
                "ffmpeg", "-v", "error", "-nostdin", "-re", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "160x32",
                "-r", "40",
                "-i", raw, "-vf", "settb=1/1000,setpts=PTS+15*sin(N*0.7)", "-fps_mode", "passthrough", "-c:v",
                "rawvideo",
                "-f", "nut", "-y", pipe,
            ])
            let result = try record("pipe:\(pipe)", "none")
            writer.send(SIGKILL)
            #expect(result.status == 74 && result.stderr.contains("it has ended"), "\(result)")
            let times = try FFmpeg.probe(take, "frame=pts_time").split(separator: "\n").compactMap { Double($0) }
            let shown = try numbers(of: take)
            try #require(times.count == shown.count && shown.count > 40, "\(shown)")
            #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 <= $1 }, "\(shown)")
            let rate = try FFmpeg.probe(take, "stream=avg_frame_rate").split(separator: "/").compactMap { Double($0) }
            let length = try Double(FFmpeg.probe(take, "format=duration")) ?? 0
            #expect(rate.count == 2 && abs(rate[0] / rate[1] - Double(shown.count) / length) < 0.5, "\(rate)")
            let frames = Array(zip(times, shown))
            try studio.script("draft:add_clip('talk.takes/0001.mp4')", size: (160, 32))
            for (frame, number) in try numbers(of: studio.render()).enumerated() {
                // A frame shows what is there in its middle.
                let middle = (Double(frame) + 0.5) / 30
                let newest = frames.last { $0.0 <= middle + 0.0005 }?.1
                let before = frames.last { $0.0 <= middle - 0.0005 }?.1
                #expect(
                    number == newest || number == before,
                    "frame \(frame): \(number), not \(newest ?? -1), of \(length) s; \(times.suffix(3))")
            }
        }
    }
}
