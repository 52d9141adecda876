import Draft
import Foundation
import Glibc
import Media
import TestSupport
import Testing
import Values

@Suite(.waits, .enabled(if: FFmpeg.isPresent, FFmpeg.absence)) struct ProbeTests {
    let lab: Lab

    init() throws { lab = try Lab() }

    func failure(_ path: String) -> MediaError? {
        thrown { () throws(MediaError) in _ = try Probe.probe(path: path) }
    }

    @Test func badFilesEachHaveTheirSentence() throws {
        let video = try lab.make("whole.mp4", "-f", "lavfi", "-i", "testsrc=s=64x64:d=2", "-c:v", "libx264", "-bf", "0")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: video)))
        var random = SplitMix64(seed: Seed.announced(for: "noise", cases: 1))
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let cases: [(path: String, code: MediaError.Code)] = [
            (lab.path("not-there.mp4"), .notFound), (lab.folder.path, .isDirectory),
            (try lab.write("empty.mp4", []), .empty),
            (try lab.write("text.mp4", Array("Dear all, this is not a video.\n".utf8)), .notMedia),
            (try lab.write("noise.bin", noise), .notMedia),
            (try lab.write("no-index.mp4", bytes[..<(bytes.count / 2)]), .truncated),
            ("/dev/zero", .notRegularFile),
            (
                try lab.write(
                    "playlist.m3u8",
                    Array("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:9/x.ts\n".utf8)),
                .notMedia
            ),
            (try lab.write("list.ffconcat", Array("ffconcat version 1.0\nfile '\(video)'\n".utf8)), .notMedia),
            (try lab.write("none.cube", Array("hello\n".utf8)), .notMedia),
            (try lab.write("cut.cube", Array("LUT_3D_SIZE 2\n0 0 0\n".utf8)), .notMedia),
            (try lab.write("many.cube", Array("LUT_1D_SIZE 2\n0 0 0\n0 0 0\n0 0 0\n".utf8)), .notMedia),
            (try lab.write("nan.cube", Array("LUT_3D_SIZE 2\n0 nan 0\n".utf8)), .notMedia),
        ]
        var sentences = Set<String>()
        for (path, code) in cases {
            let error = try #require(failure(path), "\(path) was accepted")
            #expect(error.code == code, "\(error)")
            #expect(error.description.contains("‘\(path)’") && !error.description.contains("\n"))
            sentences.insert(error.reason)
        }
        #expect(sentences.count >= 11)
    }

    /// However long a file is, no more of it is read than a table of its size could have.
    @Test func aLongTableIsNotReadToItsEnd() throws {
        for (name, filler, words) in [
            ("zeros.cube", "", "line 2: the line is longer"),
            ("lines.cube", String(repeating: "\n", count: 3 << 20), "larger"),
        ] {
            let path = try lab.write(name, Array(("LUT_3D_SIZE 2\n" + filler).utf8))
            truncate(path, 1 << 36)
            var pulses = 0
            let error = thrown { () throws(MediaError) in _ = try Probe.probe(path: path) { _ in pulses += 1 } }
            #expect(error?.code == .notMedia && error?.reason.contains(words) == true, "\(String(describing: error))")
            #expect(pulses < 5)
        }
    }

    @Test(.ends(within: .seconds(300))) func aPipeIsRefusedWithoutWaiting() throws {
        let path = lab.path("pipe.mp4")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(failure(path)?.code == .notRegularFile)
    }

    @Test func noPermission() throws {
        let path = try lab.write("secret.mp4", [1, 2, 3])
        chmod(path, 0)
        // Root may read everything. Of this thread alone it can be taken back, and Swift's Glibc
        // does not have the function.
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let setFileUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
        if geteuid() == 0 { _ = setFileUser(1) }
        let code = failure(path)?.code
        if geteuid() == 0 { _ = setFileUser(0) }
        #expect(code == .permissionDenied)
    }

    @Test func aNameIsNeverAProtocolOrAPattern() throws {
        let made = try lab.make("plain.png", "-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1")
        for name in ["concat:a.png", "http:%03d.png"] {
            let path = lab.path(name)
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: made, toPath: path)
            #expect(try Probe.probe(path: path).kind == .image)
        }
    }

    @Test func kinds() throws {
        for suffix in ["png", "jpg", "webp", "bmp", "tiff"] {
            let info = try Probe.probe(
                path: try lab.make("still.\(suffix)", "-f", "lavfi", "-i", "testsrc=s=70x50", "-frames:v", "1"))
            #expect(
                info.kind == .image && info.video?.width == 70 && info.video?.height == 50 && info.duration == .zero)
        }
        let still = try lab.make("single.gif", "-f", "lavfi", "-i", "testsrc=s=70x50", "-frames:v", "1")
        #expect(try Probe.probe(path: still).kind == .image)
        let moving = try lab.make("moving.gif", "-f", "lavfi", "-i", "testsrc=s=70x50:r=10:d=1")
        let info = try Probe.probe(path: moving)
        #expect(info.kind == .media && info.duration == Time(seconds: 1))
        let rows = String(repeating: "0 0.5 1\r\n", count: 8)
        for text in [
            "# a comment\nTITLE \"x\"\r\nLUT_3D_SIZE 2\n\(rows)", "\u{FEFF}LUT_3D_SIZE 2\n\(rows)",
            "LUT_1D_SIZE 8\n\(rows)",
        ] {
            let cube = try lab.write("look.CUBE", Array(text.utf8))
            #expect(try Probe.probe(path: cube).kind == .cube)
            #expect(try Probe.probe(path: cube).format == "cube")
        }
    }

    @Test func identityChangesWithTheFile() throws {
        let path = try lab.make("identity.png", "-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1")
        let first = try Probe.probe(path: path).identity
        #expect(try Probe.probe(path: path).identity == first)
        #expect(first.digest.count == 64)
        _ = try lab.make("identity.png", "-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1")
        #expect(try Probe.probe(path: path).identity.digest != first.digest)
    }

    @Test func soundOnlyAndPictureOnly() throws {
        let sound = try Probe.probe(
            path: try lab.make("sound.m4a", "-f", "lavfi", "-i", "sine=d=1.5:r=44100", "-c:a", "aac"))
        #expect(sound.video == nil && sound.audio?.sampleRate == 44100 && sound.audio?.channels == 1)
        #expect(abs(sound.duration.seconds - 1.5) < 0.001)
        let picture = try Probe.probe(
            path: try lab.make(
                "picture.mp4", "-f", "lavfi", "-i", "testsrc=s=64x64:d=1:r=24000/1001", "-c:v", "libx264"))
        #expect(picture.audio == nil && picture.video?.frameRate == Rational(24000, 1001))
        #expect(picture.duration == Time(frame: 24, rate: Rational(24000, 1001)))
        // A cover picture does not make sound a video.
        let cover = try lab.make("cover.png", "-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1")
        let song = try lab.make(
            "song.mp3", "-f", "lavfi", "-i", "sine=d=1", "-i", cover, "-map", "0", "-map", "1", "-c:v", "copy",
            "-disposition:v", "attached_pic")
        let info = try Probe.probe(path: song)
        #expect(info.video == nil && info.kind == .media && abs(info.duration.seconds - 1) < 0.03)
    }

    @Test func durationsWithoutHeaderOrWithABrokenPromise() throws {
        // Written to a pipe, Matroska has neither duration nor index.
        let live = try lab.numbered(
            "live.webm", rate: "30", count: 60, ["-c:v", "libvpx", "-deadline", "realtime", "-f", "webm", "-live", "1"])
        #expect(abs(try Probe.probe(path: live).duration.seconds - 2) < 0.002)
        // The index promises three seconds; the media ends earlier.
        let whole = try lab.make(
            "early-index.mp4", "-f", "lavfi", "-i", "testsrc=s=320x240:d=3:r=30", "-c:v", "libx264", "-g", "15",
            "-movflags",
            "faststart")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        let cut = try lab.write("cut.mp4", bytes[..<(bytes.count * 2 / 3)])
        let info = try Probe.probe(path: cut)
        #expect(info.duration > Time(seconds: 0.5)! && info.duration < Time(seconds: 2.9)!)
        let source = try VideoReader(path: cut, info: info)
        let last = try source.picture(at: info.duration)
        #expect(last.time < info.duration && (info.duration - last.time).seconds < 0.2)
    }

    @Test(arguments: [(90, 90), (180, 180), (270, 270), (-90, 270)])
    func rotationIsShown(asked: Int, clockwise: Int) throws {
        let plain = try lab.make(
            "unrotated-\(asked).mp4", "-f", "lavfi", "-i", "testsrc=s=96x64:d=0.2", "-c:v", "libx264")
        // The command line's `rotate` counts counter-clockwise in this version's mov muxer input.
        let turned = try lab.make(
            "rotated\(asked).mp4", "-i", plain, "-c", "copy", "-metadata:s:v:0", "rotate=\(asked)")
        let video = try #require(try Probe.probe(path: turned).video)
        let reference = try Lab.entries(turned, "-select_streams", "v", "-show_entries", "stream_side_data=rotation")
            .compactMap { Int($0) }.first
        #expect(video.rotation == ((-(reference ?? 0)) % 360 + 360) % 360)
        #expect((video.width, video.height) == (clockwise % 180 == 0 ? (96, 64) : (64, 96)))
    }

    @Test func pixelAspectIsShown() throws {
        let path = try lab.make(
            "anamorphic.mp4", "-f", "lavfi", "-i", "testsrc=s=72x64:d=0.2", "-vf", "setsar=16/9", "-c:v", "libx264")
        let video = try #require(try Probe.probe(path: path).video)
        #expect((video.width, video.height) == (128, 64))
    }

    @Test(.enabled(if: MediaFolder.isPresent, MediaFolder.absence)) func realFootage() throws {
        let folder = try #require(MediaFolder.path)
        func info(_ name: String) throws -> MediaInfo { try Probe.probe(path: folder + "/" + name) }
        let phone = try #require(try info("hdr.mov").video)
        #expect((phone.width, phone.height, phone.rotation) == (1080, 1920, 90))
        let fire = try #require(try info("fire2.mp4").video)
        #expect(fire.rotation == 180 && abs(fire.duration.seconds - 2.3798) < 0.001)
        let open = try info("no_duration.webm")
        #expect(abs((open.video?.duration.seconds ?? 0) - 4.94) < 0.1 && open.audio?.start == Time(seconds: 0.015))
        let lofoten = try info("lofoten.mp4")
        #expect(
            abs((lofoten.video?.duration.seconds ?? 0) - 4.421) < 0.001
                && lofoten.audio!.duration < lofoten.video!.duration)
        #expect(try info("dancer1.webm").video?.hasAlpha == true)
        #expect(try info("bigbuckbunny.mp4").audio?.channels == 6)
        #expect(try info("img1.jpg").kind == .image)
    }
}
