import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `cutroom record` with libavdevice's V4L2, and a device that `fakecamera.c` pretends.
    @Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer wants to be loaded first")) struct CameraTests {
        private let studio: Studio
        private static let camera = "camera:/dev/video9"

        init() throws {
            studio = try Studio()
            try TestPlugin.build(
                Project.root + "/Tests/EndToEndTests/Fixtures/fakecamera.c", to: studio.file("fakecamera.so"))
            studio.environment["LD_PRELOAD"] = studio.file("fakecamera.so")
            studio.environment["DISPLAY"] = ""
            studio.environment["PULSE_SERVER"] = "unix:/no/such/socket"
        }

        private var take: String { studio.file("talk.takes/0001.mp4") }

        private func record(_ options: String..., video: String = Self.camera) throws -> Command.Output {
            try studio.run(["record", "talk.cutroom", "--video", video, "--audio", "none"] + options)
        }

        /// The number that each picture of a file carries.
        private func numbers(of path: String) throws -> [Int] {
            try FFmpeg.grayFrames(of: path, width: 160, height: 32).map { luma in
                (0..<10).reduce(0) { $0 + (luma[8 * 160 + 16 * $1 + 8] > 128 ? 1 << $1 : 0) }
            }
        }

        /// When the camera has taken each picture, in seconds on the monotonic clock.
        private func moments() throws -> [Int: Double] {
            let lines = try String(contentsOfFile: studio.file("camera.log"), encoding: .utf8).split(separator: "\n")
            let entries = lines.map { $0.split(separator: " ").compactMap { Double($0) } }
            return Dictionary(entries.map { (Int($0[0]), $0[1] / 1e9) }, uniquingKeysWith: { $1 })
        }

        /// Pictures of 1280x720 that carry their numbers, as a camera's JPEG.
        private func jpegs() throws -> String {
            var bytes: [UInt8] = []
            for number in 0..<150 {
                let row = (0..<160).map { number >> ($0 / 16) & 1 == 1 ? UInt8(235) : 16 }
                for _ in 0..<90 { bytes += row }
            }
            let (raw, path) = (studio.file("pictures.gray"), studio.file("pictures.mjpeg"))
            try Data(bytes).write(to: URL(fileURLWithPath: raw))
            let made = try Command.run([
                "ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "gray", "-s", "160x90", "-r", "30", "-i", raw,
                "-vf", "scale=1280:720:flags=neighbor", "-pix_fmt", "yuvj422p", "-c:v", "mjpeg", "-q:v", "3", "-f",
                "mjpeg", path,
            ])
            try #require(made.succeeded, "\(made)")
            return path
        }

        /// Each picture has the time at which it was taken, whenever it came, on either clock.
        @Test(arguments: [("640x480", false), ("640x480", true), ("1280x720", false)])
        func `pictures are recorded with their times`(size: String, isWall: Bool) throws {
            if size == "1280x720" { studio.environment["FAKE_CAMERA_JPEG"] = try jpegs() }
            if isWall { studio.environment["FAKE_CAMERA_WALL"] = "1" }
            studio.environment["FAKE_CAMERA_LATENCY"] = "40000"
            studio.environment["FAKE_CAMERA_LOG"] = studio.file("camera.log")
            let result = try record("--size", size, "--max-duration", "3")
            #expect(result.status == 0 && !result.stderr.contains("warning"), "\(result)")
            #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == size)
            let times = try FFmpeg.probe(take, "frame=pts_time").split(separator: "\n").compactMap { Double($0) }
            let (numbers, moments) = (try numbers(of: take), try moments())
            try #require(times.count == numbers.count && numbers.count > 40, "\(numbers)")
            // The first one is what was there when the take began. On a busy machine, one is shown
            // again where none comes for a second.
            let all = Array(zip(numbers, times))
            let frames = zip(all, all.dropFirst()).compactMap { $0.0 == $1.0 ? nil : $1 }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.0 < $1.0 }, "\(numbers)")
            let offsets = try frames.map { number, time in try #require(moments[number]) - time }
            let spread = (offsets.max() ?? 0) - (offsets.min() ?? 0)
            #expect(spread < 0.002, "\(spread) s; \(offsets)")
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        @Test(arguments: [
            ("gone", "is lost: it was disconnected."),
            ("stall", "is lost: it has delivered nothing for 3 s."),
        ])
        func `what was recorded stays when a camera fails`(fault: String, reason: String) throws {
            studio.environment["FAKE_CAMERA_FAULT"] = fault
            let result = try record("--size", "320x240", "--fps", "30")
            #expect(result.status == 74 && result.stderr.contains("‘\(Self.camera)’ \(reason)"), "\(result)")
            #expect(result.stderr.contains("take 1 is finished"), "\(result)")
            // All that came after the sources were open.
            #expect(try numbers(of: take).last == 44)
            try studio.render("talk.cutroom", to: "talk.mp4")
            studio.expectClean()
        }

        @Test(arguments: [
            ("busy", "another program uses it; close that program"),
            ("taken", "another program uses it; close that program"),
            ("locked", "you may not read it; on most systems the members of the group ‘video’ may"),
            ("none", "there is no such device; ‘cutroom record --list’ shows what there is"),
            ("silent", "it has delivered nothing for 3 s"),
        ])
        func `a camera that cannot be opened has its sentence`(fault: String, reason: String) throws {
            studio.environment["FAKE_CAMERA_FAULT"] = fault
            let result = try record()
            #expect(
                result.status == 74 && result.stderr == "cutroom: ‘\(Self.camera)’ cannot be opened: \(reason).\n",
                "\(result)")
            #expect(!studio.folder.names.contains("talk.cutroom"))
        }

        @Test(arguments: ["640x480", "1280x720"]) func `a broken first picture is left out`(size: String) throws {
            if size == "1280x720" { studio.environment["FAKE_CAMERA_JPEG"] = try jpegs() }
            studio.environment["FAKE_CAMERA_FAULT"] = "broken"
            let result = try record("--size", size, "--max-duration", "1")
            #expect(result.status == 0, "\(result)")
            #expect(try numbers(of: take).count > 15)
        }

        @Test func `a size that the camera does not have`() throws {
            let refused = try record("--size", "1234x700")
            #expect(
                refused.status == 74
                    && refused.stderr.contains("it cannot deliver 1234x700; it has 320x240, 640x480 and 1280x720"),
                "\(refused)")
            let rate = try record("--size", "640x480", "--fps", "50")
            #expect(
                rate.stderr.contains("it cannot deliver 50 frames per second at 640x480; it has 15 and 30"), "\(rate)")
            let taken = try record(
                "--size", "630x470", "--fps", "20", "--compromise", "--max-duration", "1", "--json")
            for text in ["640x480, not 630x470", "15 frames per second, not 20"] {
                let line = #"{"event":"warning","message":"‘\#(Self.camera)’: it delivers \#(text)."}"#
                #expect(taken.text.contains(line), "\(taken)")
            }
            #expect(taken.status == 0)
            #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == "640x480")
        }

        /// libavdevice takes what a driver sets, and only logs it.
        @Test func `a driver that sets another size`() throws {
            studio.environment["FAKE_CAMERA_FAULT"] = "resize"
            let refused = try record("--size", "640x480")
            #expect(refused.status == 74 && refused.stderr.contains("it delivers 320x240, not 640x480"), "\(refused)")
            let taken = try record("--size", "640x480", "--compromise", "--max-duration", "1")
            #expect(
                taken.status == 0 && taken.stderr.contains("warning: ‘\(Self.camera)’: it delivers 320x240, not 640"),
                "\(taken)")
            #expect(try FFmpeg.probe(take, "stream=width,height").replacing("\n", with: "x") == "320x240")
        }

        @Test func `the first camera that answers`() throws {
            let result = try record("--max-duration", "1", "--size", "640x480", video: "camera")
            #expect(result.status == 0, "\(result)")
            studio.environment["FAKE_CAMERA_HUNG"] = "1"
            let second = try record("--max-duration", "2", "--size", "640x480", video: "camera")
            #expect(
                second.status == 0 && second.stderr.contains("warning: ‘camera:/dev/video8’ did not answer.\n"),
                "\(second)")
            #expect(try numbers(of: studio.file("talk.takes/0002.mp4")).count > 10)
            studio.environment["FAKE_CAMERA_HUNG"] = nil
            studio.environment["FAKE_CAMERA_FAULT"] = "none"
            let missing = try record(video: "camera")
            #expect(
                missing.status == 74 && missing.stderr.contains("‘camera’ cannot be opened: there is no camera"),
                "\(missing)")
            studio.environment["FAKE_CAMERA_FAULT"] = "silent"
            let silent = try record(video: "camera")
            #expect(
                silent.status == 74
                    && silent.stderr.contains("no camera can be used: ‘\(Self.camera)’ did not answer."), "\(silent)")
        }

        @Test func `cameras are listed`() throws {
            let list = try studio.run(["record", "--list"])
            #expect(list.status == 0, "\(list)")
            for line in [
                "  camera:/dev/video9  Fake Camera", "YUYV  640x480  30 15 frames/s", "MJPG  1280x720  30 15 frames/s",
            ] {
                #expect(list.text.contains(line + "\n"), "\(list)")
            }
            let json = try studio.run(["record", "--list", "--json"])
            let schema = try SchemaValidator(path: Project.root + "/docs/record-protocol.schema.json")
            #expect(try schema.accepts(json: json.text, as: "devices"), "\(json)")
            #expect(json.text.contains(#""source" : "camera:/dev/video9""#), "\(json)")
            for (fault, problem) in [
                ("busy", "cannot be used: another program uses it; close that program."), ("silent", "did not answer."),
            ] {
                studio.environment["FAKE_CAMERA_FAULT"] = fault
                let list = try studio.run(["record", "--list"])
                #expect(
                    list.status == 0 && list.stderr == "cutroom: warning: ‘\(Self.camera)’ \(problem)\n", "\(list)")
                #expect(list.text.hasPrefix("There is no screen, camera or source of sound that can be used."))
                let json = try studio.run(["record", "--list", "--json"])
                #expect(try schema.accepts(json: json.text, as: "devices") && json.text.contains(problem), "\(json)")
            }
            studio.environment["FAKE_CAMERA_FAULT"] = "none"
            let nothing = try studio.run(["record", "--list"])
            #expect(
                nothing.text
                    == "There is no screen, camera or source of sound. ‘test’ and ‘pipe:PATH’ can be recorded everywhere.\n"
                    && nothing.stderr.isEmpty, "\(nothing)")
        }
    }
}
